"""Loops of the abstract import: `for` over what is known, element by element, and `while` as long as its test is.

In: the statement and the scope it runs in. Out: how it ended. All loops of a project share one budget; of one that is
not followed to its end, what it assigns to is unknown afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lua_cli.analysis.effects import walk
from lua_cli.analysis.scopes import Flow, Frame, either, joined
from lua_cli.analysis.values import (
    Binding,
    Generator,
    Item,
    ListValue,
    Maybe,
    Unknown,
    Value,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

if TYPE_CHECKING:
    pass
from lua_cli.analysis.handling import Body, Handling

MAX_ROUNDS = 500
MAX_ROUNDS_IN_ALL = 20_000


class Loops(Handling):
    """Loops."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._rounds_left = MAX_ROUNDS_IN_ALL

    def affords(self, rounds: int) -> bool:
        """Whether so many more rounds of loops are followed; all loops of a project share one budget."""
        self._rounds_left -= rounds
        return self._rounds_left >= 0

    def for_(self, node: ir.For, frame: Frame) -> Flow:
        over = self.machine.settled(self.machine.evaluator.value(node.iter, frame))
        if isinstance(over, Generator) and any(
            isinstance(one, ir.Jump | ir.Return | ir.Raise) for one in walk(node.body)
        ):
            self.machine.evaluator.perhaps_run(over)
        live = self._live(over)
        items = None if live is not None else self.machine.evaluator.items(over)
        depth, exits, frame.exits = len(self.machine.conditions), frame.exits, ()
        where = frame.where(node.iter.span)
        text = self.machine.text(where)
        maybe = Maybe(f"`for … in {text}` runs as often as only a run knows", None)
        if live is not None:
            flow = self._rounds(node, self._elements(live), frame, maybe)
            if live.once and (frame.exits or len(self.machine.conditions) > depth):
                self.machine.caller.spoil(live, "a loop over it is perhaps left early")
        elif items is None or len(items) > MAX_ROUNDS or not self.affords(len(items)):
            part = self.machine.evaluator.unknown(over, "it is an element of")
            self.machine.executor.assign(node.target, part, node.iter, frame, "loop")
            flow = self._again(node.body, frame, maybe)
        else:
            flow = self._rounds(node, items, frame, maybe)
        self._leave(frame, depth, exits, Maybe(f"`for … in {text}` is perhaps left early", None))
        return flow if flow in (Flow.RETURN, Flow.RAISE) else Flow.NEXT

    def _again(self, body: Body, frame: Frame, maybe: Maybe) -> Flow:
        """The body of a loop that runs as often as only a run knows: what it assigns to may be anything afterwards."""
        before = dict(frame.names)
        flow = self.machine.executor.branches([body, ()], frame, maybe)
        for node in walk(tuple(body)):
            targets = (
                node.targets if isinstance(node, ir.Assign) else (node.target,) if isinstance(node, ir.Augment) else ()
            )
            for name in _bound_names(targets):
                now = frame.names.get(name)
                if now is not None and now is not before.get(name) and not isinstance(now.value, ListValue):
                    values = [now.value, Unknown(maybe.reason, taint=self.machine.evaluator.tainted(now.value))]
                    frame.names[name] = Binding(either(values, maybe, partial=True), now.where, now.kind)
        return flow

    def _live(self, over: Value) -> ListValue | None:
        """A list, or an iterator, whose elements are known and are looked at one by one, as it is at each moment."""
        if isinstance(over, Generator) and over.run is not None:
            if self.machine.perhaps is not None and len(self.machine.conditions) > over.depth:
                return None
            over = self.machine.evaluator.made(over)
        elif isinstance(over, Generator):
            over = over.made or over
        if not isinstance(over, ListValue) or over.unknown is not None or over.kind not in ("list", "tuple"):
            return None
        if over.once and self.machine.perhaps is not None and len(self.machine.conditions) > over.depth:
            return None
        return over

    def _elements(self, live: ListValue) -> Iterator[Item | None]:
        """The elements as a loop meets them; None, at last, when there may be others."""
        at = 0
        while True:
            if live.unknown is not None or at >= MAX_ROUNDS or not self.affords(1):
                yield None
                return
            if live.once and live.items:
                yield live.items.pop(0)
            elif not live.once and at < len(live.items):
                yield live.items[at]
            else:
                return
            at += 1

    def _rounds(self, node: ir.For, items: Iterable[Item | None], frame: Frame, maybe: Maybe) -> Flow:
        for item in items:
            if item is None:
                part = Unknown("it is an element of a list that changes in ways that are not followed", taint=True)
                self.machine.executor.assign(node.target, part, node.iter, frame, "loop")
                return self._again(node.body, frame, maybe)
            self.machine.executor.assign(node.target, item.value, node.iter, frame, "loop")
            if item.maybe is not None:
                flow = self.machine.executor.branches([node.body, ()], frame, item.maybe)
            else:
                flow = self.machine.executor.block(node.body, frame)
            if flow is Flow.BREAK:
                return Flow.NEXT
            if flow in (Flow.RETURN, Flow.RAISE):
                return flow
        return self.machine.executor.block(node.orelse, frame)

    def while_(self, node: ir.While, frame: Frame) -> Flow:
        depth, exits, frame.exits = len(self.machine.conditions), frame.exits, ()
        test = self.machine.text(frame.where(node.test.span))
        maybe = Maybe(f"`while {test}` runs as often as only a run knows", None)
        flow = Flow.NEXT
        for rounds in range(MAX_ROUNDS):
            truth = self.machine.evaluator.truth(self.machine.evaluator.value(node.test, frame))
            if truth is False:
                flow = self.machine.executor.block(node.orelse, frame)
                break
            if truth is None or rounds == MAX_ROUNDS - 1 or not self.affords(1):
                flow = self._again(node.body, frame, maybe)
                break
            flow = self.machine.executor.block(node.body, frame)
            if flow not in (Flow.NEXT, Flow.CONTINUE):
                break
        self._leave(frame, depth, exits, maybe)
        return flow if flow in (Flow.RETURN, Flow.RAISE) else Flow.NEXT

    def _leave(self, frame: Frame, depth: int, exits: tuple[dict[str, Binding], ...], maybe: Maybe) -> None:
        """After a loop: what was perhaps bound on the ways out of it, and no longer under its conditions."""
        if frame.exits:
            frame.names = joined([frame.names, *frame.exits], maybe)
        frame.exits = exits
        del self.machine.conditions[depth:]


def _bound_names(targets: Iterable[ir.Expr]) -> Iterator[str]:
    """The names that assignment targets bind."""
    for target in targets:
        if isinstance(target, ir.Name):
            yield target.id
        elif isinstance(target, ir.Display):
            yield from _bound_names(target.items)
        elif isinstance(target, ir.Starred):
            yield from _bound_names((target.value,))
