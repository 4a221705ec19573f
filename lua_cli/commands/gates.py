"""`lua gates`: what conditions say, for each user: a matrix of users and tools, with times and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.agents import BUDGET, AgentName, Budget, Where
from lua_cli.errors import EXIT_OK

if TYPE_CHECKING:
    from lua_cli.runtime.state import EndUser
    from lua_cli.runtime.turns import Gate


def gates_command(
    users: Annotated[
        list[Path] | None,
        typer.Option("--users", "--user", metavar="FILE", help='An end user: {"id": …, "data": {…}}; again for more.'),
    ] = None,
    agent: AgentName = None,
    gate_timeout: Budget = BUDGET,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Print which tools each user would be offered, and why not."""
    from lua_cli.commands.agents import Agents
    from lua_cli.commands.session import print_json, project, say
    from lua_cli.runtime.state import read_user

    where = Where(budget=gate_timeout).checked()
    known: list[EndUser | None] = [read_user(path) for path in users or ()]
    agents = Agents(project())
    facts = agents.named(agent)
    columns: list[tuple[str, tuple[Gate, ...]]] = []
    for user in known or [None]:
        with agents.talk(facts, where, user=user) as talk:
            columns.append((user.id if user is not None else "(nobody)", talk.gates()))
    if as_json:
        shown = [
            {"user": name if known else None, "gates": [_record(gate) for gate in gates]} for name, gates in columns
        ]
        print_json({"ok": True, "agent": facts.name, "users": shown})
        return EXIT_OK
    say("\n".join(matrix_lines(columns)))
    return EXIT_OK


def gate_lines(gates: Iterable[Gate]) -> list[str]:
    """One line for each skill and tool."""
    return [_line(gate) for gate in gates]


def matrix_lines(columns: Sequence[tuple[str, Sequence[Gate]]]) -> list[str]:
    """The matrix, and below it a line for everything that is left out."""
    rows = columns[0][1]
    names = [_label(gate) for gate in rows]
    width = max([len(name) for name in names], default=0)
    widths = [max(len(user), 12) for user, _ in columns]
    head = " " * width + "".join(f"  {user:<{size}}" for (user, _), size in zip(columns, widths, strict=True))
    lines = [head.rstrip()]
    for number, name in enumerate(names):
        cells = [_cell(gates[number]) for _, gates in columns]
        line = f"{name:<{width}}" + "".join(f"  {cell:<{size}}" for cell, size in zip(cells, widths, strict=True))
        lines.append(line.rstrip())
    closed = [(user, gate) for user, gates in columns for gate in gates if not gate.open]
    return [*lines, *([""] if closed else []), *(f"{user}: {_line(gate)}" for user, gate in closed)]


def _label(gate: Gate) -> str:
    return f"skill {gate.name}" if gate.kind == "skill" else f"  {gate.name}"


def _cell(gate: Gate) -> str:
    mark = "yes" if gate.open else "no"
    return f"{mark} {gate.duration_ms} ms" if gate.asked else mark


def _line(gate: Gate) -> str:
    if gate.open:
        return f"{gate.kind} {gate.name}: offered" + ("" if gate.asked else ", no condition")
    return f"{gate.kind} {gate.name}: left out: {gate.reason}"


def _record(gate: Gate) -> dict[str, Any]:
    record: dict[str, Any] = {"kind": gate.kind, "name": gate.name, "skill": gate.skill, "open": gate.open}
    return {**record, "reason": gate.reason, "asked": gate.asked, "durationMs": gate.duration_ms}
