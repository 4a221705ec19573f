"""Plays the conversations of cases. In: a case, how to open its agent and its model. Out: a CaseResult. A script is
played once; a real model as often as asked, and the share of good runs counts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import AuthError, LuaError, ProviderError, UnavailableError
from lua_cli.records import record
from lua_cli.runtime.cases import CaseResult
from lua_cli.runtime.masking import masker
from lua_cli.runtime.model import RunResult
from lua_cli.runtime.models.scripted import Scripted
from lua_cli.runtime.recording import write_recording
from lua_cli.runtime.tally import Run, Tally
from lua_cli.runtime.turncase import turn_differences
from lua_cli.runtime.turns import Entry, Model, Outcome, Reply, Request, Rules
from lua_cli.runtime.unused import turns_left

if TYPE_CHECKING:
    from lua_cli.runtime.agents import PythonConversation
    from lua_cli.runtime.casefile import Case
    from lua_cli.runtime.turns.model import OnText


@record(frozen=True)
class Players:
    """How cases are played: `talk` opens a conversation, `check` raises LuaError for what the case says of things that
    its agent does not have, `model` names the model of a case without a script.

    runs, min_pass  how often a real model is asked, and which share of the runs must be good
    record          ask a real model where the script is a file, and write that file
    """

    talk: Callable[[Case], PythonConversation]
    check: Callable[[Case], None]
    model: Callable[[str | None], Model]
    runs: int = 1
    min_pass: float = 1.0
    record: bool = False


class _NoModelError(Exception):
    """The model of a case cannot be opened."""

    def __init__(self, error: LuaError) -> None:
        super().__init__(error.message)
        self.error = error


def play_case(case: Case, players: Players) -> CaseResult:
    """Play a case. Whatever goes wrong is its result."""
    begun = time.monotonic()
    scripted = case.turns is not None and case.turns.script is not None and not _records(case, players)
    asked = 1 if scripted or players.record else players.runs
    runs: list[Run] = []
    message: str | None
    try:
        runs = _runs(case, players, asked)
        tally = Tally(runs, asked, players.min_pass)
        message, unreached = tally.message, tally.unreached
    except LuaError as error:
        message, unreached = f"{error.message}" + (f" ({error.hint})" if error.hint else ""), None
    shown = next((run for run in runs if run.found), runs[-1] if runs else Run())
    spent = round((time.monotonic() - begun) * 1000)
    counts = tally.document() if runs and not scripted else None
    return CaseResult(case, RunResult(case.tool, shown.answer, None, spent, shown.logs), message, unreached, counts)


def _runs(case: Case, players: Players, asked: int) -> list[Run]:
    """The runs; no more of them when there is no model to ask."""
    runs: list[Run] = []
    try:
        while len(runs) < asked:
            runs.append(_play(case, players))
    except _NoModelError as none:
        runs.append(Run(lost=none.error))
    return runs


def _records(case: Case, players: Players) -> bool:
    return players.record and case.turns is not None and isinstance(case.turns.script, Path)


def _play(case: Case, players: Players) -> Run:
    turns = case.turns
    assert turns is not None  # noqa: S101  # only conversations come here
    run = Run()
    entries: list[Entry] = []
    players.check(case)
    with players.talk(case) as talk:
        model = _model(case, players, talk.model)
        outcome: Outcome | None = None
        try:
            for text in turns.say:
                outcome = talk.say(text, model, Rules(on_entry=entries.append))
                if outcome.status != "answered":
                    break
        except (AuthError, UnavailableError, ProviderError) as error:
            return Run(lost=error)
        if isinstance(model, _Recorder):
            model.write()
        heard = _heard(case, talk)
    if outcome is not None:
        run.answer = outcome.answer
        run.found = [*heard, *turn_differences(turns.wanted, entries, outcome.status, outcome.answer)]
    if isinstance(model, Scripted):
        run.found = run.found or list(turns_left(model.script))
    run.logs = _logs(entries)
    return run


def _heard(case: Case, talk: PythonConversation) -> list[str]:
    """Requests over HTTP that the case has no answer for; what was recorded is written."""
    http = talk.http()
    if http.get("recorded") and case.http is not None and case.http.file is not None:
        write_recording(case.http.file, http["recorded"], masker(talk.values()))
    return [f"no exchange of the case's `http` fits {request}" for request in list(http.get("unmatched") or ())[:1]]


def _model(case: Case, players: Players, agents: str | None) -> Model:
    from lua_cli.runtime.models.scripted import read_script
    from lua_cli.sdk.scripted import ScriptedModel

    script = case.turns.script if case.turns is not None else None
    if isinstance(script, Path):
        return _Recorder(_opened(players, agents), script) if players.record else Scripted(read_script(script))
    return _opened(players, agents) if script is None else Scripted(ScriptedModel(script))


def _opened(players: Players, agents: str | None) -> Model:
    try:
        return players.model(agents)
    except LuaError as error:
        raise _NoModelError(error) from error


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
