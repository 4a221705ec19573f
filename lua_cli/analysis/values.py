"""Abstract values: what a name can stand for while the abstract import runs. Plain containers; evaluation lives
elsewhere.

A value is what Python's would be where that is known, and says why where it is not. Lists, dicts, classes and instances
have identity and change as the program changes them; constants do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lua_cli.records import field, record
from lua_cli.source import ir
from lua_cli.source.spans import Span

if TYPE_CHECKING:
    from lua_cli.analysis.definitions import ModuleCode
    from lua_cli.analysis.scopes import Frame
    from lua_cli.source.model import ModuleLocation


NOTHING: Mapping[str, Any] = MappingProxyType({})  # what most values have of most things; there are very many values


@record(frozen=True)
class Where:
    """A place in a file that was read. There are more of these than of all else, and one weighs less than a span."""

    path: Path
    line: int
    column: int
    end_line: int
    end_column: int

    def __init__(self, path: Path, span: Span) -> None:
        self.path = path  # type: ignore[misc]
        self.line, self.column, self.end_line, self.end_column = span  # type: ignore[misc]

    @property
    def span(self) -> Span:
        return self.line, self.column, self.end_line, self.end_column


class Maybe(NamedTuple):
    """Why something is there only perhaps. `where`: the expression that makes it so; None for a statement, of which one
    tells at the
    thing itself."""

    reason: str
    where: Where | None


class Value:
    """What a name stands for."""

    __slots__ = ()


@record(eq=False)
class Constant(Value):
    """A str, number, bytes, bool, None, Ellipsis, or a tuple or frozenset of such."""

    value: object


@record(eq=False)
class Unknown(Value):
    """Not known. `reason` is a clause ("it is the result of a call"); `taint`: a tool class may be behind it; `said`: a
    finding
    of its own tells the user already; `cause`: the class whose uncertainty it is."""

    reason: str
    taint: bool = False
    said: bool = False
    cause: ClassValue | None = None


@record(eq=False)
class Ambiguous(Value):
    """One of several values. `candidates[taken]` is the one that is worked with."""

    candidates: tuple[Value, ...]
    reason: str
    where: Where | None
    taken: int = 0

    @property
    def choice(self) -> Value:
        return self.candidates[self.taken]


@record(eq=False)
class Lazy(Value):
    """A value of a module that is read only when it matters. Resolved once, by `Machine.force`."""

    resolve: Callable[[], Value] | None
    text: str
    value: Value | None = None


@record(eq=False)
class External(Value):
    """A thing of the standard library or of a package that is known by its dotted name: "dataclasses.dataclass"."""

    dotted: str


class Item(NamedTuple):
    """An element of a list: its value, where it is written, and whether it is certain to be there."""

    value: Value
    where: Where
    maybe: Maybe | None = None


@record(eq=False)
class ListValue(Value):
    """A list, tuple, set, frozenset, or another sequence that is known item by item.

    unknown  why it may hold more, or less
    depth    how many undecided conditions were open when it was made
    holder   the skill or agent whose own list it is
    taken    how many skills and agents have copied its items so far
    once     an iterator: whoever goes over it uses it up
    unordered its elements are known, and their order is not
    """

    kind: Literal["list", "tuple", "set", "frozenset"]
    items: list[Item]
    unknown: Unknown | None = None
    depth: int = 0
    holder: SkillValue | AgentValue | None = None
    taken: int = 0
    once: bool = False
    unordered: bool = False


@record(eq=False)
class Generator(Value):
    """An iterator whose elements are made when something asks for them. `run` makes all that are left, once."""

    run: Callable[[], Value] | None
    text: str
    depth: int = 0
    made: Value | None = None


@record(eq=False)
class DictValue(Value):
    """A dict. Keys are Python constants; `unknown`: why it may hold more, or others."""

    items: dict[object, Item]
    unknown: Unknown | None = None


class CallSite(NamedTuple):
    """A call as written."""

    where: Where
    func: Where
    args: tuple[tuple[Path, ir.Arg], ...]


@record(eq=False)
class Binding:
    """What a name is bound to: the value, the place of the right-hand side, how it came to be bound, and in a class
    body the
    function of the project that was called for it."""

    value: Value
    where: Where | None
    kind: Literal["", "loop", "import", "class", "def", "rebound"] = ""
    computed: str = ""


@record(eq=False)
class Fields:
    """The fields that make a class's constructor: a dataclass's, attrs', pydantic's or a named tuple's, in order."""

    maker: Literal["dataclass", "attrs", "pydantic", "namedtuple"]
    fields: dict[str, FieldSpec]
    makes_init: bool = True
    frozen: bool = False


