"""Expressions of the abstract import: what each stands for at this moment.

In: an expression and the scope it stands in. Out: a value. Constants are folded, lists and dicts followed item by item,
calls handed to `calls.py`, attributes to `members.py`. Where only a run knows, the value says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.analysis import folding
from lua_cli.analysis.constants import NotConstantError, plain, text_of_member
from lua_cli.analysis.containers import MAX_ITEMS
from lua_cli.analysis.externals import builtin
from lua_cli.analysis.inner_scopes import InnerScopes
from lua_cli.analysis.scopes import Condition, Frame
from lua_cli.analysis.values import (
    Ambiguous,
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
    described,
    same,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine


class Evaluator(InnerScopes):
    """Expressions. Below it stand inner scopes, operators, and attributes and items, written and read."""

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
        if node.params is not None:
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
