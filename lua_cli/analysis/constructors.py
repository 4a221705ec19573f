"""How a class is constructed: whether it can be without arguments, what it takes, and what construction sets on the
instance.

In: a `ClassValue`. Out: `Constructor`. Follows `__new__` and `__init__` along the MRO as Python does, through
`super().__init__(…)`, and the constructors that fields make. What a constructor does besides, such as raising, only a
run shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lua_cli.analysis.effects import walk
from lua_cli.analysis.externals import NEEDS_ARGUMENTS
from lua_cli.analysis.values import Ambiguous, Binding, ClassValue, Fields, FunctionValue, Unknown, Value
from lua_cli.records import field, record
from lua_cli.source import SourceError, ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_MAKERS = ("__init__", "__new__")
_SLOTTED = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")
_AFTER = ("__post_init__", "__attrs_post_init__", "model_post_init")


@record
class Constructor:
    """
    buildable   with no arguments, abstract members apart; None when that is not known
    required    the parameters that prevent it
    parameters  those that take positional arguments, in order
    accepts     parameter → field of the instance that it sets
    sets        what construction sets on the instance: name → the value, or Unknown
    """

    buildable: bool | None = True
    required: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    accepts: dict[str, str] = field(default_factory=dict)
    sets: dict[str, Binding] = field(default_factory=dict)


class Constructors:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._calls: dict[int, tuple[list[ir.Call], object]] = {}

    def of(self, cls: ClassValue) -> Constructor:
        """The constructor of a class, as the class is now."""
        out = Constructor()
        chain = cls.known_chain()
        if cls.mro is None:
            out.buildable = None
        if self.machine.evaluator.is_enum(cls):
            return Constructor(False, ("value",), ("value",))
        if any(isinstance(base, ClassValue) and base.dotted == "typing.Protocol" for base in cls.bases):
            return Constructor(False)  # a protocol itself is never built
        for maker in ("__new__", "__init__"):
            self._step(cls, chain, 0, maker, out, (), first=True)
        if any(one.name == "BaseSettings" for one in chain) and out.buildable is False:
            out.buildable = None  # what is required may come from the environment
        return out

    def _step(
        self,
        cls: ClassValue,
        chain: tuple[ClassValue, ...],
        start: int,
        maker: str,
        out: Constructor,
        given: tuple[ir.Arg, ...],
        *,
        first: bool,
    ) -> None:
        """The next `__init__` (or `__new__`) from `start` on in the MRO, called with `given`."""
        for at in range(start, len(chain)):
            one = chain[at]
            fields = self._generated(cls, one, maker)
            if maker in one.namespace and one.origin != "builtin":
                self._written(cls, chain, at, maker, out, given, first=first)
                return
            if fields is not None:
                self._fields(cls, fields, out, given, first=first)
                return
            if one.module == "builtins" and one.name != "object":
                if one.name in NEEDS_ARGUMENTS and not given:
                    out.buildable = False
                return
            if one.module == "builtins" and not first and _explicit(given):
                out.buildable = False  # those of `object` take no arguments from one that overrides them
                return

    def _generated(self, cls: ClassValue, one: ClassValue, maker: str) -> Fields | None:
        fields = one.fields
        if fields is None or (maker == "__new__") is not (fields.maker == "namedtuple"):
            return None
        if (
            fields.maker == "pydantic"
        ):  # one constructor for all models; it goes by the fields of the class that is built
            return cls.fields if fields.makes_init and cls.fields is not None else None
        return fields if fields.makes_init else None

    # Constructors that are written

    def _written(
        self,
        cls: ClassValue,
        chain: tuple[ClassValue, ...],
        at: int,
        maker: str,
        out: Constructor,
        given: tuple[ir.Arg, ...],
        *,
        first: bool,
    ) -> None:
        value = self.machine.settled(chain[at].namespace[maker].value)
        if not isinstance(value, FunctionValue) or value.kind not in ("function", "staticmethod"):
            out.buildable = None if out.buildable else out.buildable
            own = value.wrapper is not None if isinstance(value, FunctionValue) else chain[at].origin == "first-party"
            if own:
                self._anything(f"{chain[at].name}.{maker}", out)
            return
        params = self.machine.params(value)[1:]
        missing = _missing(params, given)
        if missing:
            out.buildable = False
            out.required = (*out.required, *(name for name in missing if name not in out.required))
        if first and (maker == "__init__" or not out.parameters):
            out.parameters = tuple(p.name for p in params if p.kind in ("positional", "positional-only"))
        effects = self.machine.class_maker.effects(value, any_object=maker == "__new__")
        if effects is None:
            return
        takes_any = any(param.kind == "**" for param in params)
        where = f"{chain[at].name}.{maker}"
        self._effects(cls, effects.writes, where, out)
        self._refused(cls, effects.assigned, out)
        named = {arg.keyword for arg in given if arg.keyword}
        if effects.anything and (not takes_any or named - {param.name for param in params}):
            self._anything(where, out)
        if first:
            out.accepts.update({parameter: name for name, parameter in effects.given.items()})
        seen: set[str] = set()
        for name in effects.calls:
            self._method(cls, name, out, seen)
        self._next(cls, chain, at, maker, out, value)

    def _refused(self, cls: ClassValue, assigned: Iterable[str], out: Constructor) -> None:
        """Assignments that raise, if construction gets to them: the class cannot be known to be buildable then."""
        if out.buildable and any(self._refuses(cls, name) for name in assigned):
            out.buildable = None

    def _refuses(self, cls: ClassValue, name: str) -> bool:
        """Whether an assignment to the attribute may raise: a property without a setter, a frozen class,
        `__setattr__`."""
        for one in cls.known_chain():
            frozen = one.fields is not None and one.fields.frozen and (one is cls or name in one.fields.fields)
            if frozen or ("__setattr__" in one.namespace and one.origin != "builtin"):
                return True
        if self._is_read_only(cls, name):
            return True
        found = self.machine.evaluator.lookup(cls, name)
        # Without a `__dict__`, instances have no place for what is no slot.
        is_slot = isinstance(found, tuple) and isinstance(found[0].value, Unknown)
        slotted = all("__slots__" in one.namespace or one.dotted in _SLOTTED for one in cls.known_chain())
        return slotted and not is_slot

    def _is_read_only(self, cls: ClassValue, name: str) -> bool:
        """A property without a setter."""
        found = self.machine.evaluator.lookup(cls, name)
        value = found[0].value if isinstance(found, tuple) else None
        candidates = value.candidates if isinstance(value, Ambiguous) else (value,)
        return any(isinstance(one, FunctionValue) and one.kind == "property" and not one.settable for one in candidates)

    def _next(
        self,
        cls: ClassValue,
        chain: tuple[ClassValue, ...],
        at: int,
        maker: str,
        out: Constructor,
        function: FunctionValue,
    ) -> None:
        """Follows `super().__init__(…)` and `Base.__init__(self, …)` in a constructor."""
        try:
            body = self.machine.index.body(function.path, function.node).body
        except SourceError:
            return
        certain = {id(s.value) for s in body if isinstance(s, ir.Do)}
        for node in self._makers(body):
            if not isinstance(node.func, ir.Attr) or node.func.attr != maker:
                continue
            owner = node.func.value
            by_super = isinstance(owner, ir.Call) and isinstance(owner.func, ir.Name) and owner.func.id == "super"
            start = at + 1 if by_super else self._position(owner, chain, function)
            if start is None or start <= at:
                continue  # not one of a base: it would go round in a circle
            args = node.args if by_super and maker == "__init__" else node.args[1:]  # without `self` or `cls`
            before = out.buildable
            self._step(cls, chain, start, maker, out, args, first=False)
            if before and out.buildable is False and id(node) not in certain:
                out.buildable = None

    def _makers(self, body: tuple[ir.Stmt, ...]) -> list[ir.Call]:
        """The calls of `__init__` and `__new__` in a body."""
        if id(body) not in self._calls:
            calls = [node for node in walk(body) if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr)]
            found = [node for node in calls if isinstance(node.func, ir.Attr) and node.func.attr in _MAKERS]
            self._calls[id(body)] = (found, body)
        return self._calls[id(body)][0]

    def _position(self, owner: ir.Expr, chain: tuple[ClassValue, ...], function: FunctionValue) -> int | None:
        if not isinstance(owner, ir.Name | ir.Attr):
            return None
        if isinstance(owner, ir.Name) and function.frame.lookup(owner.id) is None:
            return None
        value = self.machine.settled(self.machine.evaluator.value(owner, function.frame))
        return chain.index(value) if isinstance(value, ClassValue) and value in chain else None

    # Constructors that fields make

    def _fields(
        self, cls: ClassValue, fields: Fields, out: Constructor, given: tuple[ir.Arg, ...], *, first: bool
    ) -> None:
        taken = [spec for spec in fields.fields.values() if spec.parameter is not None]
        positional = [spec for spec in taken if not spec.keyword_only]
        count = sum(1 for arg in given if arg.keyword is None and not arg.star)
        named = {arg.keyword for arg in given if arg.keyword}
        filled = {spec.name for spec in positional[:count]}
        required = [
            spec.parameter
            for spec in taken
            if spec.default is None and spec.name not in filled and spec.parameter not in named
        ]
        if required:
            out.buildable = False
            out.required = (*out.required, *(name for name in required if name and name not in out.required))
        if first:
            out.parameters = tuple(spec.parameter or "" for spec in positional)
            out.accepts.update({spec.parameter: spec.name for spec in taken if spec.parameter})
        if fields.maker != "namedtuple":
            for spec in fields.fields.values():
                if spec.init_only:
                    continue
                if out.buildable and self._is_read_only(cls, spec.name):
                    out.buildable = None
                if spec.name in filled or spec.parameter in named:
                    out.sets[spec.name] = Binding(Unknown(f"`{spec.name}` is given in a call of `__init__`"), None)
                elif spec.default is not None:
                    out.sets.setdefault(spec.name, spec.default)
        for name in _AFTER:
            self._method(cls, name, out, set())

    # What construction sets

    def _effects(self, cls: ClassValue, writes: Iterable[str], by: str, out: Constructor) -> None:
        for name in writes:
            out.sets[name] = Binding(Unknown(f"`{name}` is set in `{by}`"), None)

    def _anything(self, by: str, out: Constructor) -> None:
        from lua_cli.analysis.decoration import TRACKED

        for name in TRACKED:
            out.sets[name] = Binding(Unknown(f"`{by}` sets attributes by computed names"), None)

    def _method(self, cls: ClassValue, name: str, out: Constructor, seen: set[str]) -> None:
        """What a method sets that a constructor calls."""
        found = self.machine.evaluator.lookup(cls, name)
        function: Value | None = found[0].value if isinstance(found, tuple) else None
        if name in seen or not isinstance(function, FunctionValue) or not isinstance(found, tuple):
            return
        seen.add(name)
        effects = self.machine.class_maker.effects(function)
        if effects is None or found[1].origin == "builtin":
            return
        self._effects(cls, effects.writes, f"{found[1].name}.{name}", out)
        self._refused(cls, effects.assigned, out)
        if effects.anything:
            self._anything(f"{found[1].name}.{name}", out)
        for inner in effects.calls:
            self._method(cls, inner, out, seen)


def _explicit(given: tuple[ir.Arg, ...]) -> bool:
    return any(not arg.star for arg in given)


def _missing(params: tuple[ir.Parameter, ...], given: tuple[ir.Arg, ...]) -> list[str]:
    """The parameters without a default that a call leaves open; a spread gives nothing, since nothing is given to
    spread."""
    count = sum(1 for arg in given if arg.keyword is None and not arg.star)
    named = {arg.keyword for arg in given if arg.keyword}
    out: list[str] = []
    for param in params:
        if param.kind in ("*", "**"):
            continue
        if param.kind != "keyword-only" and count > 0:
            count -= 1
            continue
        if param.default is None and (param.name not in named or param.kind == "positional-only"):
            out.append(param.name)
    return out
