"""Skills in folders of the Agent Skills format: compiled, noticed, loaded, served, pushed, exported."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from skills_ref import validate  # type: ignore[import-untyped]

from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

AGENT = """\
from lua_cli import LuaAgent, LuaSkill

pdf = LuaSkill.from_folder("skills/pdf")
agent = LuaAgent(name="acme", persona="You help.", skills=[pdf])
"""
SKILL = "---\nname: pdf\ndescription: Split and merge PDF files. Use when the customer sends one.\nlicense: MIT\n---\n# PDF\n\nRead `references/forms.md`.\n"
FOLDER = {
    "skills/pdf/SKILL.md": SKILL,
    "skills/pdf/references/forms.md": "# Forms\n",
    "skills/pdf/scripts/split.py": "print('split')\n",
}
FILES = {"agent.py": AGENT, **FOLDER}


def said(done: Result) -> list[str]:
    return [line for line in done.stdout.splitlines() if not line.startswith("Found")]


def member_names(root: Path) -> list[str]:
    return zipfile.ZipFile(root / ".lua/artifacts/pdf.luapkg").namelist()


def test_the_folder_goes_into_the_artifact_whole_and_what_is_no_part_of_it_does_not(
    lua: Lua, write_project: WriteProject
) -> None:
    junk = {"skills/pdf/__pycache__/x.pyc": "", "skills/pdf/.DS_Store": "", "skills/pdf/scripts/split.pyc": ""}
    root = write_project({**FILES, **junk, "skills/other.md": "no part of it"})
    done = lua("compile", "--json", cwd=root)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["diagnostics"]) == (0, [])
    (skill,) = document["skills"]
    assert (skill["name"], skill["path"], skill["line"]) == ("pdf", "agent.py", 3)
    assert member_names(root) == ["manifest.json", *sorted(FOLDER)]
    (root / "skills/pdf/.env").write_text("KEY=1")
    done = lua("compile", "--format", "concise", cwd=root)
    assert done.stdout.startswith("agent.py:3:28: warning[lua/refused-file] `skills/pdf/.env` is never bundled")
    assert member_names(root) == ["manifest.json", *sorted(FOLDER)]


@pytest.mark.parametrize(
    ("call", "place", "words"),
    [
        ('"skills/pfd"', "3:28", "there is no folder skills/pfd"),
        ('"skills"', "3:28", "there is no SKILL.md in skills"),
        ('"/etc"', "3:28", "the folder `/etc` lies outside of the project"),
        ('"../pdf"', "3:28", "the folder `../pdf` lies outside of the project"),
        ('"."', "3:28", "the project itself is no skill"),
        ("__file__", "3:28", "cannot tell which folder it is"),
        ("", "3:7", "from_folder takes one folder, and what else there is by name"),
        ('"skills/pdf", "x"', "3:7", "from_folder takes one folder, and what else there is by name"),
    ],
)
def test_a_folder_that_cannot_be_used_is_one_error(
    lua: Lua, write_project: WriteProject, call: str, place: str, words: str
) -> None:
    root = write_project({**FILES, "agent.py": AGENT.replace('"skills/pdf"', call)})
    done = lua("compile", "--check", "--format", "concise", cwd=root)
    (line,) = said(done)
    assert done.exit_code == 1
    assert line.startswith(f"agent.py:{place}: error[lua/skill-folder] {words}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# PDF\n", ["1:1: error[lua/skill-folder] it does not begin with the skill's name and description"]),
        ("---\nname: pdf\n---\n", ["1:1: error[lua/skill-folder] it has no description, by which a model decides"]),
        ("---\nname: pdf\ndescription:\n---\n", ["3:13: error[lua/skill-folder] it has no description, by which a model decides"]),
        ("---\ndescription: d\n---\n", ["1:1: warning[lua/skill-folder-format] it has no name; the folder's name `pdf` is taken"]),
        ("---\nname: Pdf\ndescription: d\n---\n", ["2:7: warning[lua/skill-folder-format] the name `Pdf` is none of the format"]),
        ("---\nname: fdp\ndescription: d\n---\n", ["2:7: warning[lua/skill-folder-format] the name `fdp` is not that of its folder, `pdf`"]),
        (f"---\nname: pdf\ndescription: {'d' * 1025}\n---\n", ["3:14: warning[lua/skill-folder-format] the description has 1025 characters, and the format allows 1024"]),
        ("---\nname: pdf\ndescription: d\nversion: 1\n---\n", ["4:10: warning[lua/skill-folder-format] the format has no field `version`"]),
        ("---\nname: pdf\nname: x\ndescription: d\n---\n", ["3:1: warning[lua/skill-folder-format] `name` is there twice; the first counts", "3:1: warning[lua/skill-folder-format] strict programs cannot read this: the key `name` is there twice"]),
        ("---\nname: pdf\ndescription: Use when: asked\n---\n", ["3:22: warning[lua/skill-folder-format] strict programs cannot read this: a text with `: ` in it needs quotes"]),
        ("---\nname: pdf\ndescription: d\nallowed-tools: [a]\n---\n", ["4:16: warning[lua/skill-folder-format] strict programs take no `[` here"]),
        ("---\nname: pdf\ndescription: a --- b\n---\n", ["3:16: warning[lua/skill-folder-format] strict programs end the head at this `---`"]),
    ],
)  # fmt: skip
def test_a_skill_md_is_read_leniently_with_places(
    lua: Lua, write_project: WriteProject, text: str, expected: list[str]
) -> None:
    root = write_project({**FILES, "skills/pdf/SKILL.md": text})
    done = lua("compile", "--check", "--format", "concise", cwd=root)
    assert said(done) == [f"skills/pdf/SKILL.md:{line}" for line in expected]
    assert done.exit_code == (1 if "error" in expected[0] else 0)


def test_bytes_that_are_no_text(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    (root / "skills/pdf/SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    done = lua("compile", "--check", "--format", "concise", cwd=root)
    assert said(done) == [
        "skills/pdf/SKILL.md:2:7: error[lua/skill-folder] the file is not UTF-8: byte 10 cannot be decoded"
    ]


def test_nothing_of_the_project_runs_to_read_it(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({**FILES, "agent.py": AGENT + "open('ran', 'w').close()\n"})
    assert lua("compile", "--check", cwd=root).exit_code == 0
    assert not (root / "ran").exists()


@pytest.mark.parametrize("again", ["in-process", "at-once"])
def test_every_change_of_the_folder_is_noticed(
    lua: Lua, write_project: WriteProject, lua_process: Callable[..., Any], again: str
) -> None:
    root = write_project(FILES)
    for path in (root, *root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))

    def compiled() -> str:
        command = lua if again == "in-process" else lua_process
        for _ in range(2):  # the second time from memory
            done = command("compile", "--json", cwd=root)
            assert done.exit_code == 0
        return str(json.loads(done.stdout)["skills"][0]["digest"])

    seen = [compiled()]
    (root / "skills/pdf/SKILL.md").write_text(SKILL.replace("Split", "Cut"), "utf-8")
    seen.append(compiled())
    (root / "skills/pdf/assets").mkdir()
    (root / "skills/pdf/assets/logo.svg").write_text("<svg/>", "utf-8")
    seen.append(compiled())
    assert "skills/pdf/assets/logo.svg" in member_names(root)
    (root / "skills/pdf/scripts/split.py").unlink()
    seen.append(compiled())
    assert len(set(seen)) == 4


def test_the_model_loads_it_and_its_files_on_demand(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    (root / "skills/pdf/logo.png").write_bytes(b"\x89PNG\xff")
    shown = lua("prompt", "--json", cwd=root)
    prompt = json.loads(shown.stdout)
    assert "- pdf: Split and merge PDF files. Use when the customer sends one." in prompt["system"]
    assert "# PDF" not in prompt["system"]
    (load,) = prompt["tools"]
    assert list(load["inputSchema"]["properties"]) == ["name", "file"]
    asked = [{}, {"file": "references/forms.md"}, {"file": "logo.png"}, {"file": "form.md"}, {"file": "../agent.py"}]
    calls = [{"name": "load_skill", "arguments": {"name": "pdf", **more}} for more in asked]
    (root / "s.json").write_text(json.dumps([{"toolCalls": calls}, {"text": "done"}]), "utf-8")
    done = lua("chat", "--ci", "-m", "hello", "--model", "scripted:s.json", "--json", cwd=root)
    tools = [entry for entry in json.loads(done.stdout)["transcript"] if entry["type"] == "tool"]
    assert tools[0]["result"] == (
        "# PDF\n\nRead `references/forms.md`.\n\n"
        "Files of this skill, which load_skill gives as `file`:\n- logo.png\n- references/forms.md\n- scripts/split.py"
    )
    assert tools[1]["result"] == "# Forms\n"
    assert [tool["error"]["type"] for tool in tools[2:]] == ["no-text", "not-found", "not-found"]
    assert tools[3]["error"]["message"].startswith("the skill pdf has no file 'form.md'; ")
    ended = lua(
        "mcp",
        cwd=root,
        stdin=b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_skill","arguments":{"name":"pdf","file":"references/forms.md"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}\n',
    )
    assert json.loads(ended.stdout)["result"]["content"][0]["text"] == "# Forms\n"


TOOLED = """\
from pathlib import Path

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Split(LuaTool):
    name = "split_pdf"
    description = "Split a PDF file into pages. Use when the customer wants single pages."
    input_schema = {"type": "object", "properties": {}}

    def execute(self, input):
        return (Path(__file__).parent / "skills/pdf/references/forms.md").read_text()


