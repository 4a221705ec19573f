"""Classes as the model has them, and the findings about them that matter.

In: class values when the import has ended. Out: `ClassInfo`s by dotted name (two classes of one name get told apart by
the line), and findings about bases, decorators and changes from outside, for the classes that are tools, may be tools,
or are used as tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.analysis.attributes import Attributes
from lua_cli.analysis.decoration import TRACKED
from lua_cli.analysis.handing import plain_words
from lua_cli.analysis.model import ClassInfo, Parameter
from lua_cli.analysis.signatures import parameters_of
from lua_cli.analysis.values import (
    NOTHING,
    Ambiguous,
    Binding,
    ClassValue,
    Constant,
    FunctionValue,
    Generic,
    LambdaValue,
    Unknown,
    Value,
    Where,
)
from lua_cli.diagnostics import Place
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_UNCHANGEABLE = (Constant, FunctionValue, LambdaValue, ClassValue, Generic)
_PLAIN = frozenset({"str", "int", "float", "bool", "bytes"})
_SAID = (*TRACKED, "__init__", "__new__")


class ClassDescriber:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.attributes = Attributes(machine)
        self.constructors = machine.constructors
        self._names: dict[int, str] = self._named()
        self._texts: dict[tuple[str, ...], tuple[str, ...]] = {}

    # Names

    def _named(self) -> dict[int, str]:
        """The dotted name of each class: of two with one name, the one that the name stands for in the end has it."""
        by_name: dict[str, list[ClassValue]] = {}
        for cls in self.machine.classes:
            by_name.setdefault(self.machine.shown(cls), []).append(cls)
        out: dict[int, str] = {}
        for dotted, classes in by_name.items():
            bound = next((cls for cls in reversed(classes) if self._is_bound(cls)), classes[-1])
            for cls in classes:
                line = cls.where.span[0] if cls.where else 0
                out[id(cls)] = dotted if cls is bound else f"{dotted} (line {line})"
        return out

    def _is_bound(self, cls: ClassValue) -> bool:
        module = self.machine.importer.modules.get(cls.module)
        names = module.frame.names if module is not None else {}
        value: Value | None = None
        for part in cls.qualname.split("."):
            binding = names.get(part)
            if binding is None:
                return False
            value = self.machine.settled(binding.value)
            names = value.namespace if isinstance(value, ClassValue) else {}
        return value is cls

    def dotted(self, cls: ClassValue) -> str:
        return self._names.get(id(cls)) or self.attributes.shown(cls)

    # Infos

    def infos(self, used: Iterable[ClassValue]) -> dict[str, ClassInfo]:
        """All classes of the project, and those of packages and of the SDK that its tools' chains hold."""
        wanted: dict[int, ClassValue] = {}
        own = [cls for cls in self.machine.classes if cls.origin == "first-party" and not cls.local]
        for cls in [*own, *used]:
            for one in cls.known_chain():
                if one.where is not None:
                    wanted.setdefault(id(one), one)
        return {info.dotted: info for info in sorted(map(self._info, wanted.values()), key=lambda info: info.dotted)}

    def _info(self, cls: ClassValue) -> ClassInfo:
        constructor = self.constructors.of(cls)
        attributes = self.attributes.of(cls, constructor)
        replaced = cls.dynamic is not None and cls.dynamic.taint
        is_tool = None if replaced else self._is_tool(cls)
        abstract = None if replaced or cls.abstracts is None else bool(cls.abstracts)
        instantiable = False if abstract else constructor.buildable
        if replaced or (abstract is None and instantiable):
            instantiable = None
        looks = all(attributes[name].state != "missing" for name in ("name", "execute"))
        where = cls.where
        assert where is not None  # noqa: S101
        return ClassInfo(
            dotted=self.dotted(cls),
            module=cls.module,
            qualname=cls.qualname,
            place=self._place(where),
            statement=self._place(cls.statement or where),
            is_tool=is_tool,
            abstract=abstract,
            instantiable=instantiable,
            mro=None
            if cls.mro is None
            else tuple(self.dotted(one) for one in cls.mro if one.dotted != "builtins.object"),
            bases_text=self._same(self.machine.text(base, 200) for base in cls.written_bases),
            abstract_members=tuple((name, self.dotted(asker)) for name, asker in sorted((cls.abstracts or {}).items())),
            required=self._same(constructor.required),
            parameters=self._same(constructor.parameters),
            accepts=constructor.accepts or NOTHING,
            attributes=attributes,
            input_annotation=self._input_annotation(cls),
            signatures={
                name: parameters
                for name in ("execute", "condition")
                if (parameters := self._signature(cls, name)) is not None
            }
            or NOTHING,
            members=self._members(cls, where.path),
            annotated=self._annotated(cls, where.path),
            look_alike=is_tool is False and looks,
            changeable=self._same(
                n for n, bound in cls.namespace.items() if not isinstance(bound.value, _UNCHANGEABLE)
            ),
            written=self._same(plain_words(cls, is_tool=is_tool)),
            plain_fields=all(self._is_plain(annotation, cls) for annotation, _ in cls.annotations.values()),
        )

    def _is_plain(self, annotation: ir.Expr, cls: ClassValue) -> bool:
        """Whether an annotation is one of the plain built-in types, by its own name."""
        if not isinstance(annotation, ir.Name) or annotation.id not in _PLAIN or cls.frame is None:
            return False
        return cls.frame.lookup(annotation.id) is None

    def _same(self, texts: Iterable[str]) -> tuple[str, ...]:
        """One tuple for all classes that have these texts."""
        found = tuple(texts)
        return self._texts.setdefault(found, found)

    def _members(self, cls: ClassValue, path: Path) -> Mapping[str, Place]:
        """What the body of the class binds: what was assigned in another file later is none of it."""
        bound = ((name, binding.where) for name, binding in cls.namespace.items())
        spans = {name: where.span for name, where in bound if where is not None and where.path == path}
        return self.machine.index.places(path, spans) if spans else NOTHING

    def _annotated(self, cls: ClassValue, path: Path) -> Mapping[str, Place]:
        spans = {name: where.span for name, (_, where) in cls.annotations.items() if name not in cls.namespace}
        return self.machine.index.places(path, spans) if spans else NOTHING

    def _is_tool(self, cls: ClassValue) -> bool | None:
        """Whether a class is a tool; not known where the alternatives of an ambiguous base disagree, nor for one that
        Python refuses to make."""
        if cls.impossible:
            return None
        answer = self.machine.class_maker.is_tool(cls)
        for one in cls.known_chain():
            if one.ambiguous_base is not None:
                answers = {self._may_be(candidate) for candidate in one.ambiguous_base.candidates}
                if len(answers) > 1:
                    return None
        return answer

    def _may_be(self, value: Value) -> bool | None:
        value = self.machine.settled(value)
        cls = value.cls if isinstance(value, Generic) else value
        return self.machine.class_maker.is_tool(cls) if isinstance(cls, ClassValue) else None

    def _input_annotation(self, cls: ClassValue) -> str | None:
        found = self.machine.evaluator.lookup(cls, "execute")
        value = found[0].value if isinstance(found, tuple) else None
        if not isinstance(value, FunctionValue):
            return None
        params = self.machine.params(value)[0 if value.kind == "staticmethod" else 1 :]
        first = next((param for param in params if param.kind in ("positional", "positional-only")), None)
        if first is None or first.annotation is None:
            return None
        return self.machine.text(Where(value.path, first.annotation), 200)

    def _signature(self, cls: ClassValue, name: str) -> tuple[Parameter, ...] | None:
        """The parameters of a method as an instance has it."""
        found = self.machine.evaluator.lookup(cls, name)
        value = found[0].value if isinstance(found, tuple) else None
        return parameters_of(self.machine, value, bound=True)

    def _place(self, where: Where) -> Place:
        return self.machine.index.place(where.path, where.span)

    # Findings

    def tell(self, used: Iterable[ClassValue]) -> None:
        """Notes what is to be said about the classes that matter."""
        used = list(used)
        told: set[int] = set()
        own = [cls for cls in self.machine.classes if cls.origin == "first-party"]
        for registered, classes in ((True, used), (False, [cls for cls in own if self._matters(cls)])):
            for one in (one for cls in classes for one in cls.ancestors()):
                if id(one) not in told:
                    told.add(id(one))
                    self._tell(one, registered)
        self._tell_alternatives(own, {id(cls) for cls in used})

    def _tell_alternatives(self, own: list[ClassValue], used: set[int]) -> None:
        """Classes of one name of which a run makes one, when no use or subclass of them says so already."""
        asked = {id(one.ambiguous_base) for one in own if one.ambiguous_base is not None}
        for cls in own:
            binding = cls.frame.names.get(cls.name) if cls.frame is not None else None
            several = binding.value if binding is not None else None
            if not isinstance(several, Ambiguous) or several.choice is not cls or id(several) in asked:
                continue
            if used & {id(candidate) for candidate in several.candidates} or cls.where is None:
                continue
            if any(self._may_be(candidate) is not False for candidate in several.candidates):
                name = self.dotted(cls)
                self.machine.find(
                    "lua/ambiguous-binding", cls.where, expression=cls.name, name=name, reason=several.reason
                )

    def _matters(self, cls: ClassValue) -> bool:
        """Whether a class that nothing registers is, or may be, a tool."""
        if cls.local:
            return False
        if self.machine.class_maker.is_tool(cls) or (cls.dynamic is not None and cls.dynamic.taint and cls.mro is None):
            return True
        if cls.unknown_base is not None:
            return cls.unknown_base.taint or "execute" in cls.namespace
        several = cls.ambiguous_base.candidates if cls.ambiguous_base is not None else ()
        return any(self._may_be(candidate) is not False for candidate in several)

    def _tell(self, cls: ClassValue, registered: bool) -> None:
        if cls.where is None or self.machine.is_lazy(cls.where.path):
            return
        name = self.dotted(cls)
        if cls.unknown_base is not None and not cls.unknown_base.said and cls.base_where is not None:
            self._base("lua/unresolved-base", cls, cls.base_where, cls.unknown_base)
        if cls.ambiguous_base is not None and cls.base_where is not None:
            self._base("lua/ambiguous-binding", cls, cls.base_where, cls.ambiguous_base)
        if cls.local or registered or self._is_reachable(cls):
            self._uncertain(cls)
        if cls.unknown_base is not None and cls.unknown_base.cause is not None:
            self._uncertain(cls.unknown_base.cause)
        for attribute, statement in cls.mutated.items():
            if attribute in _SAID and not self.machine.is_lazy(statement.path):
                self.machine.find(
                    "lua/runtime-mutation",
                    statement,
                    expression=f"{cls.name}.{attribute}",
                    name=name,
                    reason="it is assigned outside of the class",
                )

    def _uncertain(self, cls: ClassValue) -> None:
        where = cls.dynamic_where
        if cls.dynamic is not None and where is not None and not self.machine.is_lazy(where.path):
            self.machine.find("lua/dynamic-class", where, name=self.dotted(cls), reason=cls.dynamic.reason)

    def _base(self, code: str, cls: ClassValue, where: Where, why: Unknown | Ambiguous) -> None:
        text = self.machine.text(where)
        self.machine.find(code, where, expression=text, name=self.dotted(cls), reason=why.reason)

    def _is_reachable(self, cls: ClassValue) -> bool:
        """Whether a name of the module, or of one of its classes, stands for the class."""
        if cls.statement is not None:
            return True
        module = self.machine.importer.modules.get(cls.module)
        bindings: Iterable[Binding] = module.frame.names.values() if module is not None else ()
        return any(binding.value is cls for binding in bindings)
