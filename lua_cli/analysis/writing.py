"""Attributes and items of abstract values, written.

In: a value, a name or a key, and what is assigned. Out: the value changed, in the program's order. A write that changes
a class, a skill or an agent from outside is remembered with its place; one that Python refuses raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.analysis.constants import NotConstantError, plain
from lua_cli.analysis.scopes import either, kinds_of
from lua_cli.analysis.values import (
    AgentValue,
    Ambiguous,
    Binding,
    Bound,
    CallSite,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    Generic,
    Given,
    Instance,
    Item,
    Lazy,
    ListValue,
    Maybe,
    ModuleValue,
    SkillValue,
    Unknown,
    Value,
    Where,
)

if TYPE_CHECKING:
    pass
from lua_cli.analysis.members import Members


class Writing(Members):
    """Attributes and items, also written."""

    def set_attribute(self, holder: Value, name: str, binding: Binding, statement: Where) -> None:
        """`holder.name = …`, at the statement's place."""
        self.machine.reach.stored(holder, binding.value, statement)
        match holder:
            case Lazy() if not self.machine.is_lazy(statement.path):
                self.set_attribute(self.machine.force(holder), name, binding, statement)
            case Ambiguous():
                maybe = Maybe(holder.reason, holder.where)
                for candidate in holder.candidates:
                    self.set_attribute(
                        candidate, name, Binding(either([binding.value], maybe, partial=True), binding.where), statement
                    )
            case Generic():
                self.set_attribute(holder.cls, name, binding, statement)
            case ClassValue() if holder.origin != "builtin":
                self._set_on_class(holder, name, binding, statement)
            case Instance():
                self._set_on_instance(holder, name, binding, statement)
            case ModuleValue():
                self._set_on_module(holder, name, binding, statement)
            case SkillValue() | AgentValue():
                self.machine.registrar.assigned(holder, name, binding, statement)
            case FunctionValue() if name == "__isabstractmethod__":
                holder.abstract = bool(binding.value.value) if isinstance(binding.value, Constant) else None

    def _set_on_class(self, cls: ClassValue, name: str, binding: Binding, statement: Where) -> None:
        perhaps = self.machine.perhaps
        if perhaps is not None:
            old = self.machine.evaluator.lookup(cls, name)
            values = [binding.value, *([old[0].value] if isinstance(old, tuple) else [])]
            binding = Binding(either(values, perhaps, partial=True), binding.where)
        if name == "__bases__":
            self.machine.class_maker.uncertain(cls, "its `__bases__` are assigned")
            return
        cls.namespace[name] = binding
        cls.mutated = {**cls.mutated, name: statement}

    def _set_on_instance(self, instance: Instance, name: str, binding: Binding, statement: Where) -> None:
        if name == "__class__":
            cls = self.machine.settled(binding.value)
            if isinstance(cls, ClassValue) and self.machine.perhaps is None:
                instance.cls = cls
            return
        if self._refused(instance, name, binding, statement):
            return
        perhaps = self.machine.perhaps
        if perhaps is not None and perhaps is not instance.maybe:
            old = instance.attributes.get(name)
            values = [binding.value, *([old.value] if old else [])]
            binding = Binding(either(values, perhaps, partial=old is None), binding.where)
        instance.attributes[name] = binding
        if not instance.constructing:
            instance.changed = {**instance.changed, name: statement}

    def _refused(self, instance: Instance, name: str, binding: Binding, statement: Where) -> bool:
        """An assignment that something else than the instance takes: a setter, or nothing, since Python raises."""
        fields = instance.cls.fields
        if fields is not None and (fields.frozen or fields.maker == "namedtuple") and not instance.constructing:
            kinds = frozenset({"dataclasses.FrozenInstanceError", "attr.exceptions.FrozenInstanceError"})
            self.machine.fail("", "cannot assign to field", kinds | kinds_of("AttributeError"))
            return True
        found = self.machine.evaluator.lookup(instance.cls, name)
        value = found[0].value if isinstance(found, tuple) else None
        if not isinstance(value, FunctionValue) or value.kind != "property" or not isinstance(found, tuple):
            return False
        if value.setter is None:
            self.machine.fail("AttributeError", f"property {name!r} has no setter")
            return not value.settable
        site = CallSite(statement, statement, ())
        given = [Given(instance, statement), Given(binding.value, statement)]
        self.machine.caller.invoke(value.setter, given, site, (found[1], instance))
        return True

    def _set_on_module(self, module: ModuleValue, name: str, binding: Binding, statement: Where) -> None:
        if module.lazy:
            self.machine.importer.now(module, name)
        old = module.frame.names.get(name)
        self.machine.bind_in(module.frame, name, binding)
        if any(
            isinstance(v, ClassValue) and self.machine.class_maker.is_tool(v)
            for v in (binding.value, old and old.value)
        ):
            self.machine.find(
                "lua/runtime-mutation",
                statement,
                expression=self.machine.text(statement),
                name=f"{module.dotted}.{name}",
                reason=f"`{name}` of the module {module.dotted} is replaced from outside",
            )

    def set_item(self, holder: Value, key: Value, item: Item) -> None:
        """`holder[key] = …`."""
        holder = self.machine.force(holder)
        self.machine.reach.stored(holder, item.value, item.where)
        if isinstance(holder, DictValue):
            try:
                known = plain(self.machine.certain(key))
                old = holder.items.get(known)
                if item.maybe is not None and old is not None and old.maybe is None:
                    item = Item(either([item.value, old.value], item.maybe, partial=True), item.where)
                holder.items[known] = item
            except (NotConstantError, TypeError):
                holder.unknown = self.unknown_key(item.value)
        elif isinstance(holder, ListValue) and holder.kind == "tuple":
            self.machine.fail("TypeError", "'tuple' object does not support item assignment")
        elif isinstance(holder, Instance):
            given = [Given(key, item.where), Given(item.value, item.where)]
            self.machine.evaluator.own_method(holder, "__setitem__", given, item.where)
        elif isinstance(holder, Bound) and holder.name == "__dict__" and isinstance(holder.owner, Instance):
            name = self.machine.settled(key)
            if isinstance(name, Constant) and isinstance(name.value, str):
                self._set_on_instance(holder.owner, name.value, Binding(item.value, item.where), item.where)
        elif isinstance(holder, ListValue):
            index = key.value if isinstance(key, Constant) else None
            if isinstance(index, int) and -len(holder.items) <= index < len(holder.items) and item.maybe is None:
                holder.items[index] = item
            else:
                self.machine.caller.spoil(holder, "an element of it is replaced")
        elif isinstance(holder, Bound) and isinstance(holder.owner, ModuleValue):
            holder.owner.open = holder.owner.open or "names are written through `globals()`"
        elif isinstance(holder, External) and holder.dotted == "sys.modules" and isinstance(key, Constant):
            module = self.machine.importer.modules.get(str(key.value))
            if module is not None:
                self._put_in_place(module, item)

    def _put_in_place(self, module: ModuleValue, item: Item) -> None:
        """`sys.modules["module"] = …`: whoever imports it gets that."""
        value = self.machine.force(item.value)
        if value is module:
            return
        while isinstance(value, ModuleValue) and value.stead is not None:
            value = value.stead
        if value is module or not isinstance(value, ModuleValue) or item.maybe is not None:
            module.open = "it replaces itself in sys.modules"
        else:
            module.stead = value

    def unknown_key(self, value: Value) -> Unknown:
        return Unknown("it has keys that are computed", self.machine.evaluator.tainted(value))