@record(eq=False)
class FieldSpec:
    """`default`: the value that an instance gets when nothing is given; None for a required field. `parameter`: the
    name in the
    constructor, None when it takes none (`init=False`)."""

    name: str
    parameter: str | None
    default: Binding | None
    keyword_only: bool = False
    owner: ClassValue | None = None
    init_only: bool = False


@record(eq=False)
class ClassValue(Value):
    """A class.

    mro         the class first; None when a base is unknown (`unknown_base` says why, `base_where` is its place)
    namespace   what its body bound, and what was assigned to it later
    annotations what its body annotated, in order: name → (annotation, place, frame to evaluate it in)
    abstracts   names of its abstract members → the class that asks; None when that is not known
    dynamic     why the class may be another thing than its statement says
    impossible  Python raises when the class is made
    typed_dict  a TypedDict, which is a dict and keeps none of its bases
    statement   its statement, decorators included; None for a class that is made by a call
    written_bases  its bases as they are written, keywords apart
    texts       what bound its name and its description, where its body writes them as texts by themselves
    """

    name: str
    qualname: str
    module: str
    origin: Literal["first-party", "third-party", "stdlib", "builtin", "sdk"]
    where: Where | None = None
    statement: Where | None = None
    written_bases: tuple[Where, ...] = ()
    path: Path | None = None
    bases: tuple[Value, ...] = ()
    mro: tuple[ClassValue, ...] | None = None
    unknown_base: Unknown | None = None
    base_where: Where | None = None
    metaclass: ClassValue | None = None
    namespace: dict[str, Binding] = field(default_factory=dict)
    annotations: Mapping[str, tuple[ir.Expr, Where]] = NOTHING
    abstracts: Mapping[str, ClassValue] | None = NOTHING
    fields: Fields | None = None
    dynamic: Unknown | None = None
    dynamic_where: Where | None = None
    ambiguous_base: Ambiguous | None = None
    mutated: Mapping[str, Where] = NOTHING
    frame: Frame | None = None
    local: bool = False
    impossible: bool = False
    typed_dict: bool = False
    texts: tuple[Binding, ...] = ()

    @property
    def dotted(self) -> str:
        return f"{self.module}.{self.qualname}"

    def ancestors(self) -> list[ClassValue]:
        """The class and all that it derives from, as far as that is known."""
        found: dict[int, ClassValue] = {}
        stack: list[ClassValue] = [self]
        while stack:
            one = stack.pop()
            if id(one) not in found:
                found[id(one)] = one
                stack.extend(base for base in reversed(one.bases) if isinstance(base, ClassValue))
        return list(found.values())

    def known_chain(self) -> tuple[ClassValue, ...]:
        """The MRO; when a base is unknown, as much of its beginning as is certain."""
        if self.mro is not None:
            return self.mro
        chain: list[ClassValue] = [self]
        for base in self.bases:
            if not isinstance(base, ClassValue):
                break
            chain.append(base)
            if base.mro is None or len(self.bases) > 1:
                break  # what follows is interleaved with the bases of the unknown one
            chain.extend(base.mro[1:])
        return tuple(chain)


@record(eq=False)
class Generic(Value):
    """A subscripted class: `LuaTool[Query]`."""

    cls: ClassValue


@record(eq=False)
class Instance(Value):
    """An instance. `site` is the call that makes it; `variable` the first name that it was bound to; `attributes` what
    was set on it,
    of which `changed` from outside of its constructor."""

    cls: ClassValue
    site: CallSite
    attributes: dict[str, Binding] = field(default_factory=dict)
    changed: Mapping[str, Where] = NOTHING
    constructing: bool = False
    variable: str | None = None
    maybe: Maybe | None = None


@record(eq=False)
class EnumMember(Value):
    cls: ClassValue
    name: str
    value: Value


FunctionKind = Literal["function", "staticmethod", "classmethod", "property", "cached_property", "other"]


@record(eq=False)
class FunctionValue(Value):
    """A function or method.

    kind      what its decorators made of it; "other": something not known (`decorated_by` names the decorator)
    abstract  marked as abstract; None when a decorator may have hidden the mark
    settable  a property that has a setter
    frame     the scope around it
    defaults  the values of its parameters' defaults, as the `def` statement made them; None when nothing was evaluated
    wrapper   what the project's own decorators made of it, where they were run
    wraps     it says that it is another function (functools.wraps)
    """

    node: ir.Function
    module: str
    qualname: str
    path: Path
    frame: Frame
    kind: FunctionKind = "function"
    abstract: bool | None = False
    decorated_by: str = ""
    owner: ClassValue | None = None
    settable: bool = False
    defaults: dict[str, Value] | None = None
    wrapper: Value | None = None
    wraps: bool = False
    setter: FunctionValue | None = None


