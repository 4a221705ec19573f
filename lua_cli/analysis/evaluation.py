"""Expressions of the abstract import: what each stands for at this moment.

In: an expression and the scope it stands in. Out: a value. Constants are folded, lists and dicts followed item by item,
calls handed to `calls.py`, attributes to `members.py`. Where only a run knows, the value says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from lua_cli.analysis import folding
from lua_cli.analysis.constants import NotConstantError, lifted, plain, text_of_member
from lua_cli.analysis.containers import MAX_ITEMS
from lua_cli.analysis.effects import walk
from lua_cli.analysis.externals import builtin
from lua_cli.analysis.members import Members
from lua_cli.analysis.scopes import Condition, Frame, either
from lua_cli.analysis.values import (
    Ambiguous,
    Binding,
    Bound,
    CallSite,
    ClassValue,
    Constant,
    DictValue,
    EnumMember,
    External,
    FunctionValue,
    Generator,
    Generic,
    Given,
    Instance,
    Item,
    LambdaValue,
    Lazy,
    ListValue,
    Maybe,
    ModuleValue,
    Unknown,
    Value,
    Where,
    described,
    same,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine


TOO_LONG = "it grows too long to be followed, from"


class Evaluator(Members):
    """Expressions; `Members` adds attributes and items."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)

    def value(self, node: ir.Expr, frame: Frame) -> Value:
        """What an expression stands for."""
        found = _EVALUATE[type(node)](self, node, frame)
        if isinstance(found, Unknown):
            self.machine.unsure += 1  # what is not known may have raised
        return found

    # Names and literals

    def name(self, node: ir.Name, frame: Frame) -> Value:
        binding = frame.lookup(node.id)
        if binding is not None:
            return binding.value
        special = self.module_attribute(frame.module, node.id) if node.id.startswith("__") else None
        if node.id in ("__qualname__", "__module__") and frame.kind == "class":
            special = Constant(frame.prefix[:-1] if node.id == "__qualname__" else frame.module.dotted)
        if node.id == "__doc__" and frame.kind == "class" and frame.docstring is not None:
            special = Constant(frame.docstring)
        found = special or builtin(node.id, self.machine)
        if found is not None:
            return found
        star = frame.module.frame.star or frame.module.open
        if star:
            return Unknown(f"`{node.id}` is bound by nothing that can be read: {star}", taint=not frame.module.lazy)
        self.machine.fail("NameError", f"name {node.id!r} is not defined")
        return Unknown(f"`{node.id}` is not defined at this point")

    def display(self, node: ir.Display, frame: Frame) -> Value:
        items: list[Item] = []
        unknown: Unknown | None = None
        for part in node.items:
            where = frame.where(part.span)
            if not isinstance(part, ir.Starred):
                value = self.value(part, frame)
                if node.kind != "set" or not any(same(value, item.value) for item in items):
                    items.append(Item(value, where, None))
                continue
            spread = self.value(part.value, frame)
            found = self.items(spread)
            if found is None or len(items) + len(found) > MAX_ITEMS:
                unknown = self.unknown(spread, "it is spread from")
                items.append(Item(unknown, where))
            else:
                items.extend(found)
        return ListValue(node.kind, items, unknown, len(self.machine.conditions))

    def dict_display(self, node: ir.DictDisplay, frame: Frame) -> Value:
        out = DictValue({})
        for key, value in node.items:
            if key is None:
                self.machine.caller.update(out, self.value(value, frame))
                continue
            item = Item(self.value(value, frame), frame.where(value.span))
            self.set_item(out, self.value(key, frame), item)
        return out

    def fstring(self, node: ir.FString, frame: Frame) -> Value:
        text: list[str] = []
        for part in node.parts:
            value = self.formatted(part, frame) if isinstance(part, ir.Formatted) else self.value(part, frame)
            if not isinstance(value, Constant):
                return value
            text.append(str(value.value))
        return Constant("".join(text))

    def formatted(self, node: ir.Formatted, frame: Frame) -> Value:
        value = self.machine.certain(self.value(node.value, frame))
        spec = self.machine.certain(self.value(node.spec, frame)) if node.spec else Constant("")
        try:
            if isinstance(value, EnumMember) and not node.conversion:
                return Constant(folding.formatted(text_of_member(value), "", str(plain(spec))))
            return Constant(folding.formatted(plain(value), node.conversion, str(plain(spec))))
        except (NotConstantError, folding.NotFoldedError):
            part = self.machine.text(frame.where(node.span))
            return self.unknown(value, f"`{part}` is formatted from")

    # Operators

    def operation(self, node: ir.Operation, frame: Frame) -> Value:
        values = [self.value(operand, frame) for operand in node.operands]
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
                unknown = self.unknown(right, "it is added from")
                return ListValue(lists[0].kind, [*lists[0].items, Item(unknown, where)], unknown)
            if len(lists[0].items) + len(lists[1].items) > MAX_ITEMS:
                return self.unknown(lists[0], TOO_LONG)
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
            return self.unknown(right if isinstance(plain_or_none(left), str) else left, "it is computed from")

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
        value = self.value(node.operand, frame)
        if node.op == "not":
            truth = self.truth(value)
            return Unknown("it depends on a test") if truth is None else Constant(not truth)
        try:
            return Constant(folding.unary(node.op, plain(self.machine.certain(value))))
        except (NotConstantError, folding.NotFoldedError):
            return self.unknown(value, "it is computed from")

    def boolean(self, node: ir.Boolean, frame: Frame) -> Value:
        """`a and b`, `a or b`: the first operand that decides."""
        undecided: list[Value] = []
        maybe: Maybe | None = None
        depth = len(self.machine.conditions)
        for at, operand in enumerate(node.operands):
            value = self.value(operand, frame)
            truth = self.truth(value)
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
        left = self.machine.certain(self.value(node.left, frame))
        for op, other in zip(node.ops, node.others, strict=True):
            right = self.machine.certain(self.value(other, frame))
            result = self._compare(op, left, right)
            if result is None:
                return self.unknown(right if isinstance(left, Constant) else left, "it is compared with")
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
                return None if answer is None else self.truth(answer) if op == "in" else _negated(self.truth(answer))
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
        truth = self.truth(self.value(node.test, frame))
        if truth is not None:
            return self.value(node.body if truth else node.orelse, frame)
        test = self.machine.executor.undecided(node.test, frame)
        maybe = Maybe(test.reason, frame.where(node.span))
        self.machine.conditions.append(Condition(maybe, frame))
        try:
            values = [self.value(node.body, frame), self.value(node.orelse, frame)]
        finally:
            self.machine.conditions.pop()
        return either(values, maybe)

    # Scopes of their own

    def lambda_(self, node: ir.Lambda, frame: Frame) -> Value:
        return LambdaValue(node, frame.path, frame, self.defaults(node.params, frame))

    def defaults(self, params: Sequence[ir.Parameter], frame: Frame) -> dict[str, Value] | None:
        """The values of defaults, made where the function is; those of a package's when they matter."""
        if frame.module.lazy:
            return None
        return {param.name: self.value(param.default, frame) for param in params if param.default is not None}

    def yielded(self, node: ir.Yield, frame: Frame) -> Value:
        """`yield` in a generator that is being run."""
        value = self.value(node.value, frame) if node.value is not None else Constant(None)
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
        value = self.value(node.value, frame)
        if isinstance(value, Generator) and not (self.machine.perhaps and len(self.machine.conditions) > value.depth):
            return self.made(value)
        return self.unknown(value, "it is awaited from")

    def walrus(self, node: ir.Walrus, frame: Frame) -> Value:
        value = self.value(node.value, frame)
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
        over = self.value(node.loops[0].iter, frame)
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
            key = self.value(node.element, inner)
            value = key if node.value is None else self.value(node.value, inner)
            out.append((key, Item(value, inner.where(written.span), maybe)))
            return None
        loop = node.loops[level]
        over = first or self.value(loop.iter, outer if level == 0 else inner)
        items = self.items(over)
        if items is None or loop.is_async or not self.machine.executor.affords(len(items)):
            return self.unknown(over, "it is built from")
        for item in items:
            self.machine.executor.assign(loop.target, item.value, loop.iter, inner, "loop")
            certain = item.maybe or maybe
            wanted = True
            for condition in loop.conditions:
                truth = self.truth(self.value(condition, inner))
                if truth is None:
                    certain = certain or self.machine.executor.undecided(condition, inner)
                elif not truth:
                    wanted = False
                    break
            problem = self._loops(node, level + 1, outer, inner, certain, out) if wanted else None
            if problem is not None:
                return problem
        return None

    # Calls and definitions

    def call(self, node: ir.Call, frame: Frame) -> Value:
        if isinstance(node.func, ir.Name) and not node.args and frame.lookup(node.func.id) is None:
            special = self.machine.caller.scope_call(node.func.id, frame)
            if special is not None:
                return special
        func = self.value(node.func, frame)
        args = tuple((frame.path, arg) for arg in node.args)
        site = CallSite(frame.where(node.span), frame.where(node.func.span), args)
        return self.machine.caller.call(func, self.given(node.args, frame), site, frame)

    def given(self, args: Sequence[ir.Arg], frame: Frame) -> tuple[Given, ...]:
        """Arguments as they reach the call: known spreads spread."""
        out: list[Given] = []
        for arg in args:
            value = self.value(arg.value, frame)
            where = frame.where(arg.value.span)
            if arg.star == "*":
                items = self.items(value)
                if items is None or any(item.maybe for item in items):
                    out.append(Given(value, where, None, "*"))
                else:
                    out.extend(Given(item.value, item.where) for item in items)
            elif arg.star == "**":
                mapping = self.machine.settled(value)
                known = isinstance(mapping, DictValue) and mapping.unknown is None
                if isinstance(mapping, DictValue) and known and all(isinstance(key, str) for key in mapping.items):
                    out.extend(Given(item.value, item.where, str(key)) for key, item in mapping.items.items())
                else:
                    out.append(Given(value, where, None, "**"))
            else:
                out.append(Given(value, where, arg.keyword))
        return tuple(out)

    def function(self, node: ir.Function, frame: Frame) -> Value:
        """A `def`, with what its decorators make of it."""
        qualname = frame.prefix + node.name
        value = FunctionValue(node, frame.module.dotted, qualname, frame.path, frame)
        value.defaults = self.defaults(node.params, frame)
        for decorator in reversed(node.decorators):
            called = decorator.func if isinstance(decorator, ir.Call) else decorator
            by = self.value(called, frame)
            where = frame.where(decorator.span)
            if self._is_own(by):
                by = by if called is decorator else self.value(decorator, frame)
                value = self.machine.caller.decorated_by_own(value, by, where)
            else:
                value = self.machine.caller.decorated(value, by, self.machine.text(where))
        return value

    def _is_own(self, by: Value) -> bool:
        """A decorator that the project itself defines: a function, or a method of an instance."""
        match by:
            case FunctionValue(path=path, owner=None) | LambdaValue(path=path):
                return not self.machine.is_lazy(path)
            case ClassValue(origin="first-party"):
                return True
            case Bound(function=function, owner=Instance()) if function is not None:
                return not self.machine.is_lazy(function.path)
        return False

    def attribute(self, node: ir.Attr, frame: Frame) -> Value:
        return self.get_attribute(self.value(node.value, frame), node.attr, frame.where(node.span), frame)

    def subscript(self, node: ir.Subscript, frame: Frame) -> Value:
        owner = self.value(node.value, frame)
        if isinstance(node.key, ir.Slice):
            return self.get_slice(owner, [self.value(part, frame) if part else None for part in node.key[1:]])
        by_key = self.is_enum(owner) or (isinstance(owner, External) and owner.dotted.startswith("sys."))
        if isinstance(owner, ClassValue | Generic | External) and not by_key:
            return self.get_item(
                owner, Constant(None), frame.where(node.span)
            )  # what stands in a generic does not matter
        return self.get_item(owner, self.value(node.key, frame), frame.where(node.span))

    # What is asked of values

    def truth(self, value: Value) -> bool | None:
        """Whether a value counts as true; None when only a run knows."""
        value = self.machine.force(value)
        if isinstance(value, Ambiguous):
            truths = {self.truth(candidate) for candidate in value.candidates}
            return truths.pop() if len(truths) == 1 else None
        match value:
            case Constant(value=constant):
                return bool(constant)
            case ListValue(once=True) | Generator():
                return True
            case ListValue(items=items, unknown=unknown):
                return (
                    True
                    if any(i.maybe is None and not isinstance(i.value, Unknown) for i in items)
                    else (None if items or unknown else False)
                )
            case DictValue(items=items, unknown=unknown):
                return True if items else (None if unknown else False)
            case ClassValue() | Generic() | FunctionValue() | LambdaValue() | ModuleValue():
                return True
            case Instance(cls=cls) if cls.mro is not None and not cls.dynamic:
                return None if any({"__bool__", "__len__"} & c.namespace.keys() for c in cls.mro) else True
        return None

    def items(self, value: Value) -> list[Item] | None:
        """The elements that iterating over a value gives; None when only a run knows. A copy."""
        value = self.machine.force(value)
        if isinstance(value, Generator):
            if self.machine.perhaps is not None and len(self.machine.conditions) > value.depth:
                self.perhaps_run(value)
                return None
            value = self.made(value)
        if isinstance(value, Instance):
            own = self.own_method(value, "__iter__", [], self.nowhere)
            return None if own is None or own is value else self.items(own)
        as_list = self._as_list(value)
        if as_list is not None and as_list.once and as_list.unknown is None:
            if self.machine.perhaps is not None and len(self.machine.conditions) > as_list.depth:
                return None  # whether it is used up here, only a run knows
            items, as_list.items = as_list.items, []
            return items
        if as_list is not None:
            return None if as_list.unknown else list(as_list.items)
        nowhere = self.nowhere
        if isinstance(value, Constant) and isinstance(value.value, tuple | str | frozenset) and len(value.value) < 1000:
            ordered = sorted(value.value, key=repr) if isinstance(value.value, frozenset) else value.value
            return [Item(Constant(one), nowhere) for one in ordered]
        if isinstance(value, DictValue) and value.unknown is None:
            return [Item(Constant(key), item.where, item.maybe) for key, item in value.items.items()]
        if isinstance(value, ClassValue) and self.is_enum(value):
            every = [b for b in value.namespace.values() if isinstance(b.value, EnumMember)]
            members = [b for at, b in enumerate(every) if not any(b.value is other.value for other in every[:at])]
            return [Item(b.value, b.where or nowhere) for b in members]
        return None

    def made(self, generator: Generator) -> Value:
        """What is left of a generator, made now."""
        if generator.run is not None:
            run, generator.run = generator.run, None
            generator.made = run()
        return generator.made or Unknown("it is being run")

    def perhaps_run(self, generator: Generator) -> None:
        """A generator of which nobody knows how much is asked for: what it does is done perhaps."""
        if generator.run is None:
            return
        run, generator.run = generator.run, None
        reason = f"how much of `{generator.text}` is used is only known when the code runs"
        generator.made = Unknown(reason, taint=True)
        self.machine.conditions.append(Condition(Maybe(reason, None), Frame("function", self.nowhere.path, None)))  # type: ignore[arg-type]
        try:
            run()
        finally:
            self.machine.conditions.pop()

    def unknown(self, value: Value, how: str) -> Unknown:
        """What comes of a value in a way that is not followed."""
        value = self.machine.settled(value) if not isinstance(value, Lazy) else value
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Ambiguous):
            return Unknown(value.reason, self.tainted(value))
        return Unknown(f"{how} {described(value)}", self.tainted(value))

    def class_of(self, value: Value) -> ClassValue | None:
        """The class that an instance is of, or the class itself."""
        return value if isinstance(value, ClassValue) else value.cls if isinstance(value, Instance) else None


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


