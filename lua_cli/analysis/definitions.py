"""What most modules bind most: plain functions and imports. In: a `def` that does nothing but bind its name, a name
that is imported. Out: what looks like a `Binding` and weighs less.

Of the functions of a module most are called by other functions alone, so that nobody asks for them: they are made when
somebody does. With their places they would weigh more than all else that is known of a module (docs/performance.md).
Where something is imported is hardly ever asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from lua_cli.analysis.effects import walk
from lua_cli.analysis.values import Where
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine
    from lua_cli.analysis.scopes import Frame
    from lua_cli.analysis.values import Binding, Value


def defined(machine: Machine, frame: Frame, node: ir.Function) -> Binding:
    """What the `def` of a plain function (`ir.Function`) binds its name to."""
    module = frame.module
    if module.code is None:
        module.code = ModuleCode(machine, frame)
    return cast("Binding", Definition(module.code, node.span[0]))


def is_put_off(binding: object) -> bool:
    """Whether asking for the value would make it, perhaps for nothing."""
    return isinstance(binding, Definition)


class ModuleCode:
    """The plain functions of a module by the line of their `def`. The code is read again at the first question."""

    __slots__ = ("_frame", "_machine", "_nodes")

    def __init__(self, machine: Machine, frame: Frame) -> None:
        self._machine, self._frame = machine, frame
        self._nodes: dict[int, ir.Function] | None = None

    def function(self, line: int) -> tuple[Value, Where]:
        """The function whose `def` stands on that line, and the place of its name."""
        if self._nodes is None:
            body = self._machine.facts(self._frame.module).body
            nodes = (node for node in walk(body, functions=True) if isinstance(node, ir.Function))
            self._nodes = {node.span[0]: node for node in nodes}  # a line that is continued can start anywhere
        node = self._nodes[line]
        return self._machine.evaluator.function(node, self._frame), self._frame.where(node.name_span)


class Definition:
    """A `Binding`, as far as anybody can see."""

    __slots__ = ("_held", "_line")

    kind: Literal["def"] = "def"
    computed = ""

    def __init__(self, code: ModuleCode, line: int) -> None:
        self._held: ModuleCode | tuple[Value, Where] = code
        self._line = line

    @property
    def value(self) -> Value:
        return self._made()[0]

    @property
    def where(self) -> Where:
        return self._made()[1]

    def _made(self) -> tuple[Value, Where]:
        held = self._held
        if isinstance(held, ModuleCode):
            held = self._held = held.function(self._line)
        return held


def imported(value: Value, where: Where) -> Binding:
    """What an import binds a name to."""
    return cast("Binding", Imported(value, where))


class Imported:
    """A `Binding`, as far as anybody can see: with its place in it, which is half of what the two weigh."""

    __slots__ = ("_column", "_end_column", "_end_line", "_line", "_path", "value")

    kind: Literal["import"] = "import"
    computed = ""

    def __init__(self, value: Value, where: Where) -> None:
        self.value, self._path = value, where.path
        self._line, self._column, self._end_line, self._end_column = where.span

    @property
    def where(self) -> Where:
        return Where(self._path, (self._line, self._column, self._end_line, self._end_column))
