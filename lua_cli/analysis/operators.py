"""Operators of the abstract import: arithmetic, comparisons, `and`, `or`, `not`, and the conditional expression.

In: operands. Out: the value, folded where all are constants; what a class of the project defines is run. Of a test that
only a run decides, the value is one of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis import folding
from lua_cli.analysis.constants import NotConstantError, lifted, plain
from lua_cli.analysis.containers import MAX_ITEMS
from lua_cli.analysis.scopes import Condition, Frame, either
from lua_cli.analysis.values import (
    Ambiguous,
    CallSite,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    Given,
    Instance,
    Item,
    Lazy,
    ListValue,
    Maybe,
    Unknown,
    Value,
    Where,
    same,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    pass
from lua_cli.analysis.writing import Writing

TOO_LONG = "it grows too long to be followed, from"
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "|": "or", "&": "and",
    "^": "xor", "<<": "lshift", ">>": "rshift", "@": "matmul", "**": "pow",
}  # fmt: skip
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Operators(Writing):
    """Operators on values."""

    def operation(self, node: ir.Operation, frame: Frame) -> Value:
        values = [self.machine.evaluator.value(operand, frame) for operand in node.operands]
        wheres = [frame.where(operand.span) for operand in node.operands]
        if frame.module.lazy and any(isinstance(value, Lazy) for value in values):
            whole = frame.where(node.span)
            return Lazy(lambda: self.operate(node.op, values, wheres, whole), "an operation")
        return self.operate(node.op, values, wheres, frame.where(node.span))

    def operate(self, op: str, values: Sequence[Value], wheres: Sequence[Where], whole: Where) -> Value:
        """`values` joined by an operator, left to right."""
        left = self.machine.force(values[0])
        for right, where in zip(values[1:], wheres[1:], strict=True):
            left = self._binary(op, left, self.machine.force(right), where, whole)
        return left

    def _binary(self, op: str, left: Value, right: Value, where: Where, whole: Where) -> Value:
        lists = [self._as_list(value) for value in (left, right)]
        if op == "+" and lists[0] is not None and (lists[1] is not None or isinstance(right, Unknown)):
            if lists[1] is None:
                unknown = self.machine.evaluator.unknown(right, "it is added from")
                return ListValue(lists[0].kind, [*lists[0].items, Item(unknown, where)], unknown)
            if len(lists[0].items) + len(lists[1].items) > MAX_ITEMS:
                return self.machine.evaluator.unknown(lists[0], TOO_LONG)
            return ListValue(lists[0].kind, [*lists[0].items, *lists[1].items], lists[0].unknown or lists[1].unknown)
        own = self._own_operator(op, left, right, where, whole)
        if own is not None:
            return own
        if op == "*" and isinstance(left, ListValue) and isinstance(right, Constant):
            repeated = self._repeated(left, right.value)
            if repeated is not None:
                return repeated
        if op == "|" and isinstance(left, DictValue) and isinstance(right, DictValue):
            return DictValue({**left.items, **right.items}, left.unknown or right.unknown)
        if isinstance(left, Ambiguous) or isinstance(right, Ambiguous):
            return self._each_pair(op, left, right, where, whole)
        try:
            return lifted(folding.binary(op, plain(left), plain(right)), whole)
        except folding.NotFoldedError as error:
            self.machine.folded(error)
            return Unknown(str(error) or f"`{self.machine.text(whole)}` is too large to be computed here")
        except NotConstantError:
            cause = right if isinstance(plain_or_none(left), str) else left
            return self.machine.evaluator.unknown(cause, "it is computed from")

    def _own_operator(self, op: str, left: Value, right: Value, where: Where, whole: Where) -> Value | None:
        """An operator that a class of the project defines; None when it defines none."""
        for owner, other, name in ((left, right, f"__{_OPERATORS[op]}__"), (right, left, f"__r{_OPERATORS[op]}__")):
            if isinstance(owner, Instance):
                answer = self.own_method(owner, name, [Given(other, where)], whole)
                if answer is not None:
                    return answer
        return None

    def own_method(self, owner: Instance, name: str, given: Sequence[Given], where: Where) -> Value | None:
        """The result of a special method that a class of the project defines; None when it defines none."""
        found = self.lookup(owner.cls, name)
        if not isinstance(found, tuple) or not isinstance(found[0].value, FunctionValue):
            return None
        site = CallSite(where, where, ())
        return self.machine.caller.invoke(found[0].value, [Given(owner, where), *given], site, (found[1], owner))

    def _repeated(self, value: ListValue, times: object) -> ListValue | None:
        """`value * times`: the same elements again, not copies of them."""
        if value.unknown is not None or not isinstance(times, int) or len(value.items) * times > MAX_ITEMS:
            return None
        return ListValue(value.kind, value.items * times, None, len(self.machine.conditions))

    def _each_pair(self, op: str, left: Value, right: Value, where: Where, whole: Where) -> Value:
        lefts = left.candidates if isinstance(left, Ambiguous) else (left,)
        rights = right.candidates if isinstance(right, Ambiguous) else (right,)
        source = left if isinstance(left, Ambiguous) else right
        assert isinstance(source, Ambiguous)  # noqa: S101
        if len(lefts) * len(rights) > 16:
            return Unknown(source.reason)
        force = self.machine.force
        results = [self._binary(op, force(one), force(other), where, whole) for one in lefts for other in rights]
        return either(results, Maybe(source.reason, source.where), partial=True)

    def _as_list(self, value: Value) -> ListValue | None:
        """A list; of several lists the one that has what any of them has, as perhaps there."""
        if isinstance(value, ListValue):
            return value
        if not isinstance(value, Ambiguous):
            return None
        lists = [self.machine.force(candidate) for candidate in value.candidates]
        if not all(isinstance(one, ListValue) for one in lists):
            return None
        maybe = Maybe(value.reason, value.where)
        items: list[Item] = []
        unknown: Unknown | None = None
        for one in lists:
            assert isinstance(one, ListValue)  # noqa: S101
            unknown = unknown or one.unknown
            for item in one.items:
                if any(same(item.value, seen.value) and item.where == seen.where for seen in items):
                    continue
                certain = all(
                    any(same(item.value, i.value) and item.where == i.where for i in other.items)
                    for other in lists
                    if isinstance(other, ListValue)
                )
                items.append(item if certain else item._replace(maybe=item.maybe or maybe))
        first = lists[0]
        assert isinstance(first, ListValue)  # noqa: S101
        return ListValue(first.kind, items, unknown)

    def unary(self, node: ir.Unary, frame: Frame) -> Value:
        value = self.machine.evaluator.value(node.operand, frame)
        if node.op == "not":
            truth = self.machine.evaluator.truth(value)
            return Unknown("it depends on a test") if truth is None else Constant(not truth)
        try:
            return Constant(folding.unary(node.op, plain(self.machine.certain(value))))
        except (NotConstantError, folding.NotFoldedError):
            return self.machine.evaluator.unknown(value, "it is computed from")

    def boolean(self, node: ir.Boolean, frame: Frame) -> Value:
        """`a and b`, `a or b`: the first operand that decides."""
        undecided: list[Value] = []
        maybe: Maybe | None = None
        depth = len(self.machine.conditions)
        for at, operand in enumerate(node.operands):
            value = self.machine.evaluator.value(operand, frame)
            truth = self.machine.evaluator.truth(value)
            last = at == len(node.operands) - 1
            if truth is not None and not last and truth is (node.op == "and"):
                continue
            undecided.append(value)
            if truth is not None or last:
                break
            test = self.machine.executor.undecided(operand, frame)
            maybe = maybe or Maybe(test.reason, frame.where(node.span))
            self.machine.conditions.append(Condition(maybe, frame))
        del self.machine.conditions[depth:]
        return undecided[0] if maybe is None else either(undecided, maybe, partial=len(undecided) < 2)

    def comparison(self, node: ir.Comparison, frame: Frame) -> Value:
        left = self.machine.certain(self.machine.evaluator.value(node.left, frame))
        for op, other in zip(node.ops, node.others, strict=True):
            right = self.machine.certain(self.machine.evaluator.value(other, frame))
            result = self._compare(op, left, right)
            if result is None:
                cause = right if isinstance(left, Constant) else left
                return self.machine.evaluator.unknown(cause, "it is compared with")
            if not result:
                return Constant(False)
            left = right
        return Constant(True)

    def _compare(self, op: str, left: Value, right: Value) -> bool | None:
        version = self._version_compare(op, left, right)
        if version is not None:
            return version
        if op in ("is", "is not"):
            decided = _identical(left, right)
            return None if decided is None else decided is (op == "is")
        try:
            if op in ("in", "not in") and isinstance(right, Instance):
                answer = self.own_method(right, "__contains__", [Given(left, self.nowhere)], self.nowhere)
                truth = None if answer is None else self.machine.evaluator.truth(answer)
                return truth if op == "in" or truth is None else not truth
            if op in ("in", "not in") and isinstance(right, ListValue) and right.once:
                self.machine.caller.spoil(right, "a search uses it up")
                return None
            if op in ("in", "not in") and isinstance(right, DictValue) and right.unknown is None:
                return (plain(left) in right.items) is (op == "in")
            return folding.compare(op, plain(left), plain(right))
        except folding.NotFoldedError:
            return None
        except NotConstantError:
            if op in ("==", "!=") and isinstance(left, ClassValue) and isinstance(right, ClassValue):
                return (left is right) is (op == "==")
            return None

    def equal(self, left: Value, right: Value) -> bool | None:
        """`left == right`; None when only a run knows."""
        return self._compare("==", left, self.machine.certain(right))

    def _version_compare(self, op: str, left: Value, right: Value) -> bool | None:
        """`sys.version_info >= (3, 12)`, for the project's Python."""
        if isinstance(right, External) and right.dotted == "sys.version_info":
            return self._version_compare(_FLIPPED.get(op, ""), right, left)
        if not (isinstance(left, External) and left.dotted == "sys.version_info") or op not in _FLIPPED:
            return None
        try:
            wanted = plain(right)
        except NotConstantError:
            return None
        known = self.version()
        if not isinstance(wanted, tuple) or (len(known) == 2 and known == wanted[:2] and len(wanted) > 2):
            return None  # the third number of another interpreter is not known
        if known == wanted:  # more numbers follow, so that the version is the larger tuple
            return op in (">", ">=", "!=")
        try:
            return folding.compare(op, known, wanted)
        except folding.NotFoldedError:
            return None

    def conditional(self, node: ir.Conditional, frame: Frame) -> Value:
        truth = self.machine.evaluator.truth(self.machine.evaluator.value(node.test, frame))
        if truth is not None:
            return self.machine.evaluator.value(node.body if truth else node.orelse, frame)
        test = self.machine.executor.undecided(node.test, frame)
        maybe = Maybe(test.reason, frame.where(node.span))
        self.machine.conditions.append(Condition(maybe, frame))
        try:
            values = [self.machine.evaluator.value(node.body, frame), self.machine.evaluator.value(node.orelse, frame)]
        finally:
            self.machine.conditions.pop()
        return either(values, maybe)


def plain_or_none(value: Value) -> object:
    try:
        return plain(value)
    except NotConstantError:
        return None


def _identical(left: Value, right: Value) -> bool | None:
    """`left is right`; None when only a run knows."""
    unsure = (Unknown, External, Lazy)
    if isinstance(left, unsure) or isinstance(right, unsure):
        return None
    if isinstance(left, Constant) and isinstance(right, Constant):
        singletons = (None, True, False, Ellipsis)
        if any(left.value is one or right.value is one for one in singletons):
            return left.value is right.value
        return None
    return left is right
