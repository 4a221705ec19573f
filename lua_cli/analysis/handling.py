"""Exceptions and contexts of the abstract import: `try`, `raise`, `with`.

In: the statement and the scope it runs in. Out: how it ended. What certainly raises goes to the handler that catches
it; where something may raise, for all that is known, the handlers are perhaps run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.scopes import Flow, Frame, HandlerScope, Raised, kinds_of
from lua_cli.analysis.values import (
    Binding,
    ClassValue,
    Constant,
    External,
    Generator,
    Given,
    Instance,
    ListValue,
    Maybe,
    Unknown,
    Value,
    Where,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

if TYPE_CHECKING:
    pass


_KNOWN_TO_FAIL = frozenset({"ImportError", "ModuleNotFoundError", "NameError", "UnboundLocalError"})
Body = Sequence[ir.Stmt]


class Handling:
    """Exceptions, and what surrounds a block."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def try_(self, node: ir.Try, frame: Frame) -> Flow:
        handlers = [(self._caught(handler.type, frame), handler) for handler in node.handlers]
        scope = HandlerScope(frozenset(name for names, _ in handlers for name in names))
        error: Raised | None = None
        flow, unsure = Flow.NEXT, self.machine.unsure
        self.machine.handlers.append(scope)
        try:
            flow = self._guarded(node.body, handlers, frame)
        except Raised as raised:
            error = raised
        finally:
            self.machine.handlers.pop()
        if error is None and self.machine.unsure != unsure and not frame.module.lazy:
            self._unsure(scope, handlers, frame.where(node.span))
        try:
            flow = self._after_try(node, handlers, scope, error, flow, frame)
        except Raised:
            self.machine.executor.block(node.final, frame)
            raise
        final = self.machine.executor.block(node.final, frame)
        return flow if final is Flow.NEXT else final

    def _guarded(self, body: Body, handlers: list[tuple[frozenset[str], ir.Handler]], frame: Frame) -> Flow:
        """The body of a `try`: what follows a statement that may raise is perhaps not done."""
        if frame.module.lazy or all(names <= _KNOWN_TO_FAIL for names, _ in handlers):
            return self.machine.executor.block(body, frame)
        for at, statement in enumerate(body):
            unsure = self.machine.unsure
            flow = self.machine.executor.block((statement,), frame)
            if flow is not Flow.NEXT:
                return flow
            if self.machine.unsure != unsure and at + 1 < len(body):
                where = frame.where(statement.span)
                maybe = Maybe(f"whether `{self.machine.text(where)}` raises is only known when the code runs", None)
                return self.machine.executor.branches([body[at + 1 :], ()], frame, maybe)
        return Flow.NEXT

    def _unsure(self, scope: HandlerScope, handlers: list[tuple[frozenset[str], ir.Handler]], where: Where) -> None:
        """Something in a `try` may raise for all that is known: its handlers are perhaps run. That an import fails, or
        a name, is
        known, and no call is thought to raise it."""
        for names, handler in handlers:
            if names and not names <= _KNOWN_TO_FAIL and handler.body:
                maybe = Maybe("whether something in the `try` raises is only known when the code runs", None)
                scope.perhaps.append((Raised(names, ""), maybe))

    def _after_try(
        self,
        node: ir.Try,
        handlers: list[tuple[frozenset[str], ir.Handler]],
        scope: HandlerScope,
        error: Raised | None,
        flow: Flow,
        frame: Frame,
    ) -> Flow:
        if error is not None:
            for names, handler in handlers:
                if names & error.kinds:
                    return self._handle(handler, frame)
            raise error
        if scope.perhaps:
            taken = [
                next(handler for names, handler in handlers if names & raised.kinds) for raised, _ in scope.perhaps
            ]
            ended = flow is not Flow.NEXT
            bodies: list[Body] = [() if ended else node.orelse, *(handler.body for handler in taken)]
            after = self.machine.executor.branches(bodies, frame, scope.perhaps[0][1])
            return flow if ended else after
        return self.machine.executor.block(node.orelse, frame) if flow is Flow.NEXT else flow

    def _handle(self, handler: ir.Handler, frame: Frame) -> Flow:
        if handler.name:
            frame.names[handler.name] = Binding(Unknown("it is an exception that was caught", taint=True), None)
        flow = self.machine.executor.block(handler.body, frame)
        if handler.name:
            frame.names.pop(handler.name, None)
        return flow

    def _caught(self, node: ir.Expr | None, frame: Frame) -> frozenset[str]:
        """The names of the exceptions that an `except` clause catches; nothing for one that is not known."""
        if node is None:
            return frozenset({"BaseException"})
        if isinstance(node, ir.Display):
            return frozenset(name for item in node.items for name in self._caught(item, frame))
        value = self.machine.evaluator.value(node, frame)
        if isinstance(value, ListValue):
            values = [item.value for item in value.items]
            return frozenset(self._exception_name(one) for one in values if isinstance(one, ClassValue))
        return frozenset({self._exception_name(value)}) if isinstance(value, ClassValue) else frozenset()

    def _exception_name(self, cls: ClassValue) -> str:
        return cls.name if cls.origin == "builtin" else cls.dotted

    def raise_(self, node: ir.Raise, frame: Frame) -> Flow:
        value = self.machine.settled(self.machine.evaluator.value(node.exception, frame)) if node.exception else None
        cls = self.machine.evaluator.class_of(value) if value is not None else None
        if cls is not None and cls.mro is not None:
            kinds = frozenset(self._exception_name(one) for one in cls.mro)
        else:
            kinds = kinds_of("Exception") if value is not None else frozenset()
        if kinds:
            self.machine.fail("", "raised by the program", kinds)
        # Nothing catches it. At the top level the rest is read all the same, to say what else there is to say.
        return Flow.RAISE if frame.kind == "function" or self.machine.conditions else Flow.NEXT

    def with_(self, node: ir.With, frame: Frame) -> Flow:
        caught: set[str] = set()
        managers: list[Instance] = []
        for context, target in node.items:
            value = self.machine.settled(self.machine.evaluator.value(context, frame))
            if isinstance(context, ir.Call) and self._is_suppress(context, frame):
                caught.update(name for arg in context.args for name in self._caught(arg.value, frame))
            part = self._entered(value, frame.where(context.span))
            if isinstance(value, Instance):
                managers.append(value)
            if target is not None:
                part = part or self.machine.evaluator.unknown(value, "it is what a `with` statement gives, of")
                self.machine.executor.assign(target, part, context, frame)
        swallow = {"BaseException"} if any(self._exits(manager) for manager in managers) else set()
        self.machine.handlers.append(HandlerScope(frozenset(caught | swallow)))
        error: Raised | None = None
        flow = Flow.NEXT
        try:
            flow = self.machine.executor.block(node.body, frame)
        except Raised as raised:
            error = raised
        finally:
            self.machine.handlers.pop()
        for manager in reversed(managers):
            if self._exited(manager, error, frame.where(node.span)):
                error, flow = None, Flow.NEXT
        if error is not None and not caught & error.kinds:
            self.machine.fail("", str(error), error.kinds)
            return Flow.RAISE if frame.kind == "function" or self.machine.conditions else Flow.NEXT
        return flow

    def _entered(self, value: Value, where: Where) -> Value | None:
        """What `__enter__` gives, run where the project defines it; a generator behind a `with` runs perhaps."""
        if isinstance(value, Generator):
            self.machine.evaluator.perhaps_run(value)
        return self.machine.evaluator.own_method(value, "__enter__", [], where) if isinstance(value, Instance) else None

    def _exits(self, manager: Instance) -> bool:
        return isinstance(self.machine.evaluator.lookup(manager.cls, "__exit__"), tuple)

    def _exited(self, manager: Instance, error: Raised | None, where: Where) -> bool:
        """Runs `__exit__`; whether it swallows the exception that was raised."""
        about = Constant(None) if error is None else Unknown("it is what was raised")
        answer = self.machine.evaluator.own_method(manager, "__exit__", [Given(about, where)] * 3, where)
        return error is not None and answer is not None and self.machine.evaluator.truth(answer) is True

    def _is_suppress(self, node: ir.Call, frame: Frame) -> bool:
        value = self.machine.evaluator.value(node.func, frame)
        return isinstance(value, External) and value.dotted == "contextlib.suppress"
