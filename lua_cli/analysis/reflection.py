"""Built-in functions that look at objects, or change them by name: `getattr`, `setattr`, `isinstance`, `vars`.

In: the arguments of the call. Out: its result, or None where only a run knows.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from lua_cli.analysis.iterators import Iterators
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    Binding,
    Bound,
    CallSite,
    ClassValue,
    Constant,
    DictValue,
    FunctionValue,
    Given,
    Instance,
    LambdaValue,
    ListValue,
    ModuleValue,
    Partial,
    Unknown,
    Value,
)


class Reflection(Iterators):
    """Calls about objects and their attributes."""

    def getattr_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        name = self._literal(given, 1)
        if name is None:
            return Unknown(
                "`getattr` with a computed name", any(self.machine.evaluator.tainted(a.value) for a in given)
            )
        owner = self.machine.settled(given[0].value)
        has = self._has(owner, name)
        if len(given) > 2 and has is False:
            return given[2].value
        if len(given) > 2 and has is None:
            tainted = self.machine.evaluator.tainted(owner) or self.machine.evaluator.tainted(given[2].value)
            return Unknown(f"whether it has `{name}` is only known when the code runs", tainted)
        return self.machine.evaluator.get_attribute(owner, name, site.where, frame)

    def _has(self, owner: Value, name: str) -> bool | None:
        if name.startswith("__") and name.endswith("__"):
            return True if name in ("__name__", "__class__") and isinstance(owner, ClassValue) else None
        match owner:
            case ModuleValue():
                return self.machine.importer.now(owner, name) is not None
            case ClassValue():
                found = self.machine.evaluator.lookup(owner, name)
                return None if isinstance(found, Unknown) else found is not None
            case Instance(cls=cls):
                found = self.machine.evaluator.lookup(cls, name)
                return True if isinstance(found, tuple) or name in owner.attributes else None
        return None

    def hasattr_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        name = self._literal(given, 1)
        has = self._has(self.machine.settled(given[0].value), name) if name is not None else None
        return Unknown("it is the result of `hasattr`") if has is None else Constant(has)

    def setattr_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        if len(given) != 3:
            return None
        name = self._literal(given, 1)
        if name is None:
            self.machine.class_maker.changed_at_will(given[0].value, site.where)
        else:
            binding = Binding(given[2].value, given[2].where)
            self.machine.evaluator.set_attribute(given[0].value, name, binding, site.where)
        return Constant(None)

    def delattr_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        name = self._literal(given, 1)
        if name is not None:
            gone = Unknown(f"`{self.machine.text(site.where)}` removes it")
            self.machine.evaluator.set_attribute(given[0].value, name, Binding(gone, None), site.where)
        return Constant(None)

    def isinstance_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.certain(given[0].value) if given else None
        if isinstance(value, Instance):
            return self._derives(value.cls, given)
        kind = self._kind_of(value) if value is not None else None
        return self._derives(kind, given) if kind is not None else None

    def _kind_of(self, value: Value) -> ClassValue | None:
        """The built-in class of a constant or a container."""
        match value:
            case Constant(value=constant) if hasattr(builtins, type(constant).__name__):
                return self.machine.known_class(f"builtins.{type(constant).__name__}")
            case ListValue(kind=kind, once=False):
                return self.machine.known_class(f"builtins.{kind}")
            case DictValue():
                return self.machine.known_class("builtins.dict")
            case ClassValue(metaclass=metaclass):
                return metaclass
        return None

    def callable_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.certain(given[0].value) if given else None
        if isinstance(value, ClassValue | FunctionValue | LambdaValue | Partial):
            return Constant(True)
        return Constant(False) if isinstance(value, Constant | ListValue | DictValue) else None

    def issubclass_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.certain(given[0].value) if given else None
        return self._derives(value, given) if isinstance(value, ClassValue) else None

    def _derives(self, cls: ClassValue, given: Sequence[Given]) -> Value | None:
        wanted = self.machine.settled(given[1].value) if len(given) == 2 else None
        several = [item.value for item in wanted.items] if isinstance(wanted, ListValue) else [wanted]
        classes = [self.machine.settled(one) for one in several if one is not None]
        if cls.mro is None or not all(isinstance(one, ClassValue) for one in classes):
            return None
        if any(isinstance(one, ClassValue) and self._decides_itself(one) for one in classes):
            return None
        return Constant(any(one in cls.mro for one in classes))

    def _decides_itself(self, cls: ClassValue) -> bool:
        """Whether a class, its metaclass, or a registration says what counts as its instance."""
        if "__subclasshook__" in cls.namespace or "register" in cls.mutated:
            return True
        if any(isinstance(base, ClassValue) and base.dotted == "typing.Protocol" for base in cls.bases):
            return True
        if cls.origin == "stdlib" and cls.module.startswith(("collections.abc", "_collections_abc", "numbers")):
            return True
        metas = cls.metaclass.known_chain() if cls.metaclass is not None else ()
        hooks = {"__instancecheck__", "__subclasscheck__"}
        return any(hooks & one.namespace.keys() and one.origin == "first-party" for one in metas)

    def vars_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        owner = self.machine.settled(given[0].value) if len(given) == 1 else None
        return Bound(owner, "__dict__") if isinstance(owner, Instance) else None

    def _literal(self, given: Sequence[Given], at: int) -> str | None:
        value = self.machine.certain(given[at].value) if len(given) > at and not given[at].star else None
        return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None
