"""Calls of the abstract import: functions of the project are run, what is known by name is answered, the rest is
unknown and says so.

In: what is called and its arguments. Out: the result. A function runs on abstract values with a budget, never deeper
than a few calls, and never one of a package: what that does is only known when it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.known_calls import KnownCalls
from lua_cli.analysis.scopes import Flow, Frame, either
from lua_cli.analysis.values import (
    Ambiguous,
    Binding,
    Bound,
    CallSite,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    Generator,
    Generic,
    Given,
    Instance,
    Item,
    LambdaValue,
    Lazy,
    ListValue,
    Maybe,
    ModuleValue,
    Partial,
    Super,
    Unknown,
    Value,
    Where,
)
from lua_cli.records import replace
from lua_cli.source import SourceError, ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

MAX_CALLS = 12
MAX_STATEMENTS = 50_000

# Decorators that leave a function what it is, for all that is asked of it here.
_TRANSPARENT = frozenset(
    {"typing.final", "typing.override", "typing.no_type_check", "typing.overload", "functools.lru_cache"}
    | {"functools.cache", "functools.wraps", "warnings.deprecated", "pydantic.validate_call"}
)
_MARKERS: dict[str, tuple[str, bool]] = {  # what a decorator makes of a function, and whether it marks it abstract
    "builtins.property": ("property", False),
    "builtins.staticmethod": ("staticmethod", False),
    "builtins.classmethod": ("classmethod", False),
    "functools.cached_property": ("cached_property", False),
    "abc.abstractmethod": ("", True),
    "abc.abstractproperty": ("property", True),
    "abc.abstractclassmethod": ("classmethod", True),
    "abc.abstractstaticmethod": ("staticmethod", True),
}


class OutOfBudgetError(Exception):
    """The functions that the project runs while it is imported do more than is followed."""


class Caller(KnownCalls):
    """Calls; `KnownCalls` answers what is known by name, and below it `Containers` the methods of lists and dicts."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        # `invoked` counts the functions that were run, `last` names the latest: whoever evaluates can see that one was.
        self._active: list[ir.Function | ir.Lambda] = []
        self._spent = 0
        self.invoked = 0
        self.last = ""

    def call(self, func: Value, given: Sequence[Given], site: CallSite, frame: Frame) -> Value:
        """`func(given)`."""
        match func:
            case Lazy():
                self.machine.unsure += 1
                if not frame.module.lazy:
                    self.machine.reach.not_followed(func, given, site.where)
                return Lazy(lambda: self.call(self.machine.force(func), given, site, frame), f"{func.text}(…)")
            case ClassValue():
                return self.construct(func, given, site, frame)
            case Generic(cls=cls):
                return self.construct(cls, given, site, frame)
            case External(dotted=dotted):
                return self.known(dotted, given, site, frame)
            case FunctionValue():
                return self.invoke(func, given, site)
            case LambdaValue():
                return self._lambda(func, given, site)
            case Bound():
                return self._bound(func, given, site, frame)
            case Partial(func=inner, args=args, site=made):
                merged = CallSite(site.where, made.func, (*made.args[1:], *site.args))
                return self.call(inner, [*args, *given], merged, frame)
            case Instance(cls=cls):
                found = self.machine.evaluator.lookup(cls, "__call__")
                if isinstance(found, tuple) and isinstance(found[0].value, FunctionValue):
                    return self.invoke(found[0].value, [Given(func, site.func), *given], site, (found[1], func))
            case Ambiguous(candidates=candidates, reason=reason, where=where):
                results = [self.call(candidate, given, site, frame) for candidate in candidates]
                return either(results, Maybe(reason, where), partial=True)
        return self.result(func, given, site)

    def result(self, func: Value, given: Sequence[Given], site: CallSite) -> Unknown:
        """The result of a call that is not followed."""
        self.machine.unsure += 1
        self.machine.reach.not_followed(func, given, site.where)
        tainted = self.machine.evaluator.tainted
        taint = tainted(func) or any(tainted(arg.value) for arg in given)
        if isinstance(func, Unknown):
            return Unknown(func.reason, taint, func.said)
        return Unknown(f"it is the result of calling `{self.machine.text(site.func)}`", taint)

    def scope_call(self, name: str, frame: Frame) -> Value | None:
        """Built-in functions that look at the scope they are called in; None for others."""
        if name == "super" and frame.method is not None:
            return Super(*frame.method)
        if name == "globals" or (name in ("locals", "vars") and frame.kind == "module"):
            return Bound(frame.module, "globals")
        return None

    # Functions of the project

    def spend(self, statements: int) -> None:
        """Counts what functions do; raises OutOfBudgetError beyond the budget."""
        self._spent += statements
        if self._spent > MAX_STATEMENTS:
            raise OutOfBudgetError

    def invoke(
        self,
        function: FunctionValue,
        given: Sequence[Given],
        site: CallSite,
        method: tuple[ClassValue, Value] | None = None,
        *,
        anyone: bool = False,
    ) -> Value:
        """Runs a function. Those of packages only when `anyone`'s may run."""
        registered = self.machine.registrar.own_method(function, given, site)
        if registered is not None:
            return registered
        if function.wrapper is not None and function.kind == "other" and len(self._active) < MAX_CALLS:
            return self.call(function.wrapper, given, site, function.frame)
        package = self.machine.is_lazy(function.path)
        if package and anyone:  # where it is not run, `not_followed` looks
            self.machine.reach.hands(function, given)
        foreign = package and not anyone
        unfit = foreign or function.kind == "other" or self._active.count(function.node) > 0
        if f"{function.module}.{function.qualname}" == "lua_cli.sdk.environment.env":
            return Unknown("it is read from the environment")
        if unfit or len(self._active) >= MAX_CALLS or self._spent > MAX_STATEMENTS:
            return self.result(function, given, site)
        self.invoked, self.last = self.invoked + 1, function.node.name
        try:
            body = self.machine.index.body(function.path, function.node)
        except SourceError:
            return self.result(function, given, site)
        frame = Frame("function", function.path, function.frame.module, function.frame)
        frame.prefix, frame.depth = f"{function.qualname}.<locals>.", len(self.machine.conditions)
        frame.function, frame.method = function.node.name, method
        problem = self._bind(function, given, frame)
        if problem:
            self.machine.fail("TypeError", problem)
            return Unknown(problem, taint=True)
        if function.node.is_async or body.is_generator:
            depth = len(self.machine.conditions)
            return Generator(lambda: self._later(function, body, frame, site), function.node.name, depth)
        return self._run(function, body, frame, given, site)

    def _later(self, function: FunctionValue, body: ir.FunctionBody, frame: Frame, site: CallSite) -> Value:
        """What a coroutine does and gives when something awaits it; what a generator does when its elements are asked
        for, of which a registration does not take account."""
        frame.depth = len(self.machine.conditions)
        if body.is_generator:
            frame.yielded = ListValue("list", [], None, frame.depth, once=True)
        if len(self._active) >= MAX_CALLS or function.node in self._active:
            return self.result(function, (), site)
        result = self._run(function, body, frame, (), site)
        if frame.yielded is None or isinstance(result, Unknown):
            return result
        tainted = any(self.machine.evaluator.tainted(item.value) for item in frame.yielded.items)
        return Unknown(f"`{function.node.name}` is a generator", tainted)

    def _run(
        self, function: FunctionValue, body: ir.FunctionBody, frame: Frame, given: Sequence[Given], site: CallSite
    ) -> Value:
        depth = len(self.machine.conditions)
        self._active.append(function.node)
        try:
            flow = self.machine.executor.block(body.body, frame)
        except OutOfBudgetError:
            if len(self._active) > 1:
                raise
            return Unknown(f"`{function.node.name}` does more than is followed", taint=True)
        finally:
            self._active.pop()
            del self.machine.conditions[depth:]
        if flow is Flow.RAISE and not frame.returned:
            self.machine.unsure += 1
            return Unknown(f"`{function.node.name}` raises an exception", taint=True)
        returned = list(frame.returned)
        if flow is Flow.NEXT:
            returned.append((Constant(None), None))
        maybe = next((maybe for _, maybe in returned if maybe is not None), Maybe("it depends on the call", site.where))
        return either([value for value, _ in returned], maybe)

    def _lambda(self, func: LambdaValue, given: Sequence[Given], site: CallSite) -> Value:
        unfit = len(self._active) >= MAX_CALLS or func.node in self._active or self._spent > MAX_STATEMENTS
        if unfit or self.machine.is_lazy(func.path):
            return self.result(func, given, site)
        self._spent += 1
        frame = Frame("function", func.path, func.frame.module, func.frame, func.frame.prefix)
        frame.depth, frame.function = len(self.machine.conditions), "<lambda>"
        problem = self._bind(func, given, frame)
        if problem:
            return Unknown(problem, taint=True)
        self.invoked, self.last = self.invoked + 1, "lambda"
        self._active.append(func.node)
        try:
            return self.machine.evaluator.value(func.node.body, frame)
        finally:
            self._active.pop()

    def _bind(self, function: FunctionValue | LambdaValue, given: Sequence[Given], frame: Frame) -> str:
        """Binds parameters; why that cannot be done, else ""."""
        params, defined_in = self.machine.params(function), function.frame
        defaults = function.defaults or {}
        if any(arg.star for arg in given):
            return "its arguments are only known when it is called"
        positional = [arg for arg in given if arg.keyword is None]
        keywords = {arg.keyword: arg for arg in given if arg.keyword is not None}
        for param in params:
            found: Binding | None = None
            if param.kind == "*":
                rest = ListValue("tuple", [Item(arg.value, arg.where) for arg in positional])
                positional, found = [], Binding(rest, None)
            elif param.kind == "**":
                entries: dict[object, Item] = {key: Item(arg.value, arg.where) for key, arg in keywords.items()}
                keywords, found = {}, Binding(DictValue(entries), None)
            elif param.kind in ("positional", "positional-only") and positional:
                arg = positional.pop(0)
                found = Binding(arg.value, arg.where)
            elif param.kind != "positional-only" and param.name in keywords:
                arg = keywords.pop(param.name)
                found = Binding(arg.value, arg.where)
            elif param.default is not None:
                value = defaults.get(param.name) or self.machine.evaluator.value(param.default, defined_in)
                found = Binding(value, Frame.where(defined_in, param.default.span))
            if found is None:
                return f"`{param.name}` is not given"
            frame.names[param.name] = found
        return "it is called with more arguments than it takes" if positional or keywords else ""

    # Methods

    def _bound(self, func: Bound, given: Sequence[Given], site: CallSite, frame: Frame) -> Value:
        owner = func.owner
        if func.name == "register" and func.function is None and isinstance(owner, ClassValue):
            owner.mutated = {"register": site.where, **owner.mutated}
            return given[0].value if given else Constant(None)
        making = self.machine.class_maker.making
        if func.name == "__new__" and func.function is None and making:
            return making[-1]
        if isinstance(func.function, LambdaValue):
            return self._lambda(func.function, [Given(owner, site.func), *given], site)
        if func.function is not None:
            holder = func.function.owner or self.machine.evaluator.class_of(owner)
            method = (holder, owner) if isinstance(holder, ClassValue) else None
            return self.invoke(func.function, [Given(owner, site.func), *given], site, method)
        if isinstance(owner, Bound) and isinstance(owner.owner, ModuleValue):
            owner.owner.open = owner.owner.open or "names are written through `globals()`"
            return Unknown("it is looked up in `globals()`", taint=True)
        answered = self.container_method(owner, func.name, given, site)
        return answered if answered is not None else self.result(func, given, site)

    def decorated_by_own(self, function: FunctionValue, by: Value, where: Where) -> FunctionValue:
        """A function under a decorator of the project, which is run as any function is."""
        site = CallSite(where, where, ())
        made = self.machine.force(self.call(by, [Given(function, where)], site, function.frame))
        if made is function:
            return function
        text = self.machine.text(where)
        if isinstance(made, Unknown):
            return self.decorated(function, by, text)
        out = self.decorated(function, by, text)
        out.wrapper = made
        if function.abstract and isinstance(made, FunctionValue):
            out.abstract = True if made.wraps else made.abstract
        return out

    def decorated(self, function: FunctionValue, by: Value, text: str) -> FunctionValue:
        """A function under one more decorator."""
        if isinstance(by, Bound) and isinstance(by.owner, FunctionValue) and by.name in ("setter", "getter", "deleter"):
            setter = function if by.name == "setter" else by.owner.setter
            return replace(by.owner, settable=by.owner.settable or by.name == "setter", setter=setter)
        dotted = by.dotted if isinstance(by, External | ClassValue) else ""
        name = text.split("(")[0]
        if dotted in _TRANSPARENT:
            function.wraps = function.wraps or dotted == "functools.wraps"
            return function
        kind, abstract = _MARKERS.get(dotted, ("other", False))
        out = FunctionValue(function.node, function.module, function.qualname, function.path, function.frame)
        out.defaults, out.wrapper = function.defaults, function.wrapper
        out.abstract = True if abstract else function.abstract
        out.kind = function.kind
        if kind and function.kind not in ("function", "staticmethod", "classmethod"):
            kind = "other"
        if kind:
            out.kind = kind  # type: ignore[assignment]
        out.decorated_by = name
        if kind == "other" and function.abstract:
            out.abstract = None  # functools.wraps would keep the mark, another wrapper would not
        if kind == "cached_property":
            out.abstract = False
        return out
