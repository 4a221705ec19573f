"""Agents from text, compiled by the real compiler: what the tests of conversations work on."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lua_cli.bundle import OpenedArtifact
from lua_cli.pipeline import compile_project
from lua_cli.pipeline.agents import python_agents
from lua_cli.project import open_project
from lua_cli.runtime import RunOptions
from lua_cli.runtime.agents import PythonConversation, Setting
from lua_cli.runtime.models.scripted import Scripted
from lua_cli.runtime.state import EndUser, State
from lua_cli.runtime.turns import Outcome, Rules
from lua_cli.sdk import ScriptedModel

WriteProject = Callable[[Mapping[str, str]], Path]


class Stage:
    """A compiled project whose first agent can be talked with."""

    def __init__(self, root: Path) -> None:
        self.root = root
        project = open_project(root, explicit=True)
        compiled = compile_project(project)
        assert compiled.ok, compiled.document["diagnostics"]
        self.artifacts: dict[str, OpenedArtifact] = {name: built.open() for name, built in compiled.artifacts.items()}
        (self.agent,) = python_agents(project)
        self._project = project

    def talk(
        self,
        *,
        user: EndUser | None = None,
        channel: str = "text",
        budget: float = 30.0,
        timeout: float = 30.0,
        database: Path | None = None,
    ) -> PythonConversation:
        options = RunOptions(
            interpreter=self._project.interpreter.executable,
            cache=self.root / ".lua/cache/unpacked",
            project=self.root,
            roots=self._project.import_roots,
            timeout=timeout,
            state=State(user, database),
        )
        return PythonConversation(self.agent, self.artifacts, Setting(options, channel, budget))


def staged(write_project: WriteProject, agent: str, **files: str) -> Stage:
    """A project whose entry file is `agent`; `files` by module name."""
    texts = {f"{name}.py": textwrap.dedent(text) for name, text in files.items()}
    return Stage(write_project({"agent.py": textwrap.dedent(agent), **texts}))


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"toolCalls": [{"name": tool, "arguments": arguments}]}


def say(
    talk: PythonConversation, *turns: Mapping[str, Any], text: str = "hello", **rules: Any
) -> tuple[Outcome, ScriptedModel]:
    script = ScriptedModel(turns)
    return talk.say(text, Scripted(script), Rules(**rules)), script


def results(outcome: Outcome) -> list[Any]:
    """What the tools of a turn gave: outputs, and the messages of errors."""
    tools = [entry.facts for entry in outcome.transcript if entry.kind == "tool"]
    return [facts["result"] if "result" in facts else facts["error"]["message"] for facts in tools]