@record(eq=False)
class LambdaValue(Value):
    node: ir.Lambda
    path: Path
    frame: Frame
    defaults: dict[str, Value] | None = None


@record(eq=False)
class Bound(Value):
    """A method of a value: `tools.append`."""

    owner: Value
    name: str
    function: FunctionValue | LambdaValue | None = None


@record(eq=False)
class Partial(Value):
    func: Value
    site: CallSite
    args: tuple[Given, ...]


class Given(NamedTuple):
    """An argument as it reaches a call."""

    value: Value
    where: Where
    keyword: str | None = None
    star: ir.Star = ""


@record(eq=False)
class Configured(Value):
    """A call of something known by name, whose meaning is with whoever uses it: `field(default=1)`,
    `dataclass(frozen=True)`."""

    dotted: str
    given: tuple[Given, ...]
    where: Where


@record(eq=False)
class Super(Value):
    """`super()` in a method of `cls`, of the instance or class `owner`."""

    cls: ClassValue
    owner: Value


@record(eq=False)
class ModuleValue(Value):
    """A module. `state` says how far it is executed; `open` why names may be there that nothing shows; `mirror` what it
    imports for
    type checkers alone; `stead` the module that it puts in its place in `sys.modules`; `code` its plain functions."""

    dotted: str
    location: ModuleLocation
    frame: Frame
    state: Literal["new", "running", "done", "failed"] = "new"
    open: str = ""
    mirror: dict[str, tuple[ir.FromImport | ir.Import, ir.ImportedName | None]] = field(default_factory=dict)
    failure: str = ""
    code: ModuleCode | None = None
    stead: ModuleValue | None = None

    @property
    def lazy(self) -> bool:
        """Read only when something in it matters, and then without running what it imports."""
        return self.location.origin not in ("first-party", "sdk")


@record(eq=False)
class SkillValue(Value):
    """A `LuaSkill(...)`: its arguments by parameter, and its tools as they are when the import ends. `folder`: the
    argument of `from_folder`, where it is made by that."""

    cls: ClassValue
    site: CallSite
    module: str
    given: dict[str, Given]
    tools: ListValue
    unknown: Unknown | None = None
    variable: str | None = None
    maybe: Maybe | None = None
    folder: Given | None = None


@record(eq=False)
class AgentValue(Value):
    """A `LuaAgent(...)`."""

    cls: ClassValue
    site: CallSite
    module: str
    given: dict[str, Given]
    skills: ListValue
    unknown: Unknown | None = None
    variable: str | None = None
    maybe: Maybe | None = None


def described(value: Value) -> str:
    """A value in words, with its article."""
    match value:
        case Constant(value=None):
            return "None"
        case Constant(value=constant):
            name = type(constant).__name__
            return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
        case ListValue(kind=kind):
            return f"a {kind}"
        case DictValue():
            return "a dict"
        case ClassValue(name=name) | Generic(cls=ClassValue(name=name)):
            return f"the class {name}"
        case Instance(cls=cls):
            return f"an instance of {cls.name}"
        case EnumMember(cls=cls):
            return f"a member of {cls.name}"
        case FunctionValue(kind="property"):
            return "a property"
        case FunctionValue() | LambdaValue() | Bound() | Partial():
            return "a function"
        case Generator():
            return "a generator"
        case ModuleValue():
            return "a module"
        case SkillValue():
            return "a skill"
        case AgentValue():
            return "an agent"
        case External(dotted=dotted):
            return f"`{dotted}`"
    return "a value that only a run knows"


def same(one: Value, other: Value) -> bool:
    """Whether two values are certainly one."""
    if one is other:
        return True
    if isinstance(one, Constant) and isinstance(other, Constant):
        return type(one.value) is type(other.value) and one.value == other.value
    if isinstance(one, External) and isinstance(other, External):
        return one.dotted == other.dotted
    return False


def identity(value: Value) -> object:
    """A key that two values share where they are certainly one, as `same` says."""
    if isinstance(value, Constant):
        return type(value.value), value.value
    return value.dotted if isinstance(value, External) else id(value)