def is_open():
    return pdf.name == "pdf"


pdf = LuaSkill.from_folder("skills/pdf", context="Be brief.", tools=[Split()], condition=is_open)
agent = LuaAgent(name="acme", persona="You help.", skills=[pdf])
"""


@pytest.mark.parametrize("entry", ["agent.py", "src/agent.py"])
def test_with_tools_a_context_and_a_condition(lua: Lua, write_project: WriteProject, entry: str) -> None:
    """Also from another import root: in the artifact the folder is found where the archive has it."""
    text = TOOLED if entry == "agent.py" else TOOLED.replace('"skills/pdf",', '"../skills/pdf",').replace(
        '(Path(__file__).parent / "skills/pdf/references/forms.md").read_text()', '"# Forms\\n"'
    )  # fmt: skip
    root = write_project({**FOLDER, entry: text})
    done = lua("test", "skill", "--name", "split_pdf", "--input", "{}", cwd=root)
    assert (done.exit_code, done.stdout) == (0, '"# Forms\\n"\n'), done.stderr
    (root / "user.json").write_text('{"id": "ada", "data": {}}', "utf-8")
    gates = json.loads(lua("gates", "--users", "user.json", "--json", cwd=root).stdout)
    assert [gate["open"] for gate in gates["users"][0]["gates"]] == [True, True]
    prompt = json.loads(lua("prompt", "--json", cwd=root).stdout)
    assert prompt["system"].startswith("You help.\n\nBe brief.\n\nSkills you can load.")
    assert [tool["name"] for tool in prompt["tools"]] == ["split_pdf", "load_skill"]
    assert lua("export", "agent-skill", cwd=root).exit_code == 0
    assert validate(root / "agent-skills/pdf") == []
    out = (root / "agent-skills/pdf/SKILL.md").read_text("utf-8")
    assert out.startswith(SKILL.partition("# PDF")[0] + "\nBe brief.\n\n## Tools\n\n- `split_pdf`: ")
    assert out.endswith("# PDF\n\nRead `references/forms.md`.\n")
    assert (root / "agent-skills/pdf/references/tools.json").is_file()


def test_export_gives_the_folder_back(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    (root / "skills/pdf/logo.png").write_bytes(b"\x89PNG\r\n\xff")
    assert lua("export", "agent-skill", "--output", "out", cwd=root).exit_code == 0
    assert validate(root / "out/pdf") == []

    def files(folder: Path) -> dict[str, bytes]:
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert files(root / "out/pdf") == files(root / "skills/pdf")


@pytest.mark.parametrize(
    "head",
    [
        "name: PDF Files\ndescription: Use when: asked --- often\nlicense: MIT",
        "name: pdf\ndescription: d\nversion: 1\nlicense: MIT",
        "name: pdf\ndescription: d\nmetadata: {a: b}",
        "description: >\n  A\n  b",
    ],
)
def test_export_mends_what_the_format_does_not_allow(lua: Lua, write_project: WriteProject, head: str) -> None:
    root = write_project({**FILES, "skills/pdf/SKILL.md": f"---\n{head}\n---\n# PDF\n"})
    done = lua("export", "agent-skill", "--json", cwd=root)
    (skill,) = json.loads(done.stdout)["skills"]
    assert validate(root / skill["path"]) == []
    text = (root / skill["path"] / "SKILL.md").read_text("utf-8")
    assert text.endswith("\n# PDF\n")
    assert ("license: MIT" in text) == ("license" in head)


def test_it_is_pushed_and_comes_back(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    done = lua("push", "skill", "--name", "pdf", "--ci", "--force", cwd=root)
    assert done.exit_code == 0, done.stderr
    assert lua("push", "skill", "--name", "pdf", "--ci", "--force", "--json", cwd=root).exit_code == 0
    pulled = lua("skills", "pull", "pdf", cwd=root)
    assert pulled.exit_code == 0, pulled.stderr
