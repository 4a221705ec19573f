"""Methods of lists, dicts, strings and skills, as the abstract import follows them.

In: a container and a call of one of its methods. Out: the container changed, and the method's result. What is done
under a condition that only a run decides is marked as perhaps done; what is not followed spoils the container, so that
it says it may hold other things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.analysis import folding
from lua_cli.analysis.constants import NotConstantError, lifted, plain
from lua_cli.analysis.scopes import Frame, either
from lua_cli.analysis.values import (
    AgentValue,
    CallSite,
    Constant,
    DictValue,
    Given,
    Instance,
    Item,
    ListValue,
    Maybe,
    SkillValue,
    Unknown,
    Value,
    Where,
    same,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

MAX_ITEMS = 50_000
_READS = frozenset({"index", "count", "copy", "keys", "values", "items", "get", "issubset", "union"})


class Containers:
    """Methods of containers."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def container_method(self, owner: Value, name: str, given: Sequence[Given], site: CallSite) -> Value | None:
        """The result of `owner.name(given)`; None when it is not followed."""
        match owner:
            case ListValue():
                return self._list_method(owner, name, given, site)
            case DictValue():
                return self._dict_method(owner, name, given, site)
            case SkillValue() | AgentValue():
                return self.machine.registrar.method(owner, name, given, site)
            case Constant():
                return self._constant_method(owner, name, given, site)
        return None

    # Lists

    def _list_method(self, owner: ListValue, name: str, given: Sequence[Given], site: CallSite) -> Value:
        plain_call = len(given) == 1 and not given[0].star and given[0].keyword is None
        if name in ("append", "add") and plain_call:
            self.append(owner, given[0].value, given[0].where, site.where)
        elif name in ("extend", "update") and plain_call:
            self.extend(owner, given[0].value, given[0].where, site.where)
        elif name == "insert" and len(given) == 2:
            self.append(owner, given[1].value, given[1].where, site.where, self._index(given[0].value))
        elif name in ("remove", "discard") and plain_call:
            self._remove(owner, given[0].value, site)
        elif name == "pop" and len(given) <= 1:
            return self._pop(owner, given, site)
        elif name == "clear" and not given and not self._undecided(owner):
            owner.items, owner.unknown = [], None
            self._changed(owner, site.where)
        elif name == "reverse" and not self._undecided(owner):
            owner.items.reverse()
        elif name in ("sort", "reverse"):
            ordered = self.ordered(owner.items, given) if name == "sort" else None
            owner.items = ordered or owner.items
            owner.unordered = ordered is None or self._undecided(owner) is not None
        elif name == "copy":
            return ListValue(owner.kind, list(owner.items), owner.unknown, len(self.machine.conditions))
        elif name in _READS:
            return Unknown(f"it is the result of `{name}` of a list", self.machine.evaluator.tainted(owner))
        else:
            self.spoil(owner, f"`{name}` changes it")
        return Constant(None)

    def append(self, owner: ListValue, value: Value, where: Where, statement: Where, index: int | None = None) -> None:
        """Adds one element; at `index` when that is given."""
        if owner.kind == "set" and any(same(value, item.value) and item.maybe is None for item in owner.items):
            return
        item = Item(value, where, self._undecided(owner))
        self._changed(owner, statement, item)
        owner.items.insert(len(owner.items) if index is None else index, item)

    def extend(self, owner: ListValue, added: Value, where: Where, statement: Where | None = None) -> None:
        """Adds the elements of a value; one unknown element for those that are not known."""
        items = self.machine.evaluator.items(added)
        maybe = self._undecided(owner)
        if items is None or len(items) + len(owner.items) > MAX_ITEMS:
            unknown = self.machine.evaluator.unknown(added, "it is added from")
            owner.unknown = owner.unknown or unknown
            items = [Item(unknown, where)]
        for item in items:
            if owner.kind == "set" and any(same(item.value, one.value) and one.maybe is None for one in owner.items):
                continue
            new = item._replace(maybe=item.maybe or maybe)
            self._changed(owner, statement or where, new)
            owner.items.append(new)

    def ordered(self, items: Sequence[Item], given: Sequence[Given]) -> list[Item] | None:
        """Items as `sorted` would put them; None when the order is not known."""
        if len(items) < 2:
            return list(items)
        backwards = False
        for arg in given:
            value = self.machine.settled(arg.value)
            if arg.keyword != "reverse" or not isinstance(value, Constant):
                return None
            backwards = bool(value.value)
        values = [_sort_key(item.value) for item in items]
        different = len({value.value for value in values if value is not None})
        if any(isinstance(item.value, ListValue) for item in items) and different < len(items):
            return None  # equal first parts: the next one decides
        constants = [value.value for value in values if isinstance(value, Constant)]
        kinds = {str if isinstance(one, str) else float if isinstance(one, int | float) else None for one in constants}
        if len(constants) < len(items) or len(kinds) != 1 or None in kinds or any(item.maybe for item in items):
            return None
        order: list[Any] = [value.value for value in values if value is not None]
        places = sorted(range(len(order)), key=order.__getitem__, reverse=backwards)
        return [items[at] for at in places]

    def _remove(self, owner: ListValue, value: Value, site: CallSite) -> None:
        at = next((at for at, item in enumerate(owner.items) if same(item.value, value)), None)
        if at is None or self._undecided(owner):
            self.machine.unsure += 1
            self.spoil(owner, "something is removed from it", site.where)
            return
        self._changed(owner, site.where)
        del owner.items[at]

    def _pop(self, owner: ListValue, given: Sequence[Given], site: CallSite) -> Value:
        index = self._index(given[0].value) if given else -1
        certain = owner.unknown is None and not self._undecided(owner) and not any(i.maybe for i in owner.items)
        certain = certain and not (owner.unordered or (owner.kind == "set" and len(owner.items) > 1))
        if index is None or not certain or not -len(owner.items) <= index < len(owner.items):
            self.spoil(owner, "something is taken out of it")
            return Unknown("it is taken out of a list", self.machine.evaluator.tainted(owner))
        self._changed(owner, site.where)
        return owner.items.pop(index).value

    def _index(self, value: Value) -> int | None:
        value = self.machine.certain(value)
        return value.value if isinstance(value, Constant) and isinstance(value.value, int) else None

    def _undecided(self, owner: ListValue) -> Maybe | None:
        """Why a change to a list is perhaps not made: a condition that was not yet open when the list was."""
        return self.machine.perhaps if len(self.machine.conditions) > owner.depth else None

    def _changed(self, owner: ListValue, statement: Where, item: Item | None = None) -> None:
        self.machine.registrar.list_changed(owner, statement, item)

    def spoil(self, owner: Value, reason: str, where: Where | None = None) -> None:
        """A change that is not followed: the container may hold other things than it seems. `where`: what changes
        it."""
        if isinstance(owner, ListValue):
            owner.unknown = owner.unknown or Unknown(reason, self.machine.evaluator.tainted(owner))
            if not any(item.value is owner.unknown for item in owner.items):
                first = owner.items[0].where if owner.items else self.machine.evaluator.nowhere
                owner.items.append(Item(owner.unknown, where or first))
        elif isinstance(owner, DictValue):
            owner.unknown = owner.unknown or Unknown(reason, self.machine.evaluator.tainted(owner))

    def changed_in_place(self, owner: Value, op: str, added: Value, where: Where) -> bool:
        """`owner op= added` where that changes the object itself; False where it makes another one."""
        match owner:
            case ListValue(kind="list") if op == "+":
                self.extend(owner, added, where)
            case ListValue(kind="list") if op == "*":
                times = self._index(added)
                if times is None or self._undecided(owner) or len(owner.items) * times > MAX_ITEMS:
                    self.spoil(owner, "it is repeated", where)
                else:
                    self._changed(owner, where)
                    owner.items *= times
            case ListValue(kind="set") if op == "|":
                self.extend(owner, added, where)
            case ListValue(kind="set"):
                self.spoil(owner, f"`{op}=` changes it", where)
            case DictValue() if op == "|":
                self.update(owner, added)
            case _:
                return False
        return True

    def delete_item(self, owner: Value, key: ir.Expr, frame: Frame) -> None:
        """`del owner[key]`."""
        evaluator = self.machine.evaluator
        index = None if isinstance(key, ir.Slice) else evaluator.value(key, frame)
        if isinstance(owner, DictValue) and index is not None:
            self._pop_key(owner, [Given(index, frame.where(key.span))])
        elif isinstance(owner, ListValue):
            at = self._index(index) if index is not None else None
            plain_list = owner.unknown is None and not owner.unordered and not any(item.maybe for item in owner.items)
            if at is None or not plain_list or self._undecided(owner) or not -len(owner.items) <= at < len(owner.items):
                self.spoil(owner, "`del` takes something out of it", frame.where(key.span))
                return
            self._changed(owner, frame.where(key.span))
            del owner.items[at]
        elif isinstance(owner, Instance) and index is not None:
            evaluator.own_method(owner, "__delitem__", [Given(index, frame.where(key.span))], frame.where(key.span))

    # Dicts

    def _pop_key(self, owner: DictValue, given: Sequence[Given]) -> Value | None:
        """`owner.pop(key)`, `del owner[key]`: what was there; None when it is not known."""
        try:
            key = plain(self.machine.certain(given[0].value))
            item = owner.items.get(key)
        except (NotConstantError, TypeError):
            self.spoil(owner, "something is taken out of it")
            return None
        certain = owner.unknown is None and self.machine.perhaps is None
        if not certain or (item is not None and item.maybe is not None):
            self.spoil(owner, "something is perhaps taken out of it")
            return None
        if item is not None:
            del owner.items[key]
            return item.value
        if len(given) > 1:
            return given[1].value
        self.machine.fail("KeyError", "no such key")
        return None

    def _set_default(self, owner: DictValue, given: Sequence[Given]) -> Value | None:
        try:
            key = plain(self.machine.certain(given[0].value))
            item = owner.items.get(key)
        except (NotConstantError, TypeError):
            self.spoil(owner, "`setdefault` changes it")
            return None
        if item is not None and item.maybe is None:
            return item.value
        if item is not None or owner.unknown is not None:
            self.spoil(owner, "`setdefault` changes it")
            return None
        added = given[1] if len(given) > 1 else Given(Constant(None), given[0].where)
        owner.items[key] = Item(added.value, added.where, self.machine.perhaps)
        return added.value

    def update(self, owner: DictValue, added: Value) -> None:
        """`owner.update(added)`, `{**added}`."""
        added = self.machine.settled(added)
        if isinstance(added, DictValue):
            maybe = self.machine.perhaps
            for key, item in added.items.items():
                self.machine.evaluator.set_item(owner, Constant(key), item._replace(maybe=item.maybe or maybe))
            owner.unknown = owner.unknown or added.unknown
        else:
            owner.unknown = self.machine.evaluator.unknown(added, "it is spread from")

    def _dict_method(self, owner: DictValue, name: str, given: Sequence[Given], site: CallSite) -> Value | None:
        where = site.where
        certain = owner.unknown is None
        views: dict[str, Callable[[], list[Item]]] = {
            "values": lambda: list(owner.items.values()),
            "keys": lambda: [Item(Constant(key), item.where, item.maybe) for key, item in owner.items.items()],
            "items": lambda: [
                Item(ListValue("tuple", [Item(Constant(key), where), item]), item.where, item.maybe)
                for key, item in owner.items.items()
            ],
        }
        if name in views and certain:
            return ListValue("list", views[name]())
        if name == "get" and given and certain:
            return self._get(owner, given)
        if name == "copy":
            return DictValue(dict(owner.items), owner.unknown)
        if name == "update":
            for arg in given:
                if arg.keyword:
                    item = Item(arg.value, arg.where, self.machine.perhaps)
                    self.machine.evaluator.set_item(owner, Constant(arg.keyword), item)
                else:
                    self.update(owner, arg.value)
            return Constant(None)
        if name == "pop" and given and not any(arg.star for arg in given):
            return self._pop_key(owner, given)
        if name == "setdefault" and given and not any(arg.star for arg in given):
            return self._set_default(owner, given)
        if name == "clear" and not given and self.machine.perhaps is None:
            owner.items, owner.unknown = {}, None
            return Constant(None)
        if name not in _READS:
            self.spoil(owner, f"`{name}` changes it", where)
        return None

    def _get(self, owner: DictValue, given: Sequence[Given]) -> Value | None:
        try:
            item = owner.items.get(plain(self.machine.certain(given[0].value)))
        except (NotConstantError, TypeError):
            return None
        default = given[1].value if len(given) > 1 else Constant(None)
        if item is None:
            return default
        return item.value if item.maybe is None else either([item.value, default], item.maybe)

    # Constants

    def _constant_method(self, owner: Constant, name: str, given: Sequence[Given], site: CallSite) -> Value | None:
        try:
            args = [plain(self.machine.certain(arg.value)) for arg in given if arg.keyword is None and not arg.star]
            keywords = {arg.keyword: plain(self.machine.certain(arg.value)) for arg in given if arg.keyword}
            if any(arg.star for arg in given):
                return None
            return lifted(folding.method(owner.value, name, args, keywords), site.where)
        except (NotConstantError, folding.NotFoldedError) as error:
            self.machine.folded(error)
            return None


def _sort_key(value: Value) -> Constant | None:
    """The constant that a value is sorted by: itself, or the first part of a tuple."""
    first = value.items[0].value if isinstance(value, ListValue) and value.kind == "tuple" and value.items else value
    return first if isinstance(first, Constant) and isinstance(first.value, str | int | float) else None
