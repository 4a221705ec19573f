"""One skill in a conversation. In: its artifact. Out: what its conditions say, what its tools return. The child is
started when it is needed first; one that was lost (a time limit, a crash) is started anew, and its tools with it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.bundle import unpack
from lua_cli.child.environment import declared_values
from lua_cli.records import record, replace
from lua_cli.runtime.masking import masker
from lua_cli.runtime.outcome import Wording, result_of
from lua_cli.runtime.running import order_of, run_tool
from lua_cli.runtime.sources import SourceNames
from lua_cli.runtime.turns.cancellation import Cancellation
from lua_cli.runtime.turns.model import CALL_ID, ToolError, ToolResult

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.child.launch import Ended, Order
    from lua_cli.child.talk import Talk
    from lua_cli.runtime.model import RunOptions, RunResult

OWN = ""  # the name of the skill's own condition among those of its tools


@record(frozen=True)
class Answer:
    """What a condition said."""

    open: bool
    reason: str
    duration_ms: int


class SkillChild:
    """A skill's child process over a conversation. Used by one thread at a time, `stop` apart."""

    def __init__(self, opened: OpenedArtifact, options: RunOptions) -> None:
        self.opened, self._options = opened, options
        self.manifest: Mapping[str, Any] = opened.manifest
        self._talk: Talk | None = None
        self._cancellation = Cancellation()
        self._order: Order | None = None
        self.recorded: list[Any] = []
        self.unmatched: list[str] = []

    @property
    def name(self) -> str:
        return self.opened.skill

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of what has a condition: its tools, and `OWN`."""
        own = (OWN,) if self.manifest["skill"]["hasCondition"] else ()
        return own + tuple(tool["name"] for tool in self.manifest["tools"] if tool["hasCondition"])

    def ask(self, names: Sequence[str], budget: float) -> dict[str, Answer]:
        """What the conditions say, each within `budget` seconds; all at once."""
        answers: dict[str, Answer] = {}
        while left := [name for name in names if name not in answers]:
            said = self._started().do({"do": "ask", "which": left, "budget": budget}, budget, waits=True)
            for letter, body in said.ended.frames:
                if letter == "C":
                    answers[body["name"]] = Answer(body["open"], self._wording().clean(body["reason"]), body["ms"])
            self._hear(said.ended.first("H"))
            result = said.ended.first("R")
            if not said.alive or result["hung"]:
                self.close()
            if result is None or not result["hung"]:  # with a blocked loop, those that it held up are asked anew
                lost = _lost(said.ended, budget)
                answers |= {name: lost for name in left if name not in answers}
        return answers

    def call(self, name: str, arguments: Mapping[str, Any], *, voice: bool = False) -> ToolResult:
        """Call a tool, on a voice session or not. Whatever becomes of it is a result."""
        timeout = self._options.timeout
        if any(tool["name"] == name and "flow" in tool for tool in self.manifest["tools"]):
            self._cancellation.renew()
            options = replace(self._options, watch=self._cancellation.when_cancelled)
            found = run_tool(self.opened, name, json.dumps(arguments), options)
            self._hear(found.http)
            return _tool_result(found)
        command = {"do": "call", "tool": name, "input": json.dumps(arguments), "timeout": timeout}
        command["voice"] = CALL_ID.get() if voice else None
        said = self._started().do(command, timeout)
        result = result_of(said.ended, self._wording(name, arguments))
        self._hear(result.http)
        if not said.alive:
            self.close()
        clean = self._wording().clean
        heard = tuple(clean(body["text"]) for letter, body in said.ended.frames if letter == "V")
        return replace(_tool_result(result), said=heard)

    def stop(self) -> None:
        """End what is going on, from any thread."""
        self._cancellation.cancel()
        talk = self._talk
        if talk is not None:
            talk.stop()

    def close(self) -> None:
        """End the child, and remove its folder. Again and again."""
        talk, order = self._talk, self._order
        self._talk = self._order = None
        if talk is not None:
            talk.close()
        if order is not None:
            shutil.rmtree(order.folder, ignore_errors=True)

    def _started(self) -> Talk:
        if self._talk is None:
            from lua_cli.child.talk import Talk

            classes = [tool for tool in self.manifest["tools"] if "flow" not in tool]
            tools = {tool["name"]: [tool["module"], tool["qualname"]] for tool in classes}
            entry = self.manifest["skill"]["condition"]
            condition = entry and [entry["module"], entry["attribute"]]
            body = {"do": "converse", "tools": tools, "condition": condition, "http": self._options.http}
            folder = unpack(self.opened, self._options.cache).resolve()
            self._order = order_of(folder, lambda: body, self.values(), self._options, self._options.timeout)
            self._talk = Talk(self._order)
        return self._talk

    def _hear(self, http: Mapping[str, Any] | None) -> None:
        if http:
            self.recorded += http["recorded"]
            self.unmatched += http["unmatched"]

    def values(self) -> dict[str, str]:
        """The variables that its tools see."""
        options = self._options
        return declared_values(
            self.manifest["env"], options.project, env_file=options.env_file, first=options.env
        )  # fmt: skip

    def _wording(self, tool: str = "", value: Any = None) -> Wording:
        options = self._options
        folder = str((options.cache / self.opened.digest.removeprefix("sha256:")).resolve())
        names = SourceNames(self.opened.files, options.project, options.roots)
        return Wording(tool, masker(self.values()), names, options.timeout, options.limits, folder, value)


def _lost(ended: Ended, budget: float) -> Answer:
    """What is said for conditions that never answered, with their process."""
    if ended.timed_out:
        return Answer(False, f"no answer within {budget:g} seconds", round(budget * 1000))
    code = ended.exit_code
    how = "ended" if code is None else f"was killed by signal {-code}" if code < 0 else f"ended with exit({code})"
    return Answer(False, f"the skill's process {how} meanwhile", round(ended.seconds * 1000))


def _tool_result(result: RunResult) -> ToolResult:
    error = result.error
    if error is None:
        return ToolResult(result.output, logs=result.logs)
    errors = tuple({"path": fault.path, "message": fault.message} for fault in error.errors)
    logs = result.logs + (f"{error.traceback}\n" if error.traceback else "")
    return ToolResult(error=ToolError(error.type, error.message, error.path, errors), logs=logs)
