"""Statements of the abstract import: what each does to names, and which way the program goes.

In: statements and the scope they run in. Out: changed scopes, and how a block ended (`Flow`). A test that only a run
decides lets every branch run on a copy of the scope; afterwards a name is what all branches made of it, or ambiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from lua_cli.analysis.definitions import defined
from lua_cli.analysis.handling import Body
from lua_cli.analysis.loops import Loops
from lua_cli.analysis.scopes import Condition, Flow, Frame, Raised, joined
from lua_cli.analysis.values import (
    Binding,
    Constant,
    Given,
    Instance,
    Item,
    ListValue,
    Maybe,
    ModuleValue,
    Unknown,
    Value,
)
from lua_cli.source import SourceError, ir

if TYPE_CHECKING:
    pass

IN_PLACE = {"+": "add", "|": "or", "-": "sub", "*": "mul", "&": "and", "^": "xor", "<<": "lshift", ">>": "rshift"}


class Executor(Loops):
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
        if isinstance(node.target, ir.Name) and frame.annotations is not None:
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
        if node.params is None and frame.kind == "module" and not frame.module.lazy:
            self.machine.bind(frame, node.name, defined(self.machine, frame, node))
            return Flow.NEXT
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
        if node.kind == "global":
            frame.globals = frame.globals.union(node.names)
        else:
            frame.nonlocals = frame.nonlocals.union(node.names)
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
                frame.exits = (*frame.exits, frame.names)
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

    def return_(self, node: ir.Return, frame: Frame) -> Flow:
        value = self.machine.evaluator.value(node.value, frame) if node.value else Constant(None)
        frame.returned = (*frame.returned, (value, self.machine.perhaps))
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
