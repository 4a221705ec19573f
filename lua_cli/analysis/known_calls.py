"""Calls of what is known by name: built-in functions and classes, and a few of the standard library, pydantic and
attrs.

In: a dotted name and the arguments. Out: the result, or unknown. `Configured` stands for calls that only mean something
to whoever takes them, such as `field(default=1)` in a class body.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence

from lua_cli.analysis import folding
from lua_cli.analysis.constants import NotConstantError, lifted, plain
from lua_cli.analysis.imports import NoModuleError
from lua_cli.analysis.reflection import Reflection
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    CallSite,
    ClassValue,
    Configured,
    Constant,
    DictValue,
    EnumMember,
    External,
    FunctionValue,
    Given,
    Instance,
    Item,
    LambdaValue,
    ListValue,
    Partial,
    SkillValue,
    Unknown,
    Value,
)
from lua_cli.records import replace

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


class KnownCalls(Reflection):
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
            self.machine.reach.hands(External(name if "." in name else f"builtins.{name}"), given)  # `key=…`
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
                other = replace(value, attributes={}, variable=None)
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

    def namedtuple(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        return self.machine.class_maker.namedtuple(given, site, frame)

    def exec_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        frame.module.open = frame.module.open or "`exec` may bind names"
        return Constant(None)

    def eval_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        return Unknown("it is the result of `eval`", taint=True)


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
