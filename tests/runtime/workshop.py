"""Artifacts from text, without the compiler: what the tests of the probe and of runs work on."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lua_cli.bundle import Draft, OpenedArtifact, open_artifact, seal
from lua_cli.bundle.model import BundledFile, DraftTool
from lua_cli.diagnostics import Place
from lua_cli.packed import Packed
from lua_cli.probe import Probed, inspect
from lua_cli.project import Project, open_project
from lua_cli.runtime import RunOptions, RunResult, run_tool


class Workshop:
    """A project whose modules lie in src/; `draft` makes a skill of them, `opened` its artifact, `run` one call."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "src").mkdir(parents=True)
        (root / "pyproject.toml").write_text("[tool.lua]\n", encoding="utf-8")
        (root / "src/agent.py").write_text("", encoding="utf-8")

    @property
    def project(self) -> Project:
        return open_project(self.root)

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.root / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")

    def draft(
        self,
        files: Mapping[str, str],
        tools: Mapping[str, str],
        *,
        skill: str = "skill",
        env: tuple[str, ...] = (),
        condition: tuple[str, str] | None = None,
        description: str = "d",
    ) -> Draft:
        """A skill of `files`; `tools` are "module:Class" by name."""
        self.write(files)
        members = tuple(
            BundledFile(name, Packed((self.root / "src" / name).read_bytes()), "module", "for the test", f"src/{name}")
            for name in sorted(files)
        )
        made = tuple(self._tool(name, where, description) for name, where in tools.items())
        place = Place("src/agent.py", 1, 1, 1, 2)
        return Draft(skill, "", "when it fits", None, condition, made, members, (), env, "", place)

    def _tool(self, name: str, where: str, description: str) -> DraftTool:
        module, _, qualname = where.partition(":")
        path = "src/" + module.replace(".", "/") + ".py"
        lines = (self.root / path).read_text("utf-8").splitlines() if (self.root / path).is_file() else []
        short = qualname.rpartition(".")[2]
        line = next((n for n, text in enumerate(lines, 1) if text.strip().startswith(f"class {short}")), 1)
        return DraftTool(name, description, module, qualname, False, (), Place(path, line, 7, line, 7 + len(short)))

    def look(self, *drafts: Draft, timeout: float = 30.0) -> Probed:
        return inspect(drafts, self.project, self.root / ".lua" / "cache", timeout)

    def opened(self, draft: Draft) -> OpenedArtifact:
        probed = self.look(draft)
        assert not probed.findings, probed.findings
        schemas = {
            key: {"inputSchema": tool.schema, "outputSchema": tool.output_schema}
            for key, tool in probed.seen[draft.skill].tools.items()
        }
        return open_artifact(seal(draft, schemas).content)

    def options(self, **given: Any) -> RunOptions:
        project = self.project
        return RunOptions(
            **{
                "interpreter": project.interpreter.executable,
                "cache": self.root / ".lua/cache/unpacked",
                "project": project.root,
                "roots": project.import_roots,
                **given,
            }
        )

    def run(self, opened: OpenedArtifact, name: str, text: str | bytes = "{}", **given: Any) -> RunResult:
        return run_tool(opened, name, text, self.options(**given))


def class_name(tool: str) -> str:
    return tool.title().replace("_", "") + "Tool"


def tool_module(bodies: Mapping[str, str], head: str = "") -> tuple[str, dict[str, str]]:
    """A module with one tool a body, named as its key, and "module:Class" by name. A body is what stands after
    `execute`'s `def execute(self, input):`, or a whole class body when it begins with `def`, `async def` or `@`.
    """
    parts = [textwrap.dedent(head), "from lua_cli import LuaTool\n"]
    for name, body in bodies.items():
        body = textwrap.dedent(body).strip("\n")
        whole = body.lstrip().startswith(("def ", "async def ", "@", "input_schema", "class "))
        inner = body if whole else "def execute(self, input):\n" + textwrap.indent(body, "    ")
        parts.append(f"class {class_name(name)}(LuaTool):\n    name = {name!r}\n    description = 'd'\n")
        parts.append(textwrap.indent(inner, "    ") + "\n")
    return "\n".join(parts), {name: f"tools:{class_name(name)}" for name in bodies}
