"""The state of one abstract import, and what its parts share: names, conditions, what certainly fails, findings.

In: a project and its source index. Out: modules that were executed, the skills and agents that they made, findings. The
parts (importer, executor, evaluator, class maker, caller) hold no state of their own but caches.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lua_cli.analysis.calls import Caller
from lua_cli.analysis.classes import ClassMaker
from lua_cli.analysis.constructors import Constructors
from lua_cli.analysis.definitions import is_put_off
from lua_cli.analysis.evaluation import Evaluator
from lua_cli.analysis.execution import Executor
from lua_cli.analysis.externals import complete
from lua_cli.analysis.fields import FieldMaker
from lua_cli.analysis.folding import NotFoldedError
from lua_cli.analysis.imports import Importer
from lua_cli.analysis.model import Finding
from lua_cli.analysis.reach import Reach
from lua_cli.analysis.registration import Registrar
from lua_cli.analysis.scopes import Condition, Frame, HandlerScope, Raised, either, kinds_of
from lua_cli.analysis.values import (
    AgentValue,
    Ambiguous,
    Binding,
    ClassValue,
    FunctionValue,
    Instance,
    LambdaValue,
    Lazy,
    Maybe,
    ModuleValue,
    SkillValue,
    Unknown,
    Value,
    Where,
)
from lua_cli.diagnostics import Place
from lua_cli.project import Project
from lua_cli.source import SourceIndex, ir


class Machine:
    def __init__(self, project: Project, index: SourceIndex, replaced: dict[str, ir.ModuleFacts] | None = None) -> None:
        self.project = project
        self.index = index
        self.replaced = replaced or {}
        self.conditions: list[Condition] = []
        self.handlers: list[HandlerScope] = []
        self.classes: list[ClassValue] = []
        self.skills: list[SkillValue] = []
        self.agents: list[AgentValue] = []
        self.unsure = (
            0  # counts what may raise for all that is known: whoever watches it can see that something may have
        )
        self.own_paths: set[Path] = set()
        self._findings: dict[tuple[str, Place], Finding] = {}
        self._known: dict[str, ClassValue] = {}
        self.importer = Importer(self)
        self.executor = Executor(self)
        self.evaluator = Evaluator(self)
        self.class_maker = ClassMaker(self)
        self.caller = Caller(self)
        self.fields = FieldMaker(self)
        self.constructors = Constructors(self)
        self.registrar = Registrar(self)
        self.reach = Reach(self)

    def let_go(self) -> None:
        """Takes apart what refers to itself, so that it is gone: a compile runs no collector, and the values of an
        abstract import weigh more than all that comes of them. Nothing can be asked of it any more.
        """
        for module in self.importer.modules.values():
            module.frame.names = {}
            del module.frame.module
        for cls in (*self.classes, *self._known.values()):
            cls.namespace.clear()
            del cls.mro, cls.bases, cls.metaclass, cls.abstracts, cls.fields, cls.frame
        for held in (*(skill.tools for skill in self.skills), *(agent.skills for agent in self.agents)):
            del held.holder
        self.importer.modules.clear()  # values that nobody asked for keep the importer
        self.__dict__.clear()

    def import_entry(self) -> ModuleValue:
        """Imports the project's entry file."""
        location = self.index.entry()
        found = self.index.locate(location.dotted)
        if found is not None and found.path == location.path and "." in location.dotted:
            return self.importer.load(location.dotted)
        module = self.importer.add(location)
        self.importer.execute(module)
        return module

    def shown(self, cls: ClassValue) -> str:
        """The dotted name of a class, those of the SDK as users import them."""
        return f"lua_cli.{cls.name}" if cls.origin == "sdk" and "." not in cls.qualname else cls.dotted

    # Facts and findings

    def facts(self, module: ModuleValue) -> ir.ModuleFacts:
        """The code of a module. Raises SourceError."""
        return self.replaced.get(module.dotted) or self.index.facts(module.location)

    def params(self, function: FunctionValue | LambdaValue) -> tuple[ir.Parameter, ...]:
        """The parameters of a function. Raises SourceError."""
        node = function.node
        return node.params if isinstance(node, ir.Lambda) else self.index.params(function.path, node)

    def find(self, code: str, where: Where, **facts: str) -> None:
        """Notes something to tell the user; once for one place."""
        related = facts.pop("related", None)
        assert related is None  # noqa: S101
        self.find_at(code, self.index.place(where.path, where.span), **facts)

    def find_at(self, code: str, place: Place, **facts: str) -> None:
        stated = {key: value for key, value in facts.items() if value}
        self._findings.setdefault((code, place), Finding(code, place, stated))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, by place."""
        return tuple(sorted(self._findings.values(), key=lambda f: (f.place, f.code)))

    def text(self, where: Where, limit: int = 60) -> str:
        """The source at a place, on one line and not too long."""
        line, column, end_line, end_column = where.span
        lines = [text.encode() for text in self.index.lines(where.path)[line - 1 : end_line]]
        lines[-1] = lines[-1][:end_column]
        lines[0] = lines[0][column:]
        text = " ".join(part.decode("utf-8", "replace").strip() for part in lines)
        return text if len(text) <= limit else text[: limit - 1] + "…"

    def is_lazy(self, path: Path) -> bool:
        """Whether a file belongs to a package or to the standard library: read when it matters, and not shown as the
        user's."""
        return path not in self.own_paths

    # Names

    def bind(self, frame: Frame, name: str, binding: Binding) -> None:
        """An assignment to a name in a scope."""
        holder = frame.holder(name)
        if holder is not frame and name in frame.globals:
            self._rebind(holder, name, binding, frame.function)
        else:
            self.bind_in(holder, name, binding)

    def bind_in(self, frame: Frame, name: str, binding: Binding) -> None:
        """Binds a name; perhaps only, when a condition is open that the scope is older than and that works on no copy
        of it."""
        if frame.kind == "module" and not is_put_off(binding):
            value = binding.value
            if isinstance(value, Instance | SkillValue | AgentValue):
                value.variable = value.variable or name
        if frame.depth < len(self.conditions) and all(c.frame is not frame for c in self.conditions[frame.depth :]):
            maybe = self.conditions[-1].maybe
            old = frame.names.get(name)
            values = [binding.value] if old is None else [binding.value, old.value]
            binding = Binding(either(values, maybe, partial=old is None), binding.where, binding.kind)
        frame.names[sys.intern(name)] = binding  # the same names again and again, in module after module

    def _rebind(self, frame: Frame, name: str, binding: Binding, function: str) -> None:
        """A function that ran assigned to a name of its module: whether it runs, and when, is not for a reader to
        follow."""
        reason = f"`global {name}` in {function}() rebinds it"
        old = frame.names.get(name)
        values = [binding.value] if old is None else [binding.value, old.value]
        value = either(values, Maybe(reason, binding.where), partial=True)
        frame.names[name] = Binding(value, binding.where, "rebound")

    # What only a run decides

    @property
    def perhaps(self) -> Maybe | None:
        """Why what is being executed is perhaps not executed."""
        return self.conditions[-1].maybe if self.conditions else None

    def catches(self, kind: str) -> bool:
        kinds = kinds_of(kind)
        return any(kinds & scope.catches for scope in self.handlers)

    def fail(self, kind: str, message: str, kinds: frozenset[str] | None = None) -> None:
        """The program raises. Leaves for the `try` that catches it; returns when none does, so that the rest can be
        read."""
        kinds = kinds or kinds_of(kind)
        if any(kinds & scope.catches for scope in self.handlers):
            raise Raised(kinds, message)

    def folded(self, error: Exception) -> None:
        """What came of folding constants: Python's own exception, where that is what it was."""
        kind = error.kind if isinstance(error, NotFoldedError) else ""
        if kind:
            self.fail(kind, str(error))
        else:
            self.unsure += 1

    def force(self, value: Value) -> Value:
        """The value itself, reading what was put off."""
        seen: set[int] = set()
        while isinstance(value, Lazy):
            if value.value is None:
                if value.resolve is None:
                    return Unknown(f"`{value.text}` depends on itself")
                resolve, value.resolve = value.resolve, None
                value.value = self._undisturbed(resolve)
            if id(value) in seen:
                return Unknown(f"`{value.text}` depends on itself")
            seen.add(id(value))
            value = value.value
        return value

    def _undisturbed(self, resolve: object) -> Value:
        """What is read late is no part of the `try` or the condition that asks for it."""
        conditions, handlers = self.conditions, self.handlers
        self.conditions, self.handlers = [], []
        try:
            return resolve()  # type: ignore[operator, no-any-return]
        finally:
            self.conditions, self.handlers = conditions, handlers

    def settled(self, value: Value) -> Value:
        """The value to work with: forced, and of several the one that is taken."""
        value = self.force(value)
        seen: set[int] = set()
        while isinstance(value, Ambiguous):
            if id(value) in seen:
                return Unknown(value.reason)
            seen.add(id(value))
            value = self.force(value.choice)
        return value

    def certain(self, value: Value) -> Value:
        """The value where it is one alone; of several, that it is not known which."""
        value = self.force(value)
        return Unknown(value.reason, self.evaluator.tainted(value)) if isinstance(value, Ambiguous) else value

    def known_class(self, dotted: str) -> ClassValue:
        """A class of the standard library or of pydantic that is known by name."""
        if dotted not in self._known:
            module, _, name = dotted.rpartition(".")
            cls = self._known[dotted] = ClassValue(name, name, module, "builtin")
            complete(cls, self)
        return self._known[dotted]
