"""Statements of the abstract import: what each does to names, and which way the program goes.

In: statements and the scope they run in. Out: changed scopes, and how a block ended (`Flow`). A test that only a run
decides lets every branch run on a copy of the scope; afterwards a name is what all branches made of it, or ambiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from lua_cli.analysis.effects import walk
from lua_cli.analysis.scopes import Condition, Flow, Frame, HandlerScope, Raised, either, joined, kinds_of
from lua_cli.analysis.values import (
    Binding,
    ClassValue,
    Constant,
    External,
    Generator,
    Given,
    Instance,
    Item,
    ListValue,
    Maybe,
    ModuleValue,
    Unknown,
    Value,
    Where,
)
from lua_cli.source import SourceError, ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_KNOWN_TO_FAIL = frozenset({"ImportError", "ModuleNotFoundError", "NameError", "UnboundLocalError"})
MAX_ROUNDS = 500
IN_PLACE = {"+": "add", "|": "or", "-": "sub", "*": "mul", "&": "and", "^": "xor", "<<": "lshift", ">>": "rshift"}
MAX_ROUNDS_IN_ALL = 20_000

Body = Sequence[ir.Stmt]


class Executor:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._rounds_left = MAX_ROUNDS_IN_ALL

    def affords(self, rounds: int) -> bool:
        """Whether so many more rounds of loops are followed; all loops of a project share one budget."""
        self._rounds_left -= rounds
        return self._rounds_left >= 0

    def block(self, body: Body, frame: Frame) -> Flow:
        """Runs statements in order."""
        if frame.kind == "function":
            self.machine.caller.spend(len(body))
        for statement in body:
            flow = _RUN[type(statement)](self, statement, frame)
            if flow is not Flow.NEXT:
                return flow
        return Flow.NEXT

    # Assignments

    def assign_(self, node: ir.Assign, frame: Frame) -> Flow:
        calls = self.machine.caller.invoked
        value = self.machine.evaluator.value(node.value, frame)
        for target in node.targets:
            self.assign(target, value, node.value, frame)
        if frame.kind == "class" and self.machine.caller.invoked != calls:
            self._computed(node.targets, frame)
        return Flow.NEXT

    def _computed(self, targets: Sequence[ir.Expr], frame: Frame) -> None:
        """Notes in a class body that a function was called for a value."""
        for target in targets:
            if isinstance(target, ir.Name) and target.id in frame.names:
                frame.names[target.id].computed = self.machine.caller.last

    def assign(
        self, target: ir.Expr, value: Value, source: ir.Expr, frame: Frame, kind: Literal["", "loop"] = ""
    ) -> None:
        """Binds a target; `source` is the expression that the value comes from."""
        where = frame.where(source.span)
        match target:
            case ir.Name(id=name):
                self.machine.bind(frame, name, Binding(value, where, kind))
            case ir.Display(items=targets):
                self._unpack(targets, value, source, frame, kind)
            case ir.Starred(value=inner):
                self.assign(inner, value, source, frame, kind)
            case ir.Attr(value=owner, attr=name):
                holder = self.machine.evaluator.value(owner, frame)
                statement = frame.where((*target.span[:2], *source.span[2:]))
                self.machine.evaluator.set_attribute(holder, name, Binding(value, where), statement)
            case ir.Subscript(value=owner, key=key):
                holder = self.machine.evaluator.value(owner, frame)
                index = self.machine.evaluator.value(key, frame)
                self.machine.evaluator.set_item(holder, index, Item(value, where, self.machine.perhaps))

    def _unpack(
        self, targets: Sequence[ir.Expr], value: Value, source: ir.Expr, frame: Frame, kind: Literal["", "loop"]
    ) -> None:
        items = self.machine.evaluator.items(value)
        certain = items is not None and not any(item.maybe for item in items)
        starred = any(isinstance(target, ir.Starred) for target in targets)
        if certain and items is not None and not starred and len(items) != len(targets):
            self.machine.fail("ValueError", "wrong number of values to unpack")
        star = next((at for at, target in enumerate(targets) if isinstance(target, ir.Starred)), None)
        fits = items is not None and all(item.maybe is None for item in items)
        if items is None or not fits or (len(items) != len(targets) if star is None else len(items) < len(targets) - 1):
            for target in targets:
                self.assign(target, self.machine.evaluator.unknown(value, "it is a part of"), source, frame, kind)
            return
        parts = source.items if isinstance(source, ir.Display) and len(source.items) == len(items) else None
        for at, target in enumerate(targets):
            if star is None or at < star:
                self.assign(target, items[at].value, parts[at] if parts else source, frame, kind)
            elif at == star:
                rest = items[star : len(items) - (len(targets) - star - 1)]
                self.assign(target, ListValue("list", list(rest)), source, frame, kind)
            else:
                from_end = at - len(targets)
                self.assign(target, items[from_end].value, parts[from_end] if parts else source, frame, kind)

    def annotate(self, node: ir.Annotate, frame: Frame) -> Flow:
        if isinstance(node.target, ir.Name) and frame.kind == "class":
            frame.annotations[node.target.id] = (node.annotation, frame.where(node.target.span))
        if node.value is not None:
            self.assign_(ir.Assign(node.span, (node.target,), node.value), frame)
        return Flow.NEXT

    def augment(self, node: ir.Augment, frame: Frame) -> Flow:
        evaluator = self.machine.evaluator
        old = evaluator.value(node.target, frame)
        added = evaluator.value(node.value, frame)
        settled = self.machine.settled(old)
        whole = frame.where(node.span)
        if self.machine.caller.changed_in_place(settled, node.op, added, frame.where(node.value.span)):
            value = old
        elif isinstance(settled, Instance) and node.op in IN_PLACE:
            given = [Given(added, frame.where(node.value.span))]
            own = evaluator.own_method(settled, f"__i{IN_PLACE[node.op]}__", given, whole)
            operands = (frame.where(node.target.span), frame.where(node.value.span))
            value = own or evaluator.operate(node.op, [old, added], operands, whole)
        else:
            operands = (frame.where(node.target.span), frame.where(node.value.span))
            value = evaluator.operate(node.op, [old, added], operands, whole)
        source = ir.Opaque(node.span, "an augmented assignment")
        self.assign(node.target, value, source, frame)
        return Flow.NEXT

    def delete(self, node: ir.Delete, frame: Frame) -> Flow:
        for target in node.targets:
            match target:
                case ir.Name(id=name):
                    if frame.holder(name).names.pop(name, None) is None and not frame.module.frame.star:
                        self.machine.fail("NameError", f"name {name!r} is not defined")
                case ir.Attr(value=owner, attr=name):
                    gone = Unknown(f"`{self.machine.text(frame.where(node.span))}` removes it")
                    holder = self.machine.evaluator.value(owner, frame)
                    self.machine.evaluator.set_attribute(holder, name, Binding(gone, None), frame.where(node.span))
                case ir.Subscript(value=owner, key=key):
                    holder = self.machine.settled(self.machine.evaluator.value(owner, frame))
                    self.machine.caller.delete_item(holder, key, frame)
                case ir.Display(items=items):
                    self.delete(ir.Delete(node.span, items), frame)
        return Flow.NEXT

    def do(self, node: ir.Do, frame: Frame) -> Flow:
        if not isinstance(node.value, ir.Const):
            self.machine.evaluator.value(node.value, frame)
        return Flow.NEXT

    # Definitions and imports

    def class_(self, node: ir.Class, frame: Frame) -> Flow:
        value = self.machine.class_maker.statement(node, frame)
        self.machine.bind(frame, node.name, Binding(value, frame.where(node.name_span), "class"))
        return Flow.NEXT

    def function(self, node: ir.Function, frame: Frame) -> Flow:
        value = self.machine.evaluator.function(node, frame)
        self.machine.bind(frame, node.name, Binding(value, frame.where(node.name_span), "def"))
        return Flow.NEXT

    def plain_import(self, node: ir.Import, frame: Frame) -> Flow:
        self.machine.importer.plain(node, frame)
        return Flow.NEXT

    def from_import(self, node: ir.FromImport, frame: Frame) -> Flow:
        self.machine.importer.from_(node, frame)
        return Flow.NEXT

    def type_alias(self, node: ir.TypeAliasStmt, frame: Frame) -> Flow:
        unknown = Unknown("it is a type alias")
        self.machine.bind(frame, node.name, Binding(unknown, frame.where(node.span)))
        return Flow.NEXT

    def global_(self, node: ir.Global, frame: Frame) -> Flow:
        (frame.globals if node.kind == "global" else frame.nonlocals).update(node.names)
        return Flow.NEXT

    # Branches

    def if_(self, node: ir.If, frame: Frame) -> Flow:
        undecided: list[Body] = []
        maybe: Maybe | None = None
        for test, body in node.branches:
            truth = self.machine.evaluator.truth(self.machine.evaluator.value(test, frame))
            if truth is False:
                self._mirror(test, body, frame)
            elif truth and maybe is None:
                return self.block(body, frame)
            else:
                undecided.append(body)
                maybe = maybe or self.undecided(test, frame)
                if truth:
                    return self.branches(undecided, frame, maybe)
        if maybe is None:
            return self.block(node.orelse, frame)
        return self.branches([*undecided, node.orelse], frame, maybe)

    def undecided(self, test: ir.Expr, frame: Frame) -> Maybe:
        return Maybe(f"`{self.machine.text(frame.where(test.span))}` is only known when the code runs", None)

    def branches(self, bodies: Sequence[Body], frame: Frame, maybe: Maybe) -> Flow:
        """Runs blocks of which a run takes one."""
        before = frame.names
        flows: list[Flow] = []
        going: list[dict[str, Binding]] = []
        for body in bodies:
            frame.names = dict(before)
            self.machine.conditions.append(Condition(maybe, frame))
            depth = len(self.machine.conditions)
            try:
                flow = self.block(body, frame)
            except Raised as error:
                self._perhaps(error, maybe)
                flow = Flow.RAISE
            finally:
                del self.machine.conditions[depth - 1 :]
            flows.append(flow)
            if flow is Flow.NEXT:
                going.append(frame.names)
            elif flow in (Flow.BREAK, Flow.CONTINUE):
                frame.exits.append(frame.names)
        if not going:
            left = [flow for flow in flows if flow is not Flow.RAISE]
            return left[0] if left else Flow.RAISE
        frame.names = joined(going, maybe)
        if any(flow not in (Flow.NEXT, Flow.RAISE) for flow in flows):
            self.machine.conditions.append(Condition(maybe, frame))  # until the loop or the function ends
        return Flow.NEXT

    def _perhaps(self, error: Raised, maybe: Maybe) -> None:
        for scope in reversed(self.machine.handlers):
            if scope.catches & error.kinds:
                scope.perhaps.append((error, maybe))
                return

    def _mirror(self, test: ir.Expr, body: Body, frame: Frame) -> None:
        """Remembers what a module imports for type checkers: its `__getattr__` gives the same at run time."""
        if "TYPE_CHECKING" not in _names_of(test) or frame.kind != "module":
            return
        for statement in body:
            if isinstance(statement, ir.FromImport):
                for alias in statement.names:
                    frame.module.mirror[alias.asname or alias.name] = (statement, alias)
            elif isinstance(statement, ir.Import):
                frame.module.mirror[statement.asname or statement.dotted.partition(".")[0]] = (statement, None)

    def match(self, node: ir.Match, frame: Frame) -> Flow:
        subject = self.machine.evaluator.value(node.subject, frame)
        where = frame.where(node.subject.span)
        maybe = Maybe(f"`match {self.machine.text(where)}` is only decided when the code runs", None)
        bodies: list[Body] = []
        for case in node.cases:
            matches = self._matches(case, subject, frame)
            if matches is False:
                continue
            if matches and not bodies:
                return self.block(case.body, frame)
            source = ir.Opaque(node.subject.span, "a part of the subject")
            unknown = self.machine.evaluator.unknown(subject, "it is a part of")
            for name in case.captures:
                self.assign(ir.Name(source.span, name), unknown, source, frame)
            bodies.append(case.body)
            if matches:
                return self.branches(bodies, frame, maybe)
        bodies.append(())
        return self.branches(bodies, frame, maybe) if len(bodies) > 1 else Flow.NEXT

    def _matches(self, case: ir.Case, subject: Value, frame: Frame) -> bool | None:
        """Whether a `case` is taken; None when only a run knows."""
        if case.alternatives:
            left = self.machine.certain(subject)
            compared = [
                self.machine.evaluator.equal(left, self.machine.evaluator.value(v, frame)) for v in case.alternatives
            ]
            found = True if True in compared else None if None in compared else False
        else:
            found = True if case.irrefutable else None
        if found and case.guard is not None:
            return self.machine.evaluator.truth(self.machine.evaluator.value(case.guard, frame))
        return found

    # Loops

    def for_(self, node: ir.For, frame: Frame) -> Flow:
        over = self.machine.settled(self.machine.evaluator.value(node.iter, frame))
        if isinstance(over, Generator) and any(
            isinstance(one, ir.Jump | ir.Return | ir.Raise) for one in walk(node.body)
        ):
            self.machine.evaluator.perhaps_run(over)
        live = self._live(over)
        items = None if live is not None else self.machine.evaluator.items(over)
        depth, exits, frame.exits = len(self.machine.conditions), frame.exits, []
        where = frame.where(node.iter.span)
        text = self.machine.text(where)
        maybe = Maybe(f"`for … in {text}` runs as often as only a run knows", None)
        if live is not None:
            flow = self._rounds(node, self._elements(live), frame, maybe)
            if live.once and (frame.exits or len(self.machine.conditions) > depth):
                self.machine.caller.spoil(live, "a loop over it is perhaps left early")
        elif items is None or len(items) > MAX_ROUNDS or not self.affords(len(items)):
            part = self.machine.evaluator.unknown(over, "it is an element of")
            self.assign(node.target, part, node.iter, frame, "loop")
            flow = self._again(node.body, frame, maybe)
        else:
            flow = self._rounds(node, items, frame, maybe)
        self._leave(frame, depth, exits, Maybe(f"`for … in {text}` is perhaps left early", None))
        return flow if flow in (Flow.RETURN, Flow.RAISE) else Flow.NEXT

    def _again(self, body: Body, frame: Frame, maybe: Maybe) -> Flow:
        """The body of a loop that runs as often as only a run knows: what it assigns to may be anything afterwards."""
        before = dict(frame.names)
        flow = self.branches([body, ()], frame, maybe)
        for node in walk(tuple(body)):
            targets = (
                node.targets if isinstance(node, ir.Assign) else (node.target,) if isinstance(node, ir.Augment) else ()
            )
            for name in _bound_names(targets):
                now = frame.names.get(name)
                if now is not None and now is not before.get(name) and not isinstance(now.value, ListValue):
                    values = [now.value, Unknown(maybe.reason, taint=self.machine.evaluator.tainted(now.value))]
                    frame.names[name] = Binding(either(values, maybe, partial=True), now.where, now.kind)
        return flow

    def _live(self, over: Value) -> ListValue | None:
        """A list, or an iterator, whose elements are known and are looked at one by one, as it is at each moment."""
        if isinstance(over, Generator) and over.run is not None:
            if self.machine.perhaps is not None and len(self.machine.conditions) > over.depth:
                return None
            over = self.machine.evaluator.made(over)
        elif isinstance(over, Generator):
            over = over.made or over
        if not isinstance(over, ListValue) or over.unknown is not None or over.kind not in ("list", "tuple"):
            return None
        if over.once and self.machine.perhaps is not None and len(self.machine.conditions) > over.depth:
            return None
        return over

    def _elements(self, live: ListValue) -> Iterator[Item | None]:
        """The elements as a loop meets them; None, at last, when there may be others."""
        at = 0
        while True:
            if live.unknown is not None or at >= MAX_ROUNDS or not self.affords(1):
                yield None
                return
            if live.once and live.items:
                yield live.items.pop(0)
            elif not live.once and at < len(live.items):
                yield live.items[at]
            else:
                return
            at += 1

    def _rounds(self, node: ir.For, items: Iterable[Item | None], frame: Frame, maybe: Maybe) -> Flow:
        for item in items:
            if item is None:
                part = Unknown("it is an element of a list that changes in ways that are not followed", taint=True)
                self.assign(node.target, part, node.iter, frame, "loop")
                return self._again(node.body, frame, maybe)
            self.assign(node.target, item.value, node.iter, frame, "loop")
            if item.maybe is not None:
                flow = self.branches([node.body, ()], frame, item.maybe)
            else:
                flow = self.block(node.body, frame)
            if flow is Flow.BREAK:
                return Flow.NEXT
            if flow in (Flow.RETURN, Flow.RAISE):
                return flow
        return self.block(node.orelse, frame)

    def while_(self, node: ir.While, frame: Frame) -> Flow:
        depth, exits, frame.exits = len(self.machine.conditions), frame.exits, []
        test = self.machine.text(frame.where(node.test.span))
        maybe = Maybe(f"`while {test}` runs as often as only a run knows", None)
        flow = Flow.NEXT
        for rounds in range(MAX_ROUNDS):
            truth = self.machine.evaluator.truth(self.machine.evaluator.value(node.test, frame))
            if truth is False:
                flow = self.block(node.orelse, frame)
                break
            if truth is None or rounds == MAX_ROUNDS - 1 or not self.affords(1):
                flow = self._again(node.body, frame, maybe)
                break
            flow = self.block(node.body, frame)
            if flow not in (Flow.NEXT, Flow.CONTINUE):
                break
        self._leave(frame, depth, exits, maybe)
        return flow if flow in (Flow.RETURN, Flow.RAISE) else Flow.NEXT

    def _leave(self, frame: Frame, depth: int, exits: list[dict[str, Binding]], maybe: Maybe) -> None:
        """After a loop: what was perhaps bound on the ways out of it, and no longer under its conditions."""
        if frame.exits:
            frame.names = joined([frame.names, *frame.exits], maybe)
        frame.exits = exits
        del self.machine.conditions[depth:]

    # Exceptions and contexts

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
            self.block(node.final, frame)
            raise
        final = self.block(node.final, frame)
        return flow if final is Flow.NEXT else final

    def _guarded(self, body: Body, handlers: list[tuple[frozenset[str], ir.Handler]], frame: Frame) -> Flow:
        """The body of a `try`: what follows a statement that may raise is perhaps not done."""
        if frame.module.lazy or all(names <= _KNOWN_TO_FAIL for names, _ in handlers):
            return self.block(body, frame)
        for at, statement in enumerate(body):
            unsure = self.machine.unsure
            flow = self.block((statement,), frame)
            if flow is not Flow.NEXT:
                return flow
            if self.machine.unsure != unsure and at + 1 < len(body):
                where = frame.where(statement.span)
                maybe = Maybe(f"whether `{self.machine.text(where)}` raises is only known when the code runs", None)
                return self.branches([body[at + 1 :], ()], frame, maybe)
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
            after = self.branches(bodies, frame, scope.perhaps[0][1])
            return flow if ended else after
        return self.block(node.orelse, frame) if flow is Flow.NEXT else flow

    def _handle(self, handler: ir.Handler, frame: Frame) -> Flow:
        if handler.name:
            frame.names[handler.name] = Binding(Unknown("it is an exception that was caught", taint=True), None)
        flow = self.block(handler.body, frame)
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
                self.assign(target, part, context, frame)
        swallow = {"BaseException"} if any(self._exits(manager) for manager in managers) else set()
        self.machine.handlers.append(HandlerScope(frozenset(caught | swallow)))
        error: Raised | None = None
        flow = Flow.NEXT
        try:
            flow = self.block(node.body, frame)
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

    def return_(self, node: ir.Return, frame: Frame) -> Flow:
        value = self.machine.evaluator.value(node.value, frame) if node.value else Constant(None)
        frame.returned.append((value, self.machine.perhaps))
        return Flow.RETURN

    def jump(self, node: ir.Jump, frame: Frame) -> Flow:
        return Flow.BREAK if node.kind == "break" else Flow.CONTINUE

    # Looking ahead

    def ahead(self, module: ModuleValue, name: str) -> Value | None:
        """What a module that is still being executed will bind a name to, when that is a constant at its top level."""
        try:
            body = self.machine.facts(module).body
        except SourceError:
            return None
        for statement in body:
            match statement:
                case ir.Assign(targets=(ir.Name(id=bound),), value=ir.Const(value=value)) if bound == name:
                    return Constant(value)
                case ir.Annotate(target=ir.Name(id=bound), value=ir.Const(value=value)) if bound == name:
                    return Constant(value)
        return None


def _bound_names(targets: Iterable[ir.Expr]) -> Iterator[str]:
    """The names that assignment targets bind."""
    for target in targets:
        if isinstance(target, ir.Name):
            yield target.id
        elif isinstance(target, ir.Display):
            yield from _bound_names(target.items)
        elif isinstance(target, ir.Starred):
            yield from _bound_names((target.value,))


def _names_of(test: ir.Expr) -> str:
    """The last names in a test, as one text: enough to recognise `TYPE_CHECKING`, alone or in a larger test."""
    match test:
        case ir.Name(id=name):
            return name
        case ir.Attr(attr=name):
            return name
        case ir.Boolean(operands=operands):
            return " ".join(_names_of(operand) for operand in operands)
    return ""


_RUN: dict[type[Any], Callable[[Executor, Any, Frame], Flow]] = {
    ir.Assign: Executor.assign_,
    ir.Annotate: Executor.annotate,
    ir.Augment: Executor.augment,
    ir.Delete: Executor.delete,
    ir.Do: Executor.do,
    ir.Import: Executor.plain_import,
    ir.FromImport: Executor.from_import,
    ir.Class: Executor.class_,
    ir.Function: Executor.function,
    ir.If: Executor.if_,
    ir.For: Executor.for_,
    ir.While: Executor.while_,
    ir.Try: Executor.try_,
    ir.With: Executor.with_,
    ir.Match: Executor.match,
    ir.Raise: Executor.raise_,
    ir.Return: Executor.return_,
    ir.Jump: Executor.jump,
    ir.Global: Executor.global_,
    ir.TypeAliasStmt: Executor.type_alias,
}
