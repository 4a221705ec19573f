"""Expressions with a scope of their own, or that leave it: lambdas, comprehensions, generators, `:=`, `yield`, `await`.

In: the expression and the scope around it. Out: the value. A generator expression that calls something does so when its
elements are asked for, as in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from lua_cli.analysis.effects import walk
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    Binding,
    Constant,
    DictValue,
    Generator,
    Item,
    LambdaValue,
    ListValue,
    Maybe,
    Unknown,
    Value,
    same,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    pass
from lua_cli.analysis.operators import Operators


class InnerScopes(Operators):
    """Lambdas, comprehensions and generators."""

    def lambda_(self, node: ir.Lambda, frame: Frame) -> Value:
        return LambdaValue(node, frame.path, frame, self.defaults(node.params, frame))

    def defaults(self, params: Sequence[ir.Parameter], frame: Frame) -> dict[str, Value] | None:
        """The values of defaults, made where the function is; those of a package's when they matter."""
        given = [(param.name, param.default) for param in params if param.default is not None]
        if frame.module.lazy or not given:
            return None
        return {name: self.machine.evaluator.value(default, frame) for name, default in given}

    def yielded(self, node: ir.Yield, frame: Frame) -> Value:
        """`yield` in a generator that is being run."""
        value = self.machine.evaluator.value(node.value, frame) if node.value is not None else Constant(None)
        where = frame.where(node.span)
        holder = frame
        while holder.yielded is None and holder.parent is not None and holder.function == "<comprehension>":
            holder = holder.parent
        if holder.yielded is not None and node.whole:
            self.machine.caller.extend(holder.yielded, value, where)
        elif holder.yielded is not None:
            self.machine.caller.append(holder.yielded, value, where, where)
        return Unknown("it is what is sent into a generator")

    def awaited(self, node: ir.Await, frame: Frame) -> Value:
        value = self.machine.evaluator.value(node.value, frame)
        if isinstance(value, Generator) and not (self.machine.perhaps and len(self.machine.conditions) > value.depth):
            return self.machine.evaluator.made(value)
        return self.machine.evaluator.unknown(value, "it is awaited from")

    def walrus(self, node: ir.Walrus, frame: Frame) -> Value:
        value = self.machine.evaluator.value(node.value, frame)
        holder = frame
        while holder.function == "<comprehension>" and holder.parent is not None:
            holder = holder.parent
        self.machine.bind(holder, node.name, Binding(value, frame.where(node.value.span)))
        return value

    def comprehension(self, node: ir.Comprehension, frame: Frame) -> Value:
        inner = Frame("function", frame.path, frame.module, frame, frame.prefix, len(self.machine.conditions))
        inner.function = "<comprehension>"
        if node.kind == "generator" and not frame.module.lazy and any(_acts(part) for part in walk((node,))):
            return self._later(node, frame, inner)
        return self._whole(node, frame, inner)

    def _later(self, node: ir.Comprehension, frame: Frame, inner: Frame) -> Value:
        """A generator expression that calls something: it does so when its elements are asked for."""
        over = self.machine.evaluator.value(node.loops[0].iter, frame)
        text = self.machine.text(frame.where(node.span))
        return Generator(lambda: self._whole(node, frame, inner, over), text, len(self.machine.conditions))

    def _whole(self, node: ir.Comprehension, frame: Frame, inner: Frame, over: Value | None = None) -> Value:
        items: list[tuple[Value, Item]] = []
        inner.depth = len(self.machine.conditions)
        unknown = self._loops(node, 0, frame, inner, None, items, over)
        if unknown is not None:
            # Evaluated once, so that what is in it is not unheard of; how often it is there is not known.
            return (
                ListValue("list", [Item(unknown, frame.where(node.span))], unknown) if node.value is None else unknown
            )
        if node.value is not None:
            out = DictValue({})
            for key, item in items:
                self.set_item(out, key, item)
            return out
        kind: Literal["set", "list"] = "set" if node.kind == "set" else "list"
        found = [item for _, item in items]
        if kind == "set":
            found = [item for at, item in enumerate(found) if not any(same(item.value, i.value) for i in found[:at])]
        made = ListValue(kind, found, None, len(self.machine.conditions))
        made.once = node.kind == "generator"
        return made

    def _loops(
        self,
        node: ir.Comprehension,
        level: int,
        outer: Frame,
        inner: Frame,
        maybe: Maybe | None,
        out: list[tuple[Value, Item]],
        first: Value | None = None,
    ) -> Unknown | None:
        """Runs the loops of a comprehension from `level` on; why it cannot, when it cannot."""
        if level == len(node.loops):
            written = node.element if node.value is None else node.value
            key = self.machine.evaluator.value(node.element, inner)
            value = key if node.value is None else self.machine.evaluator.value(node.value, inner)
            out.append((key, Item(value, inner.where(written.span), maybe)))
            return None
        loop = node.loops[level]
        over = first or self.machine.evaluator.value(loop.iter, outer if level == 0 else inner)
        items = self.machine.evaluator.items(over)
        if items is None or loop.is_async or not self.machine.executor.affords(len(items)):
            return self.machine.evaluator.unknown(over, "it is built from")
        for item in items:
            self.machine.executor.assign(loop.target, item.value, loop.iter, inner, "loop")
            certain = item.maybe or maybe
            wanted = True
            for condition in loop.conditions:
                truth = self.machine.evaluator.truth(self.machine.evaluator.value(condition, inner))
                if truth is None:
                    certain = certain or self.machine.executor.undecided(condition, inner)
                elif not truth:
                    wanted = False
                    break
            problem = self._loops(node, level + 1, outer, inner, certain, out) if wanted else None
            if problem is not None:
                return problem
        return None


def _acts(node: object) -> bool:
    """Whether an expression may do something besides giving a value."""
    return isinstance(node, ir.Call | ir.Walrus | ir.Await)
