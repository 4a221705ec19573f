"""Plays the conversations of cases. In: a case, how to open its agent and its model. Out: a CaseResult. A script is
played once; a real model as often as asked, and the share of good runs counts.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import AuthError, LuaError, ProviderError, UnavailableError
from lua_cli.runtime.cases import CaseResult
from lua_cli.runtime.model import RunResult
from lua_cli.runtime.turncase import turn_differences
from lua_cli.runtime.turns import Entry, Model, Outcome, Reply, Request, Rules

if TYPE_CHECKING:
    from lua_cli.runtime.agents import PythonConversation
    from lua_cli.runtime.casefile import Case
    from lua_cli.runtime.turns.model import OnText

_Z = 1.96  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Players:
    """How cases are played: `talk` opens a conversation, `model` names the model of a case without a script.

    runs, min_pass  how often a real model is asked, and which share of the runs must be good
    record          ask a real model where the script is a file, and write that file
    """

    talk: Callable[[Case], PythonConversation]
    model: Callable[[str | None], Model]
    runs: int = 1
    min_pass: float = 1.0
    record: bool = False


@dataclass(slots=True)
class _Run:
    """One run: what differs; `lost` when the model could not be reached."""

    found: list[str] = field(default_factory=list)
    lost: str = ""
    answer: str = ""
    logs: str = ""


def play_case(case: Case, players: Players) -> CaseResult:
    """Play a case. Whatever goes wrong is its result."""
    begun = time.monotonic()
    scripted = case.turns is not None and case.turns.script is not None and not _records(case, players)
    runs: list[_Run] = []
    message: str | None
    try:
        runs = [_play(case, players) for _ in range(1 if scripted or players.record else players.runs)]
        message = _verdict(runs, players.min_pass)
    except LuaError as error:
        message = f"{error.message}" + (f" ({error.hint})" if error.hint else "")
    shown = next((run for run in runs if run.found), runs[-1] if runs else _Run())
    spent = round((time.monotonic() - begun) * 1000)
    return CaseResult(case, RunResult(case.tool, shown.answer, None, spent, shown.logs), message)


def _records(case: Case, players: Players) -> bool:
    return players.record and case.turns is not None and isinstance(case.turns.script, Path)


def _play(case: Case, players: Players) -> _Run:
    turns = case.turns
    assert turns is not None  # noqa: S101  # only conversations come here
    run = _Run()
    entries: list[Entry] = []
    with players.talk(case) as talk:
        model = _model(case, players, talk.model)
        outcome: Outcome | None = None
        try:
            for text in turns.say:
                outcome = talk.say(text, model, Rules(on_entry=entries.append))
                if outcome.status != "answered":
                    break
        except (AuthError, UnavailableError, ProviderError) as error:
            return _Run(lost=error.message)
        if isinstance(model, _Recorder):
            model.write()
    if outcome is not None:
        run.answer = outcome.answer
        run.found = list(turn_differences(turns.wanted, entries, outcome.status, outcome.answer))
    run.logs = _logs(entries)
    return run


def _model(case: Case, players: Players, agents: str | None) -> Model:
    from lua_cli.runtime.models.scripted import Scripted, read_script
    from lua_cli.sdk.scripted import ScriptedModel

    script = case.turns.script if case.turns is not None else None
    if isinstance(script, Path):
        return _Recorder(players.model(agents), script) if players.record else Scripted(read_script(script))
    return players.model(agents) if script is None else Scripted(ScriptedModel(script))


class _Recorder:
    """A model whose answers are kept as a script."""

    def __init__(self, model: Model, path: Path) -> None:
        self._model, self._path = model, path
        self._turns: list[dict[str, Any]] = []

    @property
    def name(self) -> str:
        return self._model.name

    def request(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The model's answer, kept."""
        reply = self._model.request(request, on_text)
        if reply.refusal is not None:
            self._turns.append({"refusal": reply.refusal or True})
        elif reply.calls:
            calls = [{"name": call.name, "arguments": call.arguments} for call in reply.calls]
            self._turns.append({**({"text": reply.text} if reply.text else {}), "toolCalls": calls})
        else:
            self._turns.append({"text": reply.text})
        return reply

    def write(self) -> None:
        """Write the script. Raises LuaError."""
        try:
            text = json.dumps(self._turns, ensure_ascii=False, indent=2)
            self._path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise LuaError(f"cannot write {self._path}: {error.strerror}") from error


def _verdict(runs: Sequence[_Run], min_pass: float) -> str | None:
    """What is wrong with all runs together; None when nothing is."""
    counted = [run for run in runs if not run.lost]
    lost = [run.lost for run in runs if run.lost]
    if not counted:
        return f"no run reached the model: {lost[0]}"
    good = sum(1 for run in counted if not run.found)
    apart = f"; {len(lost)} more did not reach the model ({lost[0]})" if lost else ""
    if good >= min_pass * len(counted):
        return None
    first = next(run for run in counted if run.found)
    if len(runs) == 1:
        return "\n".join(first.found)
    low, high = interval(good, len(counted))
    share = f"{good} of {len(counted)} runs were good (95 % interval {low:.0%} to {high:.0%})"
    return "\n".join([f"{share}, wanted {min_pass:.0%}{apart}", *first.found])


def interval(good: int, runs: int) -> tuple[float, float]:
    """Wilson's interval for the share that `good` of `runs` stands for, at 95 %."""
    share, squared = good / runs, _Z * _Z / runs
    middle = share + squared / 2
    spread = _Z * math.sqrt(share * (1 - share) / runs + squared / (4 * runs))
    return max(0.0, (middle - spread) / (1 + squared)), min(1.0, (middle + spread) / (1 + squared))


def _logs(entries: Sequence[Entry]) -> str:
    lines = []
    for entry in entries:
        if entry.kind == "tool":
            facts = entry.facts
            outcome = f"! {facts['error']['message']}" if "error" in facts else ""
            lines.append(f"{facts['name']} {json.dumps(facts['arguments'], ensure_ascii=False)} {outcome}".rstrip())
        elif entry.kind in ("answer", "refused", "exhausted"):
            lines.append(f"{entry.kind}: {entry.facts.get('text', '')}".rstrip(": "))
    return "\n".join(lines)
