"""The reading of record: what libcst says of the statements that the product judges.

In: an abstract import that has ended on `ast`'s facts. Out: the modules whose facts libcst reads differently, with its
reading in their place; the caller runs the import again with them. The statements are those of the classes in the
chains of registered tools, of flow tools (`calls`), of skills and agents, and of the lists that they are registered
in. The two readings are the same on all code that is known (a test keeps them so); where they are not, it is libcst's
that is judged, since fixes rewrite what it reads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.analysis.values import ClassValue, ModuleValue, Where
from lua_cli.records import record
from lua_cli.source import ModuleLocation, SourceError, SourceIndex, ir
from lua_cli.source.grafting import grafted, is_fit, pruned
from lua_cli.source.readings import Statements

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine


@record(frozen=True)
class _Question:
    """Statements of one module that libcst is to read. `which` are their numbers, in words."""

    location: ModuleLocation
    path: Path
    which: str


def ask(machine: Machine, used: list[ClassValue], calls: list[Where]) -> Callable[[], dict[str, ir.ModuleFacts]]:
    """Have libcst read what is judged, as far as it is not known to agree. Gives what waits for it: the facts of
    modules (by dotted name) in which it reads a judged statement differently.
    """
    lines = _judged_lines(machine, used, calls)
    index = machine.index  # the machine is gone when the answer comes
    questions: list[_Question] = []

    def statements() -> Iterator[Statements]:
        for module in machine.importer.modules.values():
            path = module.location.path
            if path in lines and path is not None and module.location.origin == "first-party":
                asked = _question(machine, module, path, lines[path])
                if asked is not None:
                    questions.append(asked[0])
                    yield asked[1]

    wait = index.differing(statements())

    def differences() -> dict[str, ir.ModuleFacts]:
        found: dict[str, ir.ModuleFacts] = {}
        for question, readings in zip(questions, wait(), strict=True) if questions else ():
            facts = _different(index, question, readings)
            if facts is not None:
                found[question.location.dotted] = facts
        return found

    return differences


def _judged_lines(machine: Machine, used: list[ClassValue], calls: list[Where]) -> dict[Path, set[int]]:
    """The lines, by file, on which something judged stands."""
    out: dict[Path, set[int]] = {}
    places = [*calls, *(one.where for cls in used for one in cls.known_chain())]
    for skill in machine.skills:
        places += [skill.site.where, *(item.where for item in skill.tools.items)]
    for agent in machine.agents:
        places += [agent.site.where, *(item.where for item in agent.skills.items)]
    for where in places:
        if where is not None and not machine.is_lazy(where.path):
            out.setdefault(where.path, set()).add(where.span[0])
    return out


def _question(
    machine: Machine, module: ModuleValue, path: Path, wanted: set[int]
) -> tuple[_Question, Statements] | None:
    """What is to be asked of a module, and its statements; None where both are known to read it alike."""
    try:
        facts = machine.facts(module)
        lines = machine.index.lines(path)
    except SourceError:
        return None
    starts = [statement.span[0] for statement in facts.body]
    chosen = sorted({bisect_right(starts, line) - 1 for line in wanted} - {-1})
    which = " ".join(map(str, chosen))
    if machine.index.agreed(path, which):
        return None
    statements: dict[int, tuple[str, ir.Stmt]] = {}
    for at in chosen:
        statement = facts.body[at]
        if not isinstance(statement, ir.Import | ir.FromImport | ir.Function):
            text = pruned(statement, lines)
            if is_fit(statement, len(text)):
                statements[at] = text, statement
    return _Question(module.location, path, which), statements


def _different(index: SourceIndex, question: _Question, readings: dict[int, ir.Stmt]) -> ir.ModuleFacts | None:
    """The module's facts with libcst's reading of the statements that it reads differently; None without such."""
    if not readings:
        index.agree(question.path, question.which)
        return None
    facts = index.facts(question.location)
    body = list(facts.body)
    for at, reading in readings.items():
        body[at] = grafted(reading, facts.body[at], facts.body[at].span)
    return ir.ModuleFacts(tuple(body), facts.rebinds)
