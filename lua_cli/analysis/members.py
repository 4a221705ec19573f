"""Attributes and items of abstract values, read.

In: a value and a name or a key. Out: what is there, by Python's rules (MRO, methods bound to instances, members of
modules), or why that is not known.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis import folding
from lua_cli.analysis.constants import NotConstantError, lifted, plain
from lua_cli.analysis.scopes import Frame, either
from lua_cli.analysis.values import (
    AgentValue,
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
    Generic,
    Given,
    Instance,
    LambdaValue,
    Lazy,
    ListValue,
    Maybe,
    ModuleValue,
    Partial,
    SkillValue,
    Super,
    Unknown,
    Value,
    Where,
    described,
)

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

ENVIRONMENT = "it is read from the environment"


class Members:
    """Attributes and items."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.nowhere = Where(machine.project.entry, (1, 0, 1, 0))

    # Reading

    def get_attribute(self, owner: Value, name: str, where: Where, frame: Frame) -> Value:
        """`owner.name`."""
        match owner:
            case ModuleValue():
                return self._of_module(owner, name, frame)
            case Lazy():
                if not frame.module.lazy and self.machine.catches("AttributeError"):
                    return self.get_attribute(self.machine.force(owner), name, where, frame)
                return Lazy(
                    lambda: self.get_attribute(self.machine.force(owner), name, where, frame), f"{owner.text}.{name}"
                )
            case Ambiguous():
                values = [self.get_attribute(candidate, name, where, frame) for candidate in owner.candidates]
                return either(values, Maybe(owner.reason, owner.where), partial=True)
            case Generic():
                return self._of_class(owner.cls, name)
            case ClassValue():
                return self._of_class(owner, name)
            case Instance():
                return self._of_instance(owner, name)
            case Super():
                return self._of_super(owner, name)
            case External():
                return self._of_external(owner, name)
            case EnumMember():
                return Constant(owner.name) if name == "name" else owner.value if name == "value" else Unknown("")
            case SkillValue() if name == "tools":
                return owner.tools
            case AgentValue() if name == "skills":
                return owner.skills
            case SkillValue() | AgentValue():
                return self._of_made(owner, name)
            case Constant(value=constant) if not hasattr(constant, name):
                self.machine.fail("AttributeError", f"{type(constant).__name__!r} object has no attribute {name!r}")
                return Unknown(f"{described(owner)} has no `{name}`")
            case ListValue() | DictValue() | Constant() | FunctionValue():
                if isinstance(owner, FunctionValue) and name in ("__name__", "__qualname__"):
                    return Constant(owner.node.name if name == "__name__" else owner.qualname)
                return Bound(owner, name)
            case Unknown():
                return owner
        return Unknown("it is an attribute of a value that is not followed", self.tainted(owner))

    def _of_module(self, module: ModuleValue, name: str, frame: Frame) -> Value:
        found = self.machine.importer.member(module, name)
        if isinstance(found, Lazy) and not frame.module.lazy and self.machine.catches("AttributeError"):
            found = self.machine.importer.now(module, name)
        if found is None:
            self.machine.fail("AttributeError", f"module {module.dotted!r} has no attribute {name!r}")
            if module.state == "running":
                return Unknown(f"`{module.dotted}` is still being imported and has not bound `{name}` yet")
            return Unknown(f"`{module.dotted}` has no binding `{name}`", taint=not module.lazy)
        return found

    def _of_class(self, cls: ClassValue, name: str) -> Value:
        if cls.dynamic is not None and cls.dynamic.taint:
            return cls.dynamic
        found = self.lookup(cls, name)
        if isinstance(found, Unknown):
            return found
        if found is not None:
            value = found[0].value
            if isinstance(value, FunctionValue):
                if value.kind == "classmethod":
                    return Bound(cls, name, value)
                if value.kind not in ("function", "staticmethod"):
                    return Unknown(f"`{name}` of {cls.name} is {_kind(value)}")
            return value
        if name in ("__name__", "__qualname__", "__module__"):
            return Constant({"__name__": cls.name, "__qualname__": cls.qualname, "__module__": cls.module}[name])
        if name == "__subclasses__":
            return Unknown(f"the subclasses of {cls.name} are known when all modules are imported", taint=True)
        if name in ("__setattr__", "__delattr__"):
            return External("setattr" if name == "__setattr__" else "delattr")
        if name == "__dict__":
            return Unknown(f"`__dict__` of {cls.name} is not followed", self.tainted(cls))
        abc = cls.metaclass is not None and any(one.dotted == "abc.ABCMeta" for one in cls.metaclass.known_chain())
        if name == "__new__" or (name == "register" and abc):
            return Bound(cls, name)
        if name.startswith("__") and name.endswith("__"):
            return Unknown(f"`{name}` of {cls.name} is not followed", self.tainted(cls))
        self.machine.fail("AttributeError", f"type object {cls.name!r} has no attribute {name!r}")
        return Unknown(f"{cls.name} has no `{name}`")

    def _of_instance(self, instance: Instance, name: str) -> Value:
        if name in instance.attributes:
            return instance.attributes[name].value
        if name == "__class__":
            return instance.cls
        if name == "__dict__":
            return Bound(instance, "__dict__")
        if name in self.machine.constructors.of(instance.cls).sets:
            reason = f"`{name}` is set when an instance of {instance.cls.name} is made"
            return Unknown(reason, self.tainted(instance) or not self.machine.is_lazy(instance.site.where.path))
        found = self.lookup(instance.cls, name)
        if isinstance(found, Unknown):
            return found
        if found is None:
            return Unknown(f"`{name}` is set when an instance of {instance.cls.name} is made", self.tainted(instance))
        value = found[0].value
        if isinstance(value, FunctionValue):
            if value.kind == "function":
                return Bound(instance, name, value)
            if value.kind == "classmethod":
                return Bound(instance.cls, name, value)
            if value.kind == "property" and self.machine.class_maker.is_tool(instance.cls) is False:
                site = CallSite(self.nowhere, self.nowhere, ())
                receiver = [Given(instance, self.nowhere)]
                return self.machine.caller.invoke(value, receiver, site, (found[1], instance))
            if value.kind != "staticmethod":
                return Unknown(f"`{name}` of {instance.cls.name} is {_kind(value)}", self.tainted(instance))
        return Bound(instance, name, value) if isinstance(value, LambdaValue) else value

    def _of_made(self, made: SkillValue | AgentValue, name: str) -> Value:
        """An attribute of a skill or an agent: what it was given, else what its class has."""
        if name in made.given:
            return made.given[name].value
        found = self.lookup(made.cls, name)
        if isinstance(found, Unknown):
            return found
        default = self.machine.registrar.defaults(made).get(name)
        if default is not None:
            return default
        if found is None:
            self.machine.fail("AttributeError", f"{made.cls.name!r} object has no attribute {name!r}")
            return made.unknown or Unknown(f"{described(made)} has no `{name}`")
        value = found[0].value
        if isinstance(value, FunctionValue) and value.kind in ("function", "classmethod"):
            return Bound(made if value.kind == "function" else made.cls, name, value)
        if isinstance(value, FunctionValue) and value.kind != "staticmethod":
            return Unknown(f"`{name}` of {made.cls.name} is {_kind(value)}", taint=True)
        return Bound(made, name, value) if isinstance(value, LambdaValue) else value

    def _of_super(self, owner: Super, name: str) -> Value:
        receiver = owner.owner
        cls = receiver.cls if isinstance(receiver, Instance | SkillValue | AgentValue) else receiver
        mro = cls.mro if isinstance(cls, ClassValue) else owner.cls.mro
        if mro is None or owner.cls not in mro:
            return Unknown("it is an attribute of `super()`")
        for one in mro[mro.index(owner.cls) + 1 :]:
            if name in one.namespace:
                value = one.namespace[name].value
                function = value if isinstance(value, FunctionValue) else None
                return Bound(receiver, name, function) if function else value
        return Bound(owner, name)

    def _of_external(self, owner: External, name: str) -> Value:
        if owner.dotted == "sys.version_info" and name in ("major", "minor"):
            return Constant(self.version()[("major", "minor").index(name)])
        return External(f"{owner.dotted}.{name}")

    def lookup(self, cls: ClassValue, name: str) -> tuple[Binding, ClassValue] | Unknown | None:
        """Where the MRO gives a name; None when nothing does, Unknown when an unknown base may."""
        for one in cls.known_chain():
            if name in one.namespace:
                return one.namespace[name], one
        if cls.mro is None:
            why = cls.unknown_base or Unknown("a base is not known")
            return Unknown(f"a base of {cls.name} is not known: {why.reason}", taint=True)
        return None

    def module_attribute(self, module: ModuleValue, name: str) -> Value | None:
        """The names that a module has of itself."""
        package = module.dotted if module.location.is_package else module.dotted.rpartition(".")[0]
        if name in ("__name__", "__package__"):
            return Constant(module.dotted if name == "__name__" else package)
        if name in ("__file__", "__path__", "__spec__", "__loader__", "__dict__", "__builtins__", "__cached__"):
            return Unknown(f"`{name}` depends on where the module is installed")
        return Constant(module.frame.docstring) if name == "__doc__" else None

    def get_item(self, owner: Value, key: Value, where: Where) -> Value:
        """`owner[key]`."""
        match owner:
            case Lazy():
                return Lazy(lambda: self.get_item(self.machine.force(owner), key, where), f"{owner.text}[…]")
            case Ambiguous():
                values = [self.get_item(candidate, key, where) for candidate in owner.candidates]
                return either(values, Maybe(owner.reason, owner.where), partial=True)
            case ClassValue() if self.is_enum(owner):
                return self._enum_item(owner, key)
            case ClassValue():
                found = self.lookup(owner, "__class_getitem__")
                if isinstance(found, tuple) and self._looks_up(found[0].value, found[1]):
                    return Unknown(f"{found[1].name} defines `__class_getitem__`", taint=True)
                return Generic(owner)
            case Generic():
                return owner
            case External(dotted="os.environ"):
                return Unknown(ENVIRONMENT)
            case External(dotted="sys.modules"):
                name = key.value if isinstance(key, Constant) else None
                return self.machine.importer.modules.get(str(name)) or Unknown("it is looked up in sys.modules")
            case External(dotted="sys.version_info"):
                version = self.version()
                index = key.value if isinstance(key, Constant) else None
                return Constant(version[index]) if isinstance(index, int) and 0 <= index < 2 else Unknown("")
            case External():
                return owner
            case DictValue():
                return self._dict_item(owner, key)
            case Instance():
                own = self.machine.evaluator.own_method(owner, "__getitem__", [Given(key, where)], where)
                return self._part(owner) if own is None else own
            case ListValue(unordered=True) if len(owner.items) > 1:
                return Unknown("the order of the list is not known", self.tainted(owner))
            case ListValue(unknown=None) if isinstance(key, Constant) and isinstance(key.value, int):
                if not any(i.maybe for i in owner.items):
                    if -len(owner.items) <= key.value < len(owner.items):
                        return owner.items[key.value].value
                    self.machine.fail("IndexError", "list index out of range")
        try:
            return lifted(folding.subscript(plain(owner), plain(self.machine.certain(key))), where)
        except (NotConstantError, folding.NotFoldedError):
            return self._part(owner)

    def _looks_up(self, value: Value, owner: ClassValue) -> bool:
        """Whether a `__class_getitem__` may give another class: one that is written out, outside of the standard
        library."""
        return isinstance(value, FunctionValue) and owner.origin in ("first-party", "third-party")

    def _enum_item(self, cls: ClassValue, key: Value) -> Value:
        name = key.value if isinstance(key, Constant) else None
        found = cls.namespace.get(str(name))
        return found.value if found else Unknown(f"it is looked up in {cls.name}")

    def _dict_item(self, owner: DictValue, key: Value) -> Value:
        try:
            item = owner.items.get(plain(self.machine.certain(key)))
        except (NotConstantError, TypeError):
            return self._part(owner)
        if item is not None and (owner.unknown is None or item.maybe is None):
            maybe = item.maybe
            return item.value if maybe is None else either([item.value], maybe, partial=True)
        if item is None and owner.unknown is None:
            self.machine.fail("KeyError", "no such key")
            return Unknown("the dict has no such key")
        return self._part(owner)

    def _part(self, owner: Value) -> Unknown:
        self.machine.unsure += 1
        if isinstance(owner, Unknown):
            return owner
        return Unknown("it is looked up with a subscript", self.tainted(owner))

    def get_slice(self, owner: Value, parts: Sequence[Value | None]) -> Value:
        """`owner[lower:upper:step]`."""
        owner = self.machine.settled(owner)
        bounds: list[int | None] = []
        for part in parts:
            value = Constant(None) if part is None else self.machine.certain(part)
            if not isinstance(value, Constant) or not (value.value is None or isinstance(value.value, int)):
                return self._part(owner)
            bounds.append(value.value)
        cut = slice(*bounds)
        try:
            if isinstance(owner, External) and owner.dotted == "sys.version_info":
                return lifted(self.version()[cut], self.nowhere)
            if isinstance(owner, ListValue) and owner.unordered and cut != slice(None):
                return Unknown("the order of the list is not known", self.tainted(owner))
            if isinstance(owner, ListValue) and owner.unknown is None and not any(i.maybe for i in owner.items):
                return ListValue(owner.kind, owner.items[cut], None, len(self.machine.conditions))
            return lifted(folding.subscript(plain(owner), cut), self.nowhere)
        except (NotConstantError, folding.NotFoldedError, ValueError):
            return self._part(owner)

    # What is asked of values

    def is_enum(self, value: Value) -> bool:
        if not isinstance(value, ClassValue) or value.metaclass is None:
            return False
        return any(one.dotted == "enum.EnumMeta" for one in value.metaclass.mro or ())

    def version(self) -> tuple[int, ...]:
        """The version of the project's Python, as far as it is known."""
        interpreter = self.machine.project.interpreter
        return sys.version_info[:3] if interpreter.own else interpreter.version

    def tainted(self, value: Value, depth: int = 0) -> bool:
        """Whether a tool class may come out of a value in ways that are not followed."""
        if depth > 6:
            return True
        match value:
            case Unknown(taint=taint):
                return taint
            case ClassValue():
                return self.machine.class_maker.is_tool(value) is not False
            case Generic(cls=cls) | Instance(cls=cls):
                return self.machine.class_maker.is_tool(cls) is not False
            case ListValue(items=items):
                return any(self.tainted(item.value, depth + 1) for item in items)
            case DictValue(items=items):
                return any(self.tainted(item.value, depth + 1) for item in items.values())
            case Ambiguous(candidates=candidates):
                return any(self.tainted(candidate, depth + 1) for candidate in candidates)
            case FunctionValue(path=path) | LambdaValue(path=path):
                return not self.machine.is_lazy(path)
            case ModuleValue():
                return not value.lazy
            case Bound(owner=owner):
                return self.tainted(owner, depth + 1)
            case Partial(func=func, args=args):
                return self.tainted(func, depth + 1) or any(self.tainted(arg.value, depth + 1) for arg in args)
        return False


def _kind(function: FunctionValue) -> str:
    return f"decorated by `{function.decorated_by}`" if function.kind == "other" else f"a {function.kind}"
