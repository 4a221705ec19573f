"""Decorators of classes, `__init_subclass__`, metaclasses, and classes that are made by calls.

In: a class and what is applied to it. Out: the class, changed as that is known to change it, or marked as uncertain
with the reason: what a function of the project returns is found out by running it on the class; what writes a tool's
own attributes makes the class uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.constants import NotConstantError, plain
from lua_cli.analysis.effects import Effects, effects_of, walk
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    Binding,
    Bound,
    CallSite,
    ClassValue,
    Configured,
    Constant,
    DictValue,
    External,
    Fields,
    FieldSpec,
    FunctionValue,
    Given,
    Instance,
    Item,
    LambdaValue,
    Lazy,
    ListValue,
    Partial,
    Unknown,
    Value,
    Where,
)
from lua_cli.records import replace
from lua_cli.source import SourceError, ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

# What the product reads off a class: a write to one of these from outside of the class statement matters.
TRACKED = ("name", "description", "input_schema", "execute", "condition", "voice_flags")
_MAKING = ("__init__", "__new__")
_SAID_BY_NAME = frozenset({"name", "description", "voice_flags", *_MAKING})

_IDENTITY = frozenset(
    {"typing.final", "typing.runtime_checkable", "typing.dataclass_transform", "typing.no_type_check", "enum.unique"}
    | {"functools.total_ordering", "warnings.deprecated", "abc.update_abstractmethods", "typing.deprecated"}
)
_DATACLASS = frozenset({"dataclasses.dataclass", "pydantic.dataclasses.dataclass"})
_ATTRS = frozenset(
    {f"attr.{name}" for name in ("s", "attrs", "attributes", "dataclass", "define", "frozen", "mutable")}
    | {f"attrs.{name}" for name in ("define", "frozen", "mutable")}
)


class Decoration:
    """What happens to a class besides its statement."""

    machine: Machine

    def __init__(self) -> None:
        self._effects: dict[tuple[int, bool], tuple[Effects | None, object]] = {}
        self.making: list[ClassValue] = []  # the classes that metaclasses are making: what `type.__new__` gives

    def uncertain(self, cls: ClassValue, reason: str, *, replaced: bool = True) -> None:
        """The class may be another thing than its statement says (`replaced`), or its attributes may have other
        values."""
        if cls.dynamic is None:
            cls.dynamic = Unknown(reason, taint=replaced)
            cls.dynamic_where = cls.where

    # Decorators

    def decorate(self, cls: ClassValue, by: Value, where: Where) -> Value:
        """The class under one decorator."""
        if isinstance(by, Lazy):
            if self.machine.class_maker.is_tool(cls) is False:
                return cls  # what a package does to a class that is no tool is not the product's business
            by = self.machine.force(by)
        dotted = by.dotted if isinstance(by, External | Configured) else ""
        given = by.given if isinstance(by, Configured) else ()
        if dotted in _IDENTITY:
            return cls
        if dotted in _DATACLASS or dotted in _ATTRS:
            make = self.machine.fields.dataclass if dotted in _DATACLASS else self.machine.fields.attrs
            make(cls, given, dotted)
            self.machine.class_maker.abstracts(cls)
            return cls
        self._by_call(cls, by, where)
        return cls

    def _by_call(self, cls: ClassValue, by: Value, where: Where) -> None:
        text = self.machine.text(where)
        before = cls.mutated
        site = CallSite(where, where, ())
        given = [Given(cls, cls.where or where)]
        result: Value | None = None
        if isinstance(by, FunctionValue):
            result = self.machine.caller.invoke(by, given, site, anyone=True)
        elif isinstance(by, Bound | LambdaValue | Partial | Instance | ClassValue) and cls.frame is not None:
            result = self.machine.caller.call(by, given, site, cls.frame)
        written = [name for name in cls.mutated if name not in before]
        cls.mutated = before
        made = self.machine.force(result) if result is not None else None
        if isinstance(made, FunctionValue | LambdaValue):
            self.uncertain(cls, f"it is a function after `@{text}`")
        elif made is not cls:
            self.uncertain(cls, f"the decorator `{text}` may replace the class")
        elif _SAID_BY_NAME & set(written):
            changed = ", ".join(f"`{name}`" for name in written if name in _SAID_BY_NAME)
            self.uncertain(cls, f"the decorator `{text}` writes {changed}", replaced=False)

    def changed_at_will(self, value: Value, where: Where) -> None:
        """`setattr(cls, <computed>, …)`."""
        value = self.machine.settled(value)
        if isinstance(value, ClassValue) and value.origin != "builtin":
            unknown = Unknown(f"`{self.machine.text(where)}` may change it")
            for name in TRACKED:
                value.namespace[name] = Binding(unknown, where)
            value.mutated = {**value.mutated, "name": where}

    # __init_subclass__ and metaclasses

    def _told_bases(self, cls: ClassValue) -> None:
        """Bases hear of a new class in `__init_subclass__`, and may write to it."""
        for base in cls.known_chain()[1:]:
            for hook in ("__init_subclass__", "__pydantic_init_subclass__"):
                binding = base.namespace.get(hook)
                if binding is None or not isinstance(binding.value, FunctionValue):
                    continue
                effects = self.effects(binding.value)
                written = [name for name in TRACKED if effects is not None and name in effects.writes]
                if effects is None or effects.anything or written:
                    what = f"writes `cls.{written[0]}`" if written else "may write any attribute"
                    self.uncertain(cls, f"`{hook}` of {base.name} {what}", replaced=False)

    def check_metaclass(self, cls: ClassValue, metaclass: ClassValue) -> None:
        """Whether a metaclass may make another class than the statement says."""
        for one in metaclass.known_chain():
            if one.origin == "builtin" or one.module.startswith(("pydantic.", "enum", "abc")):
                continue
            for hook in ("__new__", "__init__", "__call__", "__prepare__", "mro"):
                binding = one.namespace.get(hook)
                if binding is not None and not self._harmless(binding.value, hook):
                    self.uncertain(cls, f"its metaclass {one.name} defines `{hook}`")
        if metaclass.mro is None:
            self.uncertain(cls, f"a base of its metaclass {metaclass.name} is not known")

    def _harmless(self, value: Value, hook: str) -> bool:
        """A hook of a metaclass that only looks on: `__init__` that writes nothing, `__new__` that returns what `type`
        makes."""
        effects = self.effects(value, any_object=True) if isinstance(value, FunctionValue) else None
        if effects is None or effects.anything or set(effects.writes) & {*TRACKED, *_MAKING}:
            return False
        if hook == "__init__":
            return True
        if hook == "__new__" and isinstance(value, FunctionValue) and not self.machine.is_lazy(value.path):
            return True  # what it returns is found out by running it
        return hook == "__new__" and bool(effects.returns) and all(_from_super(one) for one in effects.returns)

    def effects(self, function: FunctionValue, *, any_object: bool = False) -> Effects | None:
        """What a method does to the object it is called on; None when it cannot be read."""
        key = (id(function.node), any_object)
        if key not in self._effects:
            self._effects[key] = (self._own_effects(function, any_object=any_object), function.node)
        effects = self._effects[key][0]
        if effects is None or not effects.passed:
            return effects
        effects = replace(effects, writes=dict(effects.writes))
        for name in effects.passed:
            called = function.frame.lookup(name)
            inner = called.value if called is not None else None
            if isinstance(inner, FunctionValue) and inner.node is not function.node:
                body = self.machine.index.body(inner.path, inner.node)
                further = effects_of(self.machine.params(inner), body.body)
                effects.writes.update(further.writes)
                effects.anything = effects.anything or further.anything
        return effects

    def _own_effects(self, function: FunctionValue, *, any_object: bool) -> Effects | None:
        """The effects of a function's own statements, and of the functions within it."""
        try:
            body = self.machine.index.body(function.path, function.node)
        except SourceError:
            return None
        effects = effects_of(self.machine.params(function), body.body, any_object=any_object)
        self._nested(function, body.body, effects)
        return effects

    def _nested(self, function: FunctionValue, body: tuple[ir.Stmt, ...], effects: Effects) -> None:
        """What functions within a function do to its first parameter."""
        params = self.machine.params(function)
        if not params:
            return
        for node in walk(body, functions=True):
            own = self.machine.index.params(function.path, node) if isinstance(node, ir.Function) else ()
            if isinstance(node, ir.Function) and params[0].name not in {param.name for param in own}:
                inner = self.machine.index.body(function.path, node)
                further = effects_of(params[:1], inner.body)
                effects.writes.update(further.writes)
                effects.anything = effects.anything or further.anything

    def run_hooks(self, cls: ClassValue, keywords: Sequence[Given]) -> None:
        """What the project's own metaclasses and bases do when a class is made: they may keep it in a registry."""
        if cls.where is None or cls.metaclass is None:
            return
        before = cls.mutated
        site = CallSite(cls.where, cls.where, ())
        bases = ListValue("tuple", [Item(base, cls.where) for base in cls.bases])
        namespace = DictValue({name: Item(b.value, b.where or cls.where) for name, b in cls.namespace.items()})
        told = [Given(value, cls.where) for value in (Constant(cls.name), bases, namespace)]
        meta = cls.metaclass
        self._named(cls, site)
        self.making.append(cls)
        made = self._hook(meta.known_chain(), "__new__", [Given(meta, cls.where), *told, *keywords], meta, site)
        self.making.pop()
        if made is not None and self.machine.force(made) is not cls:
            self.uncertain(cls, f"its metaclass {meta.name} defines `__new__`")
        self._hook(cls.known_chain()[1:], "__init_subclass__", [Given(cls, cls.where), *keywords], cls, site)
        self._hook(meta.known_chain(), "__init__", [Given(cls, cls.where), *told, *keywords], cls, site)
        cls.mutated = before  # what is written is told as what it is: a class that is not what its statement says

    def _named(self, cls: ClassValue, site: CallSite) -> None:
        """Members hear of the class that they are in, by `__set_name__`."""
        for name, binding in list(cls.namespace.items()):
            if not isinstance(binding.value, Instance) or binding.value.cls.origin != "first-party":
                continue
            given = [Given(cls, site.where), Given(Constant(name), site.where)]
            before = cls.mutated
            self.machine.evaluator.own_method(binding.value, "__set_name__", given, site.where)
            written = [one for one in cls.mutated if one not in before]
            if _SAID_BY_NAME & set(written):
                what = ", ".join(f"`{one}`" for one in written)
                self.uncertain(cls, f"`__set_name__` of {binding.value.cls.name} writes {what}", replaced=False)

    def _hook(
        self, chain: Sequence[ClassValue], hook: str, given: Sequence[Given], receiver: ClassValue, site: CallSite
    ) -> Value | None:
        for one in chain:
            binding = one.namespace.get(hook)
            if binding is None or one.origin == "builtin":
                continue
            if isinstance(binding.value, FunctionValue) and not self.machine.is_lazy(binding.value.path):
                return self.machine.caller.invoke(binding.value, given, site, (one, receiver))
            return None
        return None

    # Classes without a statement

    def made(self, how: str, given: Sequence[Given], site: CallSite, frame: Frame) -> Value:
        """A class that a call makes: `type("Leaf", (Base,), {…})`."""
        settled = self.machine.settled
        name = settled(given[0].value) if given and not given[0].star else Unknown("")
        text = name.value if isinstance(name, Constant) and isinstance(name.value, str) else "<computed>"
        cls = ClassValue(text, frame.prefix + text, frame.module.dotted, frame.module.location.origin)
        cls.where, cls.path, cls.frame = site.where, frame.path, frame
        cls.local = "<locals>" in cls.qualname
        position = 2 if how in ("dataclasses.make_dataclass",) else 1
        named = next((arg for arg in given if arg.keyword == "bases"), None)
        if named is None and len(given) > position and given[position].keyword is None:
            named = given[position]
        bases = self.machine.evaluator.items(named.value) if named is not None else []
        found = (
            [Unknown("its bases are computed", taint=True)]
            if bases is None
            else [self.machine.class_maker.class_behind(self.machine.settled(item.value)) for item in bases]
        )
        cls.bases = tuple(found)
        cls.unknown_base = next((base for base in found if isinstance(base, Unknown)), None)
        body = settled(given[2].value) if how == "type" and len(given) > 2 else None
        if isinstance(body, DictValue):
            cls.namespace = {
                str(key): Binding(item.value, item.where) for key, item in body.items.items() if isinstance(key, str)
            }
        self.machine.class_maker.finish(cls, None)
        call = {"type": "type()"}.get(how, f"`{how}`")
        cls.dynamic = Unknown(f"it is made by {call}, not by a class statement", taint=True)
        cls.dynamic_where = site.where
        self.machine.classes.append(cls)
        return cls

    def namedtuple(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """`namedtuple("Point", "x y", defaults=…)` and `NamedTuple("Point", [("x", int)])`."""
        try:
            name = plain(self.machine.certain(given[0].value)) if given else None
            fields = self._tuple_fields(given[1].value) if len(given) > 1 else []
        except NotConstantError:
            return None
        if not isinstance(name, str) or fields is None:
            return None
        defaults = next((arg.value for arg in given if arg.keyword == "defaults"), None)
        items = self.machine.evaluator.items(defaults) if defaults is not None else []
        if items is None:
            return None
        cls = ClassValue(name, frame.prefix + name, frame.module.dotted, frame.module.location.origin)
        cls.where, cls.path, cls.bases = site.where, frame.path, (self.machine.known_class("builtins.tuple"),)
        given_defaults = [None] * (len(fields) - len(items)) + [Binding(item.value, item.where) for item in items]
        specs = {f: FieldSpec(f, f, default, owner=cls) for f, default in zip(fields, given_defaults, strict=False)}
        cls.fields = Fields("namedtuple", specs)
        cls.namespace = {f: Binding(Unknown("it is a field of a named tuple"), site.where) for f in fields}
        self.machine.class_maker.finish(cls, None)
        return cls

    def _tuple_fields(self, value: Value) -> list[str] | None:
        value = self.machine.settled(value)
        if isinstance(value, Constant) and isinstance(value.value, str):
            return value.value.replace(",", " ").split()
        out: list[str] = []
        for item in self.machine.evaluator.items(value) or []:
            pair = self.machine.evaluator.items(item.value)
            first = pair[0].value if pair and not isinstance(item.value, Constant) else item.value
            text = plain(self.machine.certain(first))
            if not isinstance(text, str):
                return None
            out.append(text)
        return out


def _from_super(returned: ir.Expr | None) -> bool:
    """`return super().__new__(mcls, name, bases, namespace)`, or `type.__new__(…)`, with nothing computed."""
    match returned:
        case ir.Call(func=ir.Attr(attr="__new__"), args=args):
            return all(isinstance(arg.value, ir.Name) for arg in args)
    return False
