"""The reading of record: what libcst says of the statements that the product judges.

In: an abstract import that has ended on `ast`'s facts. Out: the modules whose facts libcst reads differently, with its
reading in their place; the caller runs the import again with them. The statements are those of the classes in the
chains of registered tools, of flow tools (`calls`), of skills and agents, and of the lists that they are registered
in. The two readings are the same on all code that is known (a test keeps them so); where they are not, it is libcst's
that is judged, since fixes rewrite what it reads.
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.analysis.values import ClassValue, ModuleValue, Where
from lua_cli.source import SourceError, ir
from lua_cli.source.grafting import equal, grafted, is_fit, pruned

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine


def differences(machine: Machine, used: list[ClassValue], calls: list[Where]) -> dict[str, ir.ModuleFacts]:
    """Facts of modules (by dotted name) in which libcst reads a judged statement differently."""
    out: dict[str, ir.ModuleFacts] = {}
    lines = _judged_lines(machine, used, calls)
    for module in machine.importer.modules.values():
        path = module.location.path
        if path in lines and module.location.origin == "first-party":
            facts = _read(machine, module, lines[path])
            if facts is not None:
                out[module.dotted] = facts
    return out


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


def _read(machine: Machine, module: ModuleValue, wanted: set[int]) -> ir.ModuleFacts | None:
    """The module's facts with libcst's reading of the judged statements; None when that is the same."""
    try:
        facts = machine.facts(module)
        lines = machine.index.lines(module.location.path or "")
    except SourceError:
        return None
    starts = [statement.span[0] for statement in facts.body]
    chosen = sorted({bisect_right(starts, line) - 1 for line in wanted} - {-1})
    path, which = module.location.path, " ".join(map(str, chosen))
    if path is not None and machine.index.agreed(path, which):
        return None
    texts: dict[int, str] = {}
    for at in chosen:
        statement = facts.body[at]
        if not isinstance(statement, ir.Import | ir.FromImport | ir.Function):
            text = pruned(statement, lines)
            if is_fit(statement, len(text)):
                texts[at] = text
    readings = _readings(texts)
    if all(equal(reading, facts.body[at]) for at, reading in readings.items()):
        if path is not None:
            machine.index.agree(path, which)
        return None
    body = list(facts.body)
    for at, reading in readings.items():
        body[at] = grafted(reading, facts.body[at], facts.body[at].span)
    return ir.ModuleFacts(tuple(body), facts.rebinds)


def _readings(texts: dict[int, str]) -> dict[int, ir.Stmt]:
    """libcst's readings: all in one parse, one by one where that is not to be had. What it cannot read stays with
    `ast`."""
    from lua_cli.source.cst import UnreadableError, read  # libcst: only where something is not known yet

    try:
        together = read("\n".join(texts.values()))
        if len(together) == len(texts):
            return dict(zip(texts, together, strict=True))
    except UnreadableError:
        pass
    out: dict[int, ir.Stmt] = {}
    for at, text in texts.items():
        try:
            reading = read(text)
        except UnreadableError:
            continue
        if len(reading) == 1:
            out[at] = reading[0]
    return out