def _acts(node: object) -> bool:
    """Whether an expression may do something besides giving a value."""
    return isinstance(node, ir.Call | ir.Walrus | ir.Await)


def _negated(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "|": "or", "&": "and",
    "^": "xor", "<<": "lshift", ">>": "rshift", "@": "matmul", "**": "pow",
}  # fmt: skip
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

_EVALUATE: dict[type[Any], Callable[[Evaluator, Any, Frame], Value]] = {
    ir.Const: lambda evaluator, node, frame: Constant(node.value),
    ir.Name: Evaluator.name,
    ir.Attr: Evaluator.attribute,
    ir.Call: Evaluator.call,
    ir.Subscript: Evaluator.subscript,
    ir.Slice: lambda evaluator, node, frame: Unknown("it is a slice"),
    ir.Starred: lambda evaluator, node, frame: Unknown("it is spread"),
    ir.Display: Evaluator.display,
    ir.DictDisplay: Evaluator.dict_display,
    ir.Operation: Evaluator.operation,
    ir.Unary: Evaluator.unary,
    ir.Boolean: Evaluator.boolean,
    ir.Comparison: Evaluator.comparison,
    ir.Conditional: Evaluator.conditional,
    ir.Formatted: Evaluator.formatted,
    ir.FString: Evaluator.fstring,
    ir.Lambda: Evaluator.lambda_,
    ir.Comprehension: Evaluator.comprehension,
    ir.Walrus: Evaluator.walrus,
    ir.Yield: Evaluator.yielded,
    ir.Await: Evaluator.awaited,
    ir.Opaque: lambda evaluator, node, frame: Unknown(f"it is {node.what}"),
}
