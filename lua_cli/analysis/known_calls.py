"""Calls of what is known by name: built-in functions and classes, and a few of the standard library, pydantic and
attrs.

In: a dotted name and the arguments. Out: the result, or unknown. `Configured` stands for calls that only mean something
to whoever takes them, such as `field(default=1)` in a class body.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace

from lua_cli.analysis import folding
from lua_cli.analysis.constants import NotConstantError, lifted, plain
from lua_cli.analysis.containers import Containers
from lua_cli.analysis.imports import NoModuleError
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    Binding,
    Bound,
    CallSite,
    ClassValue,
    Configured,
    Constant,
    DictValue,
    EnumMember,
    External,
    FunctionValue,
    Generator,
    Given,
    Instance,
    Item,
    LambdaValue,
    ListValue,
    ModuleValue,
    Partial,
    SkillValue,
    Unknown,
    Value,
)

_CONFIGURED = frozenset(
    {"dataclasses.field", "attr.field", "attr.ib", "attr.attrib", "attrs.field", "pydantic.Field", "enum.auto"}
    | {"pydantic.fields.Field", "attr.Factory", "attrs.Factory", "dataclasses.dataclass", "attr.s", "attr.attrs"}
    | {"attr.attributes", "attr.dataclass", "attr.define", "attr.frozen", "attr.mutable", "attrs.define"}
    | {"attrs.frozen", "attrs.mutable", "pydantic.dataclasses.dataclass", "pydantic.PrivateAttr", "enum.member"}
    | {"pydantic.fields.PrivateAttr", "enum.nonmember", "warnings.deprecated", "typing.deprecated"}
    | {"typing.dataclass_transform"}
)
_CLASS_MAKERS = frozenset({"types.new_class", "dataclasses.make_dataclass", "attr.make_class", "attrs.make_class"})

_NEVER_RAISES = frozenset({"print", "repr", "id", "callable", "typing.TypeVar", "typing.NewType", "typing.ParamSpec"})

_Handler = Callable[["KnownCalls", Sequence[Given], CallSite, Frame], "Value | None"]


class KnownCalls(Containers):
    """Calls by name."""

    def known(self, dotted: str, given: Sequence[Given], site: CallSite, frame: Frame) -> Value:
        """The result of calling something known by its dotted name (a built-in function has no module)."""
        handler = _HANDLERS.get(dotted)
        if handler is not None:
            found = handler(self, given, site, frame)
            if found is not None:
                return found
        if dotted in _CONFIGURED:
            if len(given) == 1 and isinstance(given[0].value, ClassValue) and given[0].keyword is None:
                return self.machine.class_maker.decorate(given[0].value, Configured(dotted, (), site.where), site.where)
            return Configured(dotted, tuple(given), site.where)
        if dotted in _CLASS_MAKERS:
            return self.machine.class_maker.made(dotted, given, site, frame)
        if dotted.startswith(("os.environ.", "os.getenv")):
            return Unknown("it is read from the environment")
        if folding.can_call(dotted):
            return self._folded(dotted, given, site)
        if dotted.startswith("builtins.") and given and not given[0].star:  # `list.append(tools, x)`
            owner, name = self.machine.settled(given[0].value), dotted.rpartition(".")[2]
            followed = self.container_method(owner, name, given[1:], site)
            if followed is not None:
                return followed
        tainted = any(self.machine.evaluator.tainted(arg.value) for arg in given)
        self.machine.unsure += dotted not in _NEVER_RAISES
        self.machine.reach.not_followed(External(dotted), given, site.where)
        return Unknown(f"it is the result of calling `{self.machine.text(site.func)}`", tainted)

    def _folded(self, name: str, given: Sequence[Given], site: CallSite) -> Value:
        if not given or any(arg.star or arg.keyword for arg in given):
            return Unknown(f"it is the result of `{name}(…)`")
        try:
            return lifted(folding.function(name, [plain(self.machine.certain(arg.value)) for arg in given]), site.where)
        except (NotConstantError, folding.NotFoldedError) as error:
            self.machine.folded(error)
            return self.machine.evaluator.unknown(given[0].value, f"it is the result of `{name}` of")

    # Classes

    def construct(self, cls: ClassValue, given: Sequence[Given], site: CallSite, frame: Frame) -> Value:
        """An instance of a class."""
        if cls.module == "builtins":
            return self._builtin(cls, given, site, frame)
        registered = self.machine.registrar.construct(cls, given, site, frame)
        if registered is not None:
            return registered
        if self.machine.evaluator.is_enum(cls):
            return self._member(cls, given)
        if cls.abstracts:
            self.machine.fail("TypeError", f"Can't instantiate abstract class {cls.name}")
        made = Instance(cls, site, maybe=self.machine.perhaps)
        self._constructed(made, given, site)
        return made

    def _constructed(self, made: Instance, given: Sequence[Given], site: CallSite) -> None:
        """Runs the constructor of a class of the project on a new instance."""
        found = self.machine.evaluator.lookup(made.cls, "__init__")
        if not isinstance(found, tuple) or not isinstance(found[0].value, FunctionValue):
            if given and made.cls.origin not in ("first-party", "sdk"):
                self.machine.reach.not_followed(made.cls, given, site.where)
            return
        made.constructing = True
        self.machine.caller.invoke(found[0].value, [Given(made, site.func), *given], site, (found[1], made))
        made.constructing = False

    def _member(self, cls: ClassValue, given: Sequence[Given]) -> Value:
        try:
            wanted = plain(self.machine.certain(given[0].value)) if len(given) == 1 else None
            for binding in cls.namespace.values():
                if isinstance(binding.value, EnumMember) and plain(binding.value.value) == wanted:
                    return binding.value
        except NotConstantError:
            pass
        return Unknown(f"it is a member of {cls.name} that is looked up")

    def _builtin(self, cls: ClassValue, given: Sequence[Given], site: CallSite, frame: Frame) -> Value:
        name = cls.name
        if name in ("list", "tuple", "set", "frozenset"):
            return self._sequence(name, given, site)
        if name == "dict":
            return self._dict(given)
        if name == "type" and len(given) == 1:
            return self._type_of(self.machine.settled(given[0].value))
        if name == "type":
            return self.machine.class_maker.made("type", given, site, frame)
        handler = _HANDLERS.get(name)
        if handler is not None:
            found_value = handler(self, given, site, frame)
            if found_value is not None:
                return found_value
        if name in ("str", "int", "float", "bool") and given:
            return self._folded(name, given, site)
        if name in ("str", "int", "float", "bool"):
            return Constant({"str": "", "int": 0, "float": 0.0, "bool": False}[name])
        if name == "super":
            return Unknown("it is `super()`")
        self.machine.reach.not_followed(cls, given, site.where)
        if name in ("map", "filter", "iter") or any(self.machine.evaluator.tainted(arg.value) for arg in given):
            return Unknown(f"it is the result of `{name}(…)`", taint=True)
        return Instance(cls, site, maybe=self.machine.perhaps)

    def _type_of(self, value: Value) -> Value:
        """`type(value)`."""
        if isinstance(value, Instance):
            return value.cls
        if isinstance(value, ClassValue) and value.metaclass is not None:
            return value.metaclass
        if isinstance(value, Constant) and hasattr(builtins, type(value.value).__name__):
            return self.machine.known_class(f"builtins.{type(value.value).__name__}")
        return Unknown("it is the type of a value", self.machine.evaluator.tainted(value))

    def _sequence(self, kind: str, given: Sequence[Given], site: CallSite) -> Value:
        depth = len(self.machine.conditions)
        if not given:
            return ListValue(kind, [], None, depth)  # type: ignore[arg-type]
        items = self.machine.evaluator.items(given[0].value)
        if items is not None:
            return ListValue(kind, items, None, depth)  # type: ignore[arg-type]
        value = self.machine.settled(given[0].value)
        if isinstance(value, ListValue):
            return ListValue(kind, list(value.items), value.unknown, depth)  # type: ignore[arg-type]
        unknown = self.machine.evaluator.unknown(value, "it is made from")
        return ListValue(kind, [Item(unknown, site.where)], unknown, depth)  # type: ignore[arg-type]

    def _dict(self, given: Sequence[Given]) -> Value:
        out = DictValue({})
        for arg in given:
            if arg.keyword:
                out.items[arg.keyword] = Item(arg.value, arg.where)
            elif isinstance(self.machine.settled(arg.value), DictValue):
                self.machine.caller.update(out, arg.value)
            else:
                self._pairs(out, arg.value)
        return out

    def _pairs(self, out: DictValue, value: Value) -> None:
        evaluator = self.machine.evaluator
        pairs = evaluator.items(value)
        if pairs is None:
            out.unknown = evaluator.unknown(value, "it is made from")
        for pair in pairs or ():
            both = evaluator.items(pair.value)
            if both is None or len(both) != 2:
                out.unknown = evaluator.unknown(value, "it is made from")
                return
            evaluator.set_item(out, both[0].value, Item(both[1].value, both[1].where, pair.maybe))

    # Functions

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

    def import_module(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        name = self._literal(given, 0)
        unknown = Unknown("it is imported with importlib.import_module", taint=True)
        if name is None:
            return unknown
        level = len(name) - len(name.lstrip("."))
        dotted = self.machine.importer.absolute(frame.module, level, name.lstrip("."))
        try:
            module = self.machine.importer.load(dotted) if dotted else None
        except NoModuleError as error:
            self.machine.fail("ModuleNotFoundError", f"no module named {error.missing!r}")
            return Unknown(f"there is no module {error.missing}")
        return module if module is not None and module.lazy else unknown

    def sequence_of(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """`sorted` of known elements: their order is known for constants without a key."""
        items = self.machine.evaluator.items(given[0].value) if given else None
        if items is None:
            return None
        ordered = self.machine.caller.ordered(items, given[1:])
        made = ListValue("list", ordered or items, None, len(self.machine.conditions))
        made.unordered = ordered is None
        return made

    def reversed_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        items = self.machine.evaluator.items(value) if value is not None else None
        if items is None:
            return None
        made = ListValue("list", items[::-1], None, len(self.machine.conditions), once=True)
        made.unordered = isinstance(value, ListValue) and value.unordered
        return made

    def map_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """`map` and `filter`: what the function does is done when the elements are asked for. What comes of them is
        the function's business, and a registration says so."""
        if len(given) != 2 or any(arg.star or arg.keyword for arg in given):
            return None
        function, over = given
        name = self.machine.text(site.func)

        def run() -> Value:
            items = self.machine.evaluator.items(over.value)
            if items is None:
                self.machine.reach.not_followed(function.value, (), site.where)
            elif self.machine.evaluator.truth(function.value) is not False:  # `filter(None, …)` calls nothing
                for item in items:
                    self.machine.caller.call(function.value, [Given(item.value, item.where)], site, frame)
            return Unknown(f"it is the result of `{name}(…)`", taint=True)

        return Generator(run, self.machine.text(site.where), len(self.machine.conditions))

    def any_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """`any` and `all` ask a generator for no more than they need."""
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        if not isinstance(value, Generator):
            return None
        self.machine.evaluator.perhaps_run(value)
        return Unknown(f"it is the result of `{self.machine.text(site.where)}`")

    def len_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        if isinstance(value, ListValue) and value.unknown is None and not value.once:
            return None if any(item.maybe for item in value.items) else Constant(len(value.items))
        if isinstance(value, DictValue) and value.unknown is None:
            return None if any(item.maybe for item in value.items.values()) else Constant(len(value.items))
        return None

    def range_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        try:
            values = [plain(self.machine.certain(arg.value)) for arg in given]
            numbers = [value for value in values if isinstance(value, int) and abs(value) < 10_000]
            if not numbers or len(numbers) != len(values):
                return None
            found = range(*numbers)
            return ListValue("list", [Item(Constant(one), site.where) for one in found])
        except (NotConstantError, TypeError, ValueError):
            return None

    def zip_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        sources = [arg for arg in given if not arg.keyword]  # without `strict=`
        lists = [self.machine.evaluator.items(arg.value) for arg in sources]
        known = [items for items in lists if items is not None and not any(item.maybe for item in items)]
        if len(known) != len(lists):
            return None
        pairs = [Item(ListValue("tuple", list(pair)), pair[0].where) for pair in zip(*known, strict=False)]
        self._put_back(sources, known, len(pairs))
        return ListValue("list", pairs, None, len(self.machine.conditions), once=True)

    def _put_back(self, given: Sequence[Given], taken: Sequence[Sequence[Item]], pairs: int) -> None:
        """`zip` takes no more from its iterators than it needs to find the shortest one at its end."""
        ended = False
        for arg, items in zip(given, taken, strict=True):
            source = self.machine.settled(arg.value)
            used = pairs if ended else pairs + 1
            ended = ended or len(items) == pairs
            if isinstance(source, ListValue) and source.once:
                source.items = list(items[used:])

    def enumerate_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        if not given or len(given) > 2 or given[0].keyword:
            return None
        start = self.machine.settled(given[1].value) if len(given) == 2 else Constant(0)
        if not isinstance(start, Constant) or not isinstance(start.value, int):
            return None
        items = self.machine.evaluator.items(given[0].value)
        if items is None:
            return None
        pairs = [
            ListValue("tuple", [Item(Constant(at), site.where), item]) for at, item in enumerate(items, start.value)
        ]
        listed = [Item(pair, item.where, item.maybe) for pair, item in zip(pairs, items, strict=True)]
        return ListValue("list", listed, None, len(self.machine.conditions), once=True)

    def chain(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        out = ListValue("list", [], None, len(self.machine.conditions))
        for arg in given:
            self.machine.caller.extend(out, arg.value, arg.where)
        out.once = True
        return out

    def chain_from(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        items = self.machine.evaluator.items(given[0].value) if given else None
        return None if items is None else self.chain([Given(i.value, i.where) for i in items], site, frame)

    def partial(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        if not given or given[0].star:
            return None
        return Partial(given[0].value, site, tuple(given[1:]))

    def copied(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        return self._copy(self.machine.settled(given[0].value), whole=False, seen={}) if given else None

    def copied_deep(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        return self._copy(self.machine.settled(given[0].value), whole=True, seen={}) if given else None

    def _copy(self, value: Value, seen: dict[int, Value], *, whole: bool) -> Value | None:
        """A copy; with `whole` of what is in it too."""
        if id(value) in seen:
            return seen[id(value)]

        def inner(one: Value) -> Value:
            return (self._copy(self.machine.settled(one), seen, whole=True) or one) if whole else one

        depth = len(self.machine.conditions)
        match value:
            case Constant() | ClassValue() | FunctionValue() | LambdaValue() | EnumMember() | External():
                return value
            case ListValue(once=False):
                made = ListValue(value.kind, [], value.unknown, depth, unordered=value.unordered)
                seen[id(value)] = made
                made.items = [item._replace(value=inner(item.value)) for item in value.items]
                return made
            case DictValue():
                entries = {key: item._replace(value=inner(item.value)) for key, item in value.items.items()}
                return DictValue(entries, value.unknown)
            case Instance() if not {"__copy__", "__deepcopy__", "__reduce__"} & _members_of(value.cls):
                other = replace(value, attributes={}, changed=dict(value.changed), variable=None)
                seen[id(value)] = other
                other.attributes = {n: replace(b, value=inner(b.value)) for n, b in value.attributes.items()}
                return other
            case SkillValue():
                tools = self._copy(value.tools, seen, whole=True) if whole else value.tools
                assert isinstance(tools, ListValue)  # noqa: S101
                skill = replace(value, given=dict(value.given), tools=tools, variable=None)
                if whole:
                    tools.holder = skill
                self.machine.skills.append(skill)
                return skill
        return None

    def cast(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        return given[1].value if len(given) == 2 else None

    def next_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if given else None
        if isinstance(value, Generator):
            self.machine.evaluator.perhaps_run(value)
            return None
        if not isinstance(value, ListValue) or not value.once or value.unknown or any(i.maybe for i in value.items):
            return None
        if self.machine.perhaps is not None and len(self.machine.conditions) > value.depth:
            return None
        if value.unordered and len(value.items) > 1:
            return None
        if value.items:
            return value.items.pop(0).value
        if len(given) > 1:
            return given[1].value
        self.machine.fail("StopIteration", "")
        return None

    def iter_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        if isinstance(value, Generator) or (isinstance(value, ListValue) and value.once):
            return value
        items = self.machine.evaluator.items(value) if value is not None else None
        return None if items is None else ListValue("list", items, None, len(self.machine.conditions), once=True)

    def vars_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        owner = self.machine.settled(given[0].value) if len(given) == 1 else None
        return Bound(owner, "__dict__") if isinstance(owner, Instance) else None

    def deque(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """A deque without a bound is a list, for all that is asked here; one with a bound drops what does not fit."""
        bound = next((arg for arg in given if arg.keyword == "maxlen"), given[1] if len(given) > 1 else None)
        items = self.machine.evaluator.items(given[0].value) if given and given[0].keyword is None else []
        if items is None:
            return None
        length = self.machine.settled(bound.value) if bound is not None else Constant(None)
        if not isinstance(length, Constant) or not isinstance(length.value, int | None):
            return None
        kept = items if length.value is None else items[max(0, len(items) - length.value) :]
        made = ListValue("list", list(kept), None, len(self.machine.conditions))
        if length.value:
            made.unknown = Unknown("it is a deque with a bound", self.machine.evaluator.tainted(made))
        return made

    def namedtuple(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        return self.machine.class_maker.namedtuple(given, site, frame)

    def exec_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        frame.module.open = frame.module.open or "`exec` may bind names"
        return Constant(None)

    def eval_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        return Unknown("it is the result of `eval`", taint=True)

    def _literal(self, given: Sequence[Given], at: int) -> str | None:
        value = self.machine.certain(given[at].value) if len(given) > at and not given[at].star else None
        return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None


def _members_of(cls: ClassValue) -> set[str]:
    return {name for one in cls.known_chain() if one.origin == "first-party" for name in one.namespace}


_HANDLERS: dict[str, _Handler] = {
    "getattr": KnownCalls.getattr_,
    "hasattr": KnownCalls.hasattr_,
    "setattr": KnownCalls.setattr_,
    "delattr": KnownCalls.delattr_,
    "callable": KnownCalls.callable_,
    "isinstance": KnownCalls.isinstance_,
    "issubclass": KnownCalls.issubclass_,
    "importlib.import_module": KnownCalls.import_module,
    "__import__": KnownCalls.import_module,
    "sorted": KnownCalls.sequence_of,
    "reversed": KnownCalls.reversed_,
    "map": KnownCalls.map_,
    "filter": KnownCalls.map_,
    "any": KnownCalls.any_,
    "all": KnownCalls.any_,
    "len": KnownCalls.len_,
    "vars": KnownCalls.vars_,
    "collections.deque": KnownCalls.deque,
    "range": KnownCalls.range_,
    "zip": KnownCalls.zip_,
    "enumerate": KnownCalls.enumerate_,
    "itertools.chain": KnownCalls.chain,
    "itertools.chain.from_iterable": KnownCalls.chain_from,
    "functools.partial": KnownCalls.partial,
    "copy.copy": KnownCalls.copied,
    "copy.deepcopy": KnownCalls.copied_deep,
    "typing.cast": KnownCalls.cast,
    "collections.namedtuple": KnownCalls.namedtuple,
    "typing.NamedTuple": KnownCalls.namedtuple,
    "iter": KnownCalls.iter_,
    "next": KnownCalls.next_,
    "exec": KnownCalls.exec_,
    "eval": KnownCalls.eval_,
}
