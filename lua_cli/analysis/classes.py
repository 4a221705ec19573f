"""Class statements of the abstract import: bases, metaclass, body, MRO, abstract members, decorators.

In: a class statement and its scope. Out: a `ClassValue` as Python would make it, or one that says which of its bases is
not known, or why it may be another thing than its statement says. A class of a package is made when something asks for
it.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.decoration import Decoration
from lua_cli.analysis.effects import docstring
from lua_cli.analysis.handing import plain_texts
from lua_cli.analysis.mro import InconsistentError, linearized
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    NOTHING,
    Ambiguous,
    Binding,
    Bound,
    ClassValue,
    Configured,
    Constant,
    EnumMember,
    External,
    FunctionValue,
    Generic,
    Given,
    Instance,
    LambdaValue,
    Lazy,
    Unknown,
    Value,
    Where,
    described,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

Based = tuple[Value, ir.Arg]


class ClassMaker(Decoration):
    """Makes classes; `Decoration` applies decorators, and makes classes without a statement."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    def statement(self, node: ir.Class, frame: Frame) -> Value:
        """What a class statement binds its name to."""
        decorators = [(self.machine.evaluator.value(d, frame), frame.where(d.span)) for d in node.decorators]
        bases: list[Based] = [(self.machine.evaluator.value(arg.value, frame), arg) for arg in node.bases]
        if frame.module.lazy:
            qualname = f"{frame.module.dotted}.{frame.prefix}{node.name}"
            return Lazy(lambda: self._make(node, frame, bases, decorators), qualname)
        return self._make(node, frame, bases, decorators)

    def _make(
        self, node: ir.Class, frame: Frame, based: Sequence[Based], decorators: Sequence[tuple[Value, Where]]
    ) -> Value:
        module = frame.module
        cls = ClassValue(node.name, frame.prefix + node.name, module.dotted, module.location.origin)
        cls.path, cls.where, cls.frame = frame.path, frame.where(node.name_span), frame
        starts = [node.span[:2], *((d.span[0], max(d.span[1] - 1, 0)) for d in node.decorators)]
        cls.statement = frame.where((*min(starts), *node.span[2:]))
        cls.written_bases = tuple(frame.where(arg.span) for arg in node.bases if not arg.keyword)
        cls.local = "<locals>" in cls.qualname
        self.machine.classes.append(cls)
        metaclass = self._bases(cls, based, frame, generic=bool(node.type_params))
        body = Frame("class", frame.path, module, frame, f"{cls.qualname}.", len(self.machine.conditions))
        body.annotations = {}
        body.docstring = docstring(node.body)
        self.machine.executor.block(node.body, body)
        cls.namespace, cls.annotations, body.annotations = body.names, body.annotations or NOTHING, None
        cls.texts = tuple(plain_texts(node.body, cls.namespace))
        for binding in cls.namespace.values():
            if isinstance(binding.value, FunctionValue) and binding.value.owner is None:
                binding.value.owner = cls
        self.finish(cls, metaclass)
        if not module.lazy:
            keywords = [
                Given(v, frame.where(a.span), a.keyword) for v, a in based if a.keyword not in (None, "metaclass")
            ]
            self.run_hooks(cls, keywords)
        value: Value = cls
        for decorator, where in reversed(decorators):
            value = self.decorate(cls, decorator, where)
        return value

    def finish(self, cls: ClassValue, metaclass: Value | None) -> None:
        """The rest of making a class, once its bases and its namespace are there."""
        self._metaclass(cls, metaclass)
        self._order(cls)
        self._slots(cls)
        if self.machine.evaluator.is_enum(cls):
            self._members(cls)
        if cls.metaclass is not None and any(one.name == "ModelMetaclass" for one in cls.metaclass.mro or ()):
            self.machine.fields.pydantic(cls)
        self.abstracts(cls)
        self._told_bases(cls)

    # Bases

    def _bases(self, cls: ClassValue, based: Sequence[Based], frame: Frame, *, generic: bool = False) -> Value | None:
        """Resolves the bases; gives the value of `metaclass=`. `generic`: it has type parameters (PEP 695)."""
        metaclass: Value | None = None
        found: list[Value] = []
        subscripted: list[bool] = []
        aliases: list[int] = []  # of `typing.Dict` and its like, which bring Generic along
        for value, arg in based:
            if arg.keyword is not None:
                metaclass = value if arg.keyword == "metaclass" else metaclass
                continue
            if arg.star == "**":
                continue
            several = self._starred(value) if arg.star else [value]
            for one in several:
                base = self._base(cls, one, arg, frame)
                if isinstance(base, Unknown) or (isinstance(base, ClassValue) and base.mro is None):
                    cls.base_where = cls.base_where or frame.where(arg.value.span)
                found.append(base)
                forced = self.machine.settled(one)
                subscripted.append(isinstance(forced, Generic))
                if isinstance(forced, External) and _is_alias(forced.dotted):
                    aliases.append(len(found) - 1)
        typing_generic = self.machine.known_class("typing.Generic")
        if generic:
            found.append(typing_generic)
            subscripted.append(True)
        for at in reversed(aliases):
            later = found[at + 1 :]
            if not any(subscripted[at + 1 :]) and not any(
                typing_generic in (b.mro or ()) for b in later if isinstance(b, ClassValue)
            ):
                found.insert(at + 1, typing_generic)
                subscripted.insert(at + 1, False)
        kept = [
            base
            for at, base in enumerate(found)
            if not (base is typing_generic and subscripted[at] and (any(subscripted[at + 1 :]) or _has_protocol(found)))
        ]
        cls.bases = tuple(kept)
        cls.unknown_base = next((base for base in kept if isinstance(base, Unknown)), None)
        return metaclass

    def _starred(self, value: Value) -> list[Value]:
        items = self.machine.evaluator.items(value)
        if items is None:
            return [self.machine.evaluator.unknown(value, "it is spread from")]
        return [item.value for item in items]

    def _base(self, cls: ClassValue, value: Value, arg: ir.Arg, frame: Frame) -> Value:
        """A base: a class, or why it is not known."""
        value = self.machine.force(value)
        written = arg.value
        if isinstance(written, ir.Name):
            binding = frame.lookup(written.id)
            if binding is not None and binding.kind == "loop":
                return Unknown(f"`{written.id}` is bound by a for loop", self.machine.evaluator.tainted(value))
        if isinstance(written, ir.Subscript) and not isinstance(value, Generic):
            owner = self.machine.force(self.machine.evaluator.value(written.value, frame))
            tainted = self.machine.evaluator.tainted(owner) or self.machine.evaluator.tainted(value)
            if tainted and not isinstance(owner, ClassValue | External | Unknown):
                text = self.machine.text(frame.where(written.span))
                return Unknown(f"`{text}` is a lookup, not a generic", taint=True)
        if isinstance(value, Ambiguous):
            cls.ambiguous_base = value
            cls.base_where = frame.where(written.span)
            value = self.machine.settled(value)
        return self.class_behind(value, frame)

    def class_behind(self, value: Value, frame: Frame | None = None) -> Value:
        """The class that a value stands for as a base."""
        match value:
            case Generic(cls=cls):
                return self.class_behind(cls, frame)
            case ClassValue(dynamic=Unknown() as why) if why.taint:
                return Unknown(why.reason, taint=True, said=True, cause=value)
            case ClassValue(local=True) if frame is None or frame.kind != "function":
                return Unknown(f"{value.name} is made inside a function", self.is_tool(value) is not False)
            case ClassValue():
                return value
            case External(dotted=dotted):
                return self._external(dotted)
            case Instance(cls=cls):
                entries = isinstance(self.machine.evaluator.lookup(cls, "__mro_entries__"), tuple)
                how = ": only a run knows what its `__mro_entries__` gives" if entries else ""
                return Unknown(f"it is an instance of {cls.name}{how}", taint=entries)
            case Unknown():
                return value
        return Unknown(f"it is {described(value)}", self.machine.evaluator.tainted(value))

    def _external(self, dotted: str) -> Value:
        module, _, name = dotted.rpartition(".")
        if module == "typing":
            origin = getattr(getattr(typing, name, None), "__origin__", None)
            if isinstance(origin, type) and origin.__module__ == "builtins":
                return self.machine.known_class(f"builtins.{origin.__name__}")
            if isinstance(origin, type):
                found = self.machine.importer.load("collections.abc")
                value = self.machine.importer.member(found, origin.__name__)
                return self.class_behind(self.machine.force(value)) if value else Unknown(f"`{dotted}` is not read")
            if name in ("NamedTuple", "TypedDict"):
                return self.machine.known_class(dotted)
            plain = ClassValue(name, name, "typing", "builtin")
            plain.mro = (plain, self.machine.known_class("builtins.object"))
            plain.metaclass = self.machine.known_class("builtins.type")
            return plain
        source = self.machine.importer.load(module) if module and self.machine.index.locate(module) else None
        read = self.machine.importer.now(source, name) if source is not None else None
        value = self.machine.force(read) if read is not None else None
        return value if isinstance(value, ClassValue) else Unknown(f"`{dotted}` is no class that is known")

    def is_tool(self, cls: ClassValue) -> bool | None:
        """Whether a class derives from LuaTool, as far as its statement says."""
        chain = cls.known_chain()
        if any(one.dotted == LUA_TOOL and one.origin == "sdk" for one in chain):
            return True
        if any(isinstance(base, ClassValue) and base is not cls and self.is_tool(base) for base in cls.bases):
            return True
        return False if cls.mro is not None else None

    # Metaclass and order

    def _metaclass(self, cls: ClassValue, given: Value | None) -> None:
        kind = self.machine.known_class("builtins.type")
        winner = kind
        given = self.machine.settled(given) if given is not None else None
        if isinstance(given, ClassValue):
            winner = given
        elif given is not None and not isinstance(given, Unknown):
            self.uncertain(cls, f"its metaclass is {described(given)}")
        elif given is not None:
            self.uncertain(cls, "its metaclass is not known")
        for base in cls.bases:
            other = base.metaclass if isinstance(base, ClassValue) else None
            if other is None or other in (winner.mro or ()):
                continue
            if winner in (other.mro or ()):
                winner = other
            elif other.mro is not None and winner.mro is not None:
                reason = "metaclass conflict: its metaclass must be a subclass of the metaclasses of all its bases"
                self.machine.fail("TypeError", reason)
                self.uncertain(cls, f"Python raises TypeError: {reason}")
        cls.metaclass = winner
        self.check_metaclass(cls, winner)

    def _order(self, cls: ClassValue) -> None:
        if cls.unknown_base is not None:
            cls.mro = None
            return
        bases = [base for base in cls.bases if isinstance(base, ClassValue)]
        if any(base.dotted == "typing.TypedDict" or base.typed_dict for base in bases):
            cls.typed_dict = True
            bases = [self.machine.known_class("builtins.dict")]
        if any(base.dotted == "typing.NamedTuple" for base in bases):
            known = self.machine.known_class("builtins.tuple")
            bases = [known if base.dotted == "typing.NamedTuple" else base for base in bases]
            self.machine.fields.named_tuple(cls)
        unread = next((base for base in bases if base.mro is None), None)
        if unread is not None:
            why = unread.unknown_base or Unknown("it is not known")
            reason = f"a base of {unread.name} is not known: {why.reason}"
            told = unread.path is not None and not self.machine.is_lazy(unread.path)
            cls.unknown_base = Unknown(reason, why.taint, said=told)
            return
        try:
            cls.mro = linearized(cls, bases, self.machine.known_class("builtins.object"))
        except InconsistentError as error:
            self.machine.fail("TypeError", str(error))
            cls.unknown_base = Unknown(f"Python raises TypeError: {error}", taint=True, said=True)
            cls.impossible = True
            if cls.where is not None and not self.machine.is_lazy(cls.where.path):
                name = cls.dotted
                self.machine.find("lua/inconsistent-mro", cls.where, name=name, reason=str(error), expression=cls.name)

    # What the namespace means

    def _slots(self, cls: ClassValue) -> None:
        """A slot hides what a base gives under its name."""
        declared = cls.namespace.get("__slots__")
        for item in (self.machine.evaluator.items(declared.value) or []) if declared else []:
            value = self.machine.settled(item.value)
            if isinstance(value, Constant) and isinstance(value.value, str):
                unknown = Unknown(f"`{value.value}` is a slot, set when an instance is made")
                cls.namespace.setdefault(value.value, Binding(unknown, None))

    def _members(self, cls: ClassValue) -> None:
        """The members of an enum."""
        own = [one for one in cls.mro or (cls,) if one.origin != "builtin"]
        computed = any({"__new__", "__init__", "_generate_next_value_"} & one.namespace.keys() for one in own)
        is_text = any(one.dotted == "enum.StrEnum" for one in cls.mro or ())
        number = 0
        seen: list[tuple[object, EnumMember]] = []
        for name, binding in list(cls.namespace.items()):
            value = binding.value
            hidden = name.startswith("_") and (name.startswith("__") or name in ("_ignore_", "_order_"))
            if hidden or isinstance(value, FunctionValue | Bound | LambdaValue):
                continue
            if isinstance(value, ClassValue) and binding.kind:
                continue
            if isinstance(value, Configured) and value.dotted == "enum.nonmember":
                continue
            if isinstance(value, Configured) and value.dotted == "enum.auto":
                value = Constant(name.lower() if is_text else number + 1)
            if isinstance(value, Constant) and isinstance(value.value, int):
                number = value.value
            if computed:
                value = Unknown(f"{cls.name} computes the values of its members")
            known = value.value if isinstance(value, Constant) else value
            member = next((one for other, one in seen if type(other) is type(known) and other == known), None)
            if member is None:
                member = EnumMember(cls, name, value)
                seen.append((known, member))
            cls.namespace[name] = Binding(member, binding.where, binding.kind)

    def abstracts(self, cls: ClassValue) -> None:
        """The abstract members that are left, as `abc` computes them: only where the metaclass is ABCMeta or derives
        from it."""
        meta = cls.metaclass.mro if cls.metaclass is not None else ()
        if not any(one.dotted == "abc.ABCMeta" for one in meta or ()):
            cls.abstracts = NOTHING if cls.mro is not None else None
            return
        left: dict[str, ClassValue] = {}
        known = cls.mro is not None
        for name, binding in cls.namespace.items():
            marked = self.is_abstract(binding.value)
            if marked:
                left[name] = cls
            known = known and marked is not None
        for base in cls.bases:
            if not isinstance(base, ClassValue) or base.abstracts is None:
                known = False
                continue
            for name, asker in base.abstracts.items():
                found = self.machine.evaluator.lookup(cls, name)
                marked = self.is_abstract(found[0].value) if isinstance(found, tuple) else None
                if marked:
                    left.setdefault(name, asker)
                known = known and marked is not None
        cls.abstracts = (left or NOTHING) if known else None

    def is_abstract(self, value: Value) -> bool | None:
        """Whether a member counts as abstract; None when a decorator may hide it."""
        value = self.machine.force(value) if isinstance(value, Lazy) else value
        if isinstance(value, FunctionValue):
            return value.abstract
        if isinstance(value, Ambiguous):
            marks = {self.is_abstract(candidate) for candidate in value.candidates}
            return marks.pop() if len(marks) == 1 else None
        return False


LUA_TOOL = "lua_cli.sdk.tool.LuaTool"


def _is_alias(dotted: str) -> bool:
    module, _, name = dotted.rpartition(".")
    return module == "typing" and isinstance(getattr(getattr(typing, name, None), "__origin__", None), type)


def _has_protocol(bases: Sequence[Value]) -> bool:
    return any(isinstance(base, ClassValue) and base.dotted == "typing.Protocol" for base in bases)
