"""What a tool's attributes finally are, as an instance has them.

In: a `ClassValue` when the import has ended. Out: `Attribute`s. Python's order: a property of the class, then what
construction sets on the instance, then the MRO.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.analysis.constants import NotConstantError, plain
from lua_cli.analysis.decoration import TRACKED
from lua_cli.analysis.model import Attribute
from lua_cli.analysis.values import (
    Ambiguous,
    Binding,
    ClassValue,
    Configured,
    EnumMember,
    External,
    FunctionValue,
    Generic,
    LambdaValue,
    ModuleValue,
    Unknown,
    Value,
    Where,
    described,
)

if TYPE_CHECKING:
    from lua_cli.analysis.constructors import Constructor
    from lua_cli.analysis.machine import Machine
    from lua_cli.diagnostics import Place

_WRITTEN = ("name", "description", "voice_flags")


class Attributes:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._inherited: dict[Binding, tuple[ClassValue, Attribute]] = {}
        self._without = {name: Attribute(name, "missing") for name in TRACKED}
        self._shown: dict[ClassValue, str] = {}

    def of(self, cls: ClassValue, constructor: Constructor) -> dict[str, Attribute]:
        """The attributes that the product reads."""
        watched = self._watched(cls)
        chain = cls.known_chain()
        model = next((one for one in chain if one.fields is not None and one.fields.maker == "pydantic"), None)
        found = {name: self._one(cls, name, constructor, watched, model) for name in TRACKED}
        return self._without if found == self._without else found

    def _one(
        self, cls: ClassValue, name: str, constructor: Constructor, watched: ClassValue | None, model: ClassValue | None
    ) -> Attribute:
        """One of them. `watched`: the class of the chain that says itself what attributes are; `model`: its first
        pydantic model."""
        found = self.machine.evaluator.lookup(cls, name)
        if cls.dynamic is not None and (cls.dynamic.taint or name in _WRITTEN):
            place = self._place(cls.where)
            return Attribute(name, "dynamic", None, place, self.shown(cls), cls.dynamic.reason)
        if watched is not None and name in _WRITTEN:
            reason = f"{watched.name} defines `__getattribute__`"
            return Attribute(name, "dynamic", None, None, self.shown(watched), reason)
        if isinstance(found, tuple) and isinstance(value := found[0].value, FunctionValue) and value.kind == "property":
            return self.stated(name, found[0], found[1])
        fields = model.fields.fields if model is not None and model.fields is not None else {}
        if model is not None and name in fields and constructor.buildable is False:
            reason = f"`{name}` is a field of an instance, and none can be made without arguments"
            return Attribute(name, "dynamic", None, None, self.shown(model), reason)
        # Of a class that cannot be built there is no instance: what it has itself counts.
        if name in constructor.sets and not cls.abstracts and name not in ("execute", "condition"):
            owner = next((one for one in cls.known_chain() if one.fields and name in one.fields.fields), None)
            return self.stated(name, constructor.sets[name], owner or (found[1] if isinstance(found, tuple) else None))
        if isinstance(found, Unknown):
            return Attribute(name, "dynamic", None, None, None, found.reason)
        declared = self._declared(cls, name) if found is None else None
        if declared is not None:
            return self.stated(name, declared, cls)
        if found is not None:
            abstract = self.machine.class_maker.is_abstract(found[0].value)
            if not (name == "execute" and abstract):
                return self._of_class(name, *found)
        return self._missing(cls, name)

    def _declared(self, cls: ClassValue, name: str) -> Binding | None:
        """The default of a field of a class that cannot be built without arguments, or that writes its own
        constructor."""
        for one in cls.known_chain():
            if one.fields is not None and one.fields.maker in ("attrs", "pydantic") and name in one.fields.fields:
                return one.fields.fields[name].default
        return None

    def _missing(self, cls: ClassValue, name: str) -> Attribute:
        for one in cls.known_chain():
            if "__getattr__" in one.namespace and one.origin != "builtin":
                reason = f"`{name}` comes from `__getattr__` of {one.name}, if it is there at all"
                return Attribute(name, "dynamic", None, None, self.shown(one), reason)
        return self._without[name]

    def _watched(self, cls: ClassValue) -> ClassValue | None:
        chain = cls.known_chain()
        return next((one for one in chain if "__getattribute__" in one.namespace and one.origin != "builtin"), None)

    def _of_class(self, name: str, binding: Binding, owner: ClassValue) -> Attribute:
        """What a class gives under a name: once for all that inherit it."""
        held = self._inherited.get(binding)
        if held is not None and held[0] is owner and held[1].name == name:
            return held[1]
        stated = self.stated(name, binding, owner)
        self._inherited[binding] = owner, stated
        return stated

    def stated(self, name: str, binding: Binding, owner: ClassValue | None = None) -> Attribute:
        """A binding as an attribute."""
        value = self.machine.force(binding.value)
        place = self._place(binding.where)
        holder = self.shown(owner) if owner is not None else None
        if isinstance(value, Ambiguous):
            return Attribute(name, "dynamic", None, place, holder, value.reason)
        if binding.computed and name == "name" and owner is not None:
            return Attribute(name, "dynamic", None, place, holder, f"it is the result of calling `{binding.computed}`")
        try:
            return Attribute(name, "known", plain(value), place, holder)
        except NotConstantError:
            pass
        reference, reason = self._reference(name, value, owner)
        if reference is not None:
            return Attribute(name, "reference", reference, place, holder)
        return Attribute(name, "dynamic", None, place, holder, reason)

    def _reference(self, name: str, value: Value, owner: ClassValue | None) -> tuple[str | None, str]:
        """The dotted name of what a value refers to, else why it is dynamic."""
        match value:
            case ClassValue():
                return self.shown(value), ""
            case Generic(cls=cls):
                return self.shown(cls), ""
            case FunctionValue(kind="property" | "cached_property" as kind):
                return None, f"`{name}` is a {kind}"
            case FunctionValue(kind="other", decorated_by=decorator):
                return None, f"`{name}` is decorated by `{decorator}`"
            case FunctionValue():
                return f"{value.module}.{value.qualname}", ""
            case LambdaValue() if owner is not None:
                return f"{owner.dotted}.{name}", ""
            case EnumMember(cls=cls):
                return f"{cls.dotted}.{value.name}", ""
            case ModuleValue(dotted=dotted) | External(dotted=dotted):
                return dotted, ""
            case Unknown(reason=reason):
                return None, reason
            case Configured(dotted=dotted):
                return None, f"it is the result of `{dotted}(…)`"
        return None, f"it is {described(value)}"

    def _place(self, where: Where | None) -> Place | None:
        return None if where is None else self.machine.index.place(where.path, where.span)

    def shown(self, cls: ClassValue) -> str:
        """The name that a class goes by in what is shown: the SDK's own as users import them. One text for a class,
        which is asked for again and again."""
        if cls not in self._shown:
            self._shown[cls] = self.machine.shown(cls)
        return self._shown[cls]
