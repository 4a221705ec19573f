"""Scopes of the abstract import, and what is only perhaps so. Plain data with lookups.

In: bindings as statements make them. Out: what a name stands for at that moment, by Python's rules: local names, the
functions around (never the class bodies), the module's names. Built-in names are the evaluator's.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lua_cli.analysis.values import Ambiguous, Binding, Maybe, Unknown, Value, Where, identity
from lua_cli.records import field, record
from lua_cli.source import ir
from lua_cli.source.spans import Span

if TYPE_CHECKING:
    from lua_cli.analysis.values import ClassValue, ListValue, ModuleValue


MAX_CANDIDATES = 200
_NOTHING: Mapping[str, str] = {}


class Flow(Enum):
    """How a block ended."""

    NEXT = "ran to its end"
    RETURN = "returned"
    RAISE = "raised"
    BREAK = "broke out of its loop"
    CONTINUE = "went on with its loop"


@record(eq=False)
class Frame:
    """A scope.

    parent    the scope around it, where names are looked up next
    prefix    what qualified names of things defined here start with: "Orders." or "make.<locals>."
    depth     how many unknown conditions were open when it was made: what happens in it is no more uncertain than the
    frame itself
    returned  what a function has returned so far, and what each return depends on
    method    of a method: the class that has it, and what it is called on
    star      why a star import may have bound names that nothing shows
    yielded   what a generator function has yielded so far
    annotations, docstring   of a class body
    exits     the names at the points where a loop was perhaps left
    rebound   of a module: names that one of its functions declares `global`, with that function's name
    """

    kind: Literal["module", "class", "function"]
    path: Path
    module: ModuleValue
    parent: Frame | None = None
    prefix: str = ""
    depth: int = 0
    names: dict[str, Binding] = field(default_factory=dict)
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    returned: tuple[tuple[Value, Maybe | None], ...] = ()
    method: tuple[ClassValue, Value] | None = None
    function: str = ""
    star: str = ""
    rebound: Mapping[str, str] = _NOTHING
    exits: tuple[dict[str, Binding], ...] = ()
    annotations: dict[str, tuple[ir.Expr, Where]] | None = None
    yielded: ListValue | None = None
    docstring: str | None = None

    def where(self, span: Span) -> Where:
        return Where(self.path, span)

    def lookup(self, name: str) -> Binding | None:
        """The binding in force; None when the name is bound nowhere in the module."""
        frame: Frame | None = self.holder(name)
        first = True
        while frame is not None:
            if (first or frame.kind != "class") and name in frame.names:
                return frame.names[name]
            first = False
            frame = frame.parent
        return None

    def holder(self, name: str) -> Frame:
        """The scope in which an assignment to `name` takes effect."""
        if name in self.globals:
            return self.module.frame
        if name in self.nonlocals:
            frame = self.parent
            while frame is not None:
                if frame.kind == "function" and name in frame.names:
                    return frame
                frame = frame.parent
        return self


@record(eq=False)
class Condition:
    """A test that only a run decides, while one of its branches is executed. `frame`: whose names the branch works on a
    copy of."""

    maybe: Maybe
    frame: Frame


@record(eq=False)
class HandlerScope:
    """A `try` that is being executed: the names of the exceptions that it catches, and what was perhaps raised in
    it."""

    catches: frozenset[str]
    perhaps: list[tuple[Raised, Maybe]] = field(default_factory=list)


class Raised(Exception):  # noqa: N818 (it is the program's exception that is raised, not ours)
    """An exception that the program certainly raises, and that a `try` of it catches. `kinds`: its class's name and its
    bases'."""

    def __init__(self, kinds: frozenset[str], message: str) -> None:
        super().__init__(message)
        self.kinds = kinds


def kinds_of(name: str) -> frozenset[str]:
    """The names by which a built-in exception can be caught."""
    found = getattr(builtins, name)
    return frozenset(one.__name__ for one in found.__mro__)


def joined(branches: list[dict[str, Binding]], maybe: Maybe) -> dict[str, Binding]:
    """The names after branches of which only a run knows which was taken."""
    out: dict[str, Binding] = {}
    for name in dict.fromkeys(name for branch in branches for name in branch):
        found = [branch[name] for branch in branches if name in branch]
        first = found[0]
        if len(found) == len(branches) and all(one is first for one in found):
            out[name] = first
        else:
            partial = len(found) < len(branches)
            out[name] = Binding(either([b.value for b in found], maybe, partial=partial), first.where, first.kind)
    return out


def either(values: list[Value], maybe: Maybe, *, partial: bool = False) -> Value:
    """One of several values; one alone, unless it is only perhaps there (`partial`)."""
    found: dict[object, Value] = {}
    for value in values:
        for one in value.candidates if isinstance(value, Ambiguous) else (value,):
            found.setdefault(identity(one), one)
    flat = list(found.values())
    if len(flat) > MAX_CANDIDATES:
        flat = [*flat[:MAX_CANDIDATES], Unknown(maybe.reason, taint=True)]
    if len(flat) == 1 and not partial and not any(isinstance(value, Ambiguous) for value in values):
        return flat[0]
    known = [one for one in flat if not isinstance(one, Unknown)]
    if not known:
        return flat[0]
    return Ambiguous(tuple(flat), maybe.reason, maybe.where, flat.index(known[0]))
