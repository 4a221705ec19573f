"""Fields that make constructors: dataclasses, attrs, pydantic.

In: a class with what its body bound and annotated, and the options of its decorator. Out: `Fields` on the class, and a
namespace as the library leaves it (a field's default may stay on the class, or move into the instance).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.values import (
    Binding,
    ClassValue,
    Configured,
    Constant,
    DictValue,
    External,
    Fields,
    FieldSpec,
    Generic,
    Given,
    ListValue,
    Unknown,
    Value,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_FIELD_CALLS = frozenset(
    {
        "dataclasses.field",
        "attr.field",
        "attr.ib",
        "attr.attrib",
        "attrs.field",
        "pydantic.Field",
        "pydantic.fields.Field",
    }
)
_NO_FIELD = ("typing.ClassVar",)


class FieldMaker:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    # Dataclasses

    def dataclass(self, cls: ClassValue, given: Sequence[Given], dotted: str) -> None:
        """`@dataclass(…)`."""
        options = self._options(given)
        fields = self._inherited(cls, "dataclass")
        keyword_only = options.get("kw_only") is True
        for name, (annotation, _) in cls.annotations.items():
            kind = self._annotation(annotation, cls)
            if kind == "typing.ClassVar":
                continue
            if kind == "dataclasses.KW_ONLY":
                keyword_only = True
                continue
            spec = self._dataclass_field(cls, name, keyword_only)
            spec.init_only = kind == "dataclasses.InitVar"
            fields[name] = spec
        makes_init = options.get("init") is not False and "__init__" not in cls.namespace
        cls.fields = Fields("dataclass", fields, makes_init, options.get("frozen") is True)
        self._check_order(cls, fields)

    def _dataclass_field(self, cls: ClassValue, name: str, keyword_only: bool) -> FieldSpec:
        binding = self._visible(cls, name)
        value = self._settled(binding)
        spec = FieldSpec(name, name, binding, keyword_only, cls)
        if isinstance(value, Configured) and value.dotted in _FIELD_CALLS:
            options = self._options(value.given)
            spec.default = self._default(value, ("default",), ("default_factory",))
            spec.parameter = None if options.get("init") is False else name
            spec.keyword_only = keyword_only if "kw_only" not in options else options["kw_only"] is True
            kept = self._default(value, ("default",), ())
            if kept is not None:
                cls.namespace[name] = kept
            else:
                cls.namespace.pop(name, None)
        return spec

    def _check_order(self, cls: ClassValue, fields: dict[str, FieldSpec]) -> None:
        optional = ""
        for spec in fields.values():
            if spec.parameter is None or spec.keyword_only:
                continue
            if spec.default is not None:
                optional = spec.name
            elif optional:
                reason = f"non-default argument {spec.name!r} follows default argument"
                self.machine.fail("TypeError", reason)
                self.machine.class_maker.uncertain(cls, f"Python raises TypeError: {reason}")
                return

    # attrs

    def attrs(self, cls: ClassValue, given: Sequence[Given], dotted: str) -> None:
        """`@attrs.define`, `@attr.s` and their kin."""
        options = self._options(given)
        old_style = dotted in ("attr.s", "attr.attrs", "attr.attributes")
        calls = [
            name
            for name, binding in cls.namespace.items()
            if isinstance(value := self._settled(binding), Configured) and value.dotted in _FIELD_CALLS
        ]
        auto = options.get("auto_attribs")
        by_annotation = auto is True or (
            auto is None and not old_style and all(name in cls.annotations for name in calls)
        )
        names = list(cls.annotations) if by_annotation else calls
        fields = self._inherited(cls, "attrs")
        for name in names:
            if name in cls.annotations and self._annotation(cls.annotations[name][0], cls) in _NO_FIELD:
                continue
            fields[name] = self._attrs_field(cls, name, options.get("kw_only") is True)
        detects = options.get("auto_detect", not old_style) is not False
        own_init = "__init__" in cls.namespace and detects
        frozen = dotted.endswith(".frozen") or options.get("frozen") is True
        cls.fields = Fields("attrs", fields, options.get("init") is not False and not own_init, frozen)
        self._check_order(cls, fields)
        for name in names:
            cls.namespace.pop(name, None)

    def _attrs_field(self, cls: ClassValue, name: str, keyword_only: bool) -> FieldSpec:
        binding = cls.namespace.get(name)
        value = self._settled(binding)
        spec = FieldSpec(name, name.lstrip("_"), binding, keyword_only, cls)
        if isinstance(value, Configured) and value.dotted in _FIELD_CALLS:
            options = self._options(value.given)
            spec.default = self._default(value, ("default", 0), ("factory",))
            spec.parameter = None if options.get("init") is False else str(options.get("alias") or name.lstrip("_"))
            spec.keyword_only = keyword_only or options.get("kw_only") is True
            if spec.default is not None and any(arg.keyword in ("converter", "convert") for arg in value.given):
                spec.default = Binding(Unknown("a converter makes it"), spec.default.where)
        if spec.default is not None and isinstance(self._settled(spec.default), Configured):
            spec.default = Binding(Unknown("a factory makes it"), spec.default.where)
        return spec

    # pydantic

    def pydantic(self, cls: ClassValue) -> None:
        """A model class: its fields are found when the class is made."""
        fields = self._inherited(cls, "pydantic")
        inherited = dict(fields)
        old = any(one.dotted == "pydantic.v1.main.BaseModel" for one in cls.known_chain())
        for name, (annotation, _) in cls.annotations.items():
            if name.startswith("_") or name == "model_config" or self._annotation(annotation, cls) in _NO_FIELD:
                fields.pop(name, None)
                continue
            fields[name] = self._pydantic_field(cls, name, annotation, old)
        for name, binding in list(cls.namespace.items()):
            if name in fields and name in cls.annotations:
                del cls.namespace[name]
            elif self._is_plain_data(name, binding) and not old and not self._class_variable(cls, name):
                what = "a field of a base" if name in inherited else "an attribute"
                reason = f"pydantic refuses {what} without an annotation: `{name}`"
                self.machine.class_maker.uncertain(cls, reason)
        own_init = any("__init__" in one.namespace for one in cls.known_chain() if one.origin != "builtin")
        cls.fields = Fields("pydantic", fields, not own_init)

    def _pydantic_field(self, cls: ClassValue, name: str, annotation: ir.Expr, old: bool) -> FieldSpec:
        binding = self._visible(cls, name)
        value = self._settled(binding)
        spec = FieldSpec(name, name, binding, True, cls)
        if isinstance(value, Configured) and value.dotted in _FIELD_CALLS:
            spec.default = self._default(value, ("default", 0), ("default_factory",))
            value = self._settled(spec.default)
        if isinstance(value, Constant) and value.value is Ellipsis:
            spec.default = None
        if spec.default is None and old and _is_optional(annotation):
            spec.default = Binding(Constant(None), None)
        return spec

    def _is_plain_data(self, name: str, binding: Binding) -> bool:
        value = self._settled(binding)
        return (
            not name.startswith("_") and name != "model_config" and isinstance(value, Constant | ListValue | DictValue)
        )

    def _class_variable(self, cls: ClassValue, name: str) -> bool:
        """Annotated as ClassVar, here or in a base that is a model."""
        for one in cls.known_chain():
            if name in one.annotations and (one is cls or (one.fields is not None and one.fields.maker == "pydantic")):
                return self._annotation(one.annotations[name][0], one) in _NO_FIELD
        return False

    # Named tuples

    def named_tuple(self, cls: ClassValue) -> None:
        """`class Point(NamedTuple)`: what the body annotates, in order."""
        specs = {name: FieldSpec(name, name, cls.namespace.get(name), False, cls) for name in cls.annotations}
        cls.fields = Fields("namedtuple", specs)
        for name, (_, where) in cls.annotations.items():
            cls.namespace[name] = Binding(Unknown("it is a field of a named tuple"), where)

    # Shared

    def _visible(self, cls: ClassValue, name: str) -> Binding | None:
        """What the class has under a name, its bases included: that is a field's default. A slot is none."""
        found = self.machine.evaluator.lookup(cls, name)
        if not isinstance(found, tuple) or found[1].origin == "builtin":
            return None
        return None if found[0].where is None and isinstance(found[0].value, Unknown) else found[0]

    def _inherited(self, cls: ClassValue, maker: str) -> dict[str, FieldSpec]:
        fields: dict[str, FieldSpec] = {}
        for base in reversed(cls.known_chain()[1:]):
            if base.fields is not None and base.fields.maker == maker:
                for name, spec in base.fields.fields.items():
                    if spec.owner is base:
                        fields.pop(name, None) if maker == "attrs" else None
                        fields[name] = spec
        return fields

    def _settled(self, binding: Binding | None) -> Value | None:
        return None if binding is None else self.machine.settled(binding.value)

    def _options(self, given: Sequence[Given]) -> dict[str, object]:
        """The keyword arguments that are constants; for others a value that is neither True nor False."""
        out: dict[str, object] = {}
        for arg in given:
            if arg.keyword:
                value = self.machine.settled(arg.value)
                out[arg.keyword] = value.value if isinstance(value, Constant) else ""
        return out

    def _default(self, call: Configured, names: tuple[str | int, ...], factories: tuple[str, ...]) -> Binding | None:
        """The default in a call of `field`: by keyword, or by position where `names` has one."""
        positional = [arg for arg in call.given if arg.keyword is None and not arg.star]
        for name in names:
            if isinstance(name, int) and len(positional) > name:
                return Binding(positional[name].value, positional[name].where)
        for arg in call.given:
            if arg.keyword in names:
                return Binding(arg.value, arg.where)
            if arg.keyword in factories:
                return Binding(Unknown("a factory makes it"), arg.where)
        return None

    def _annotation(self, node: ir.Expr, cls: ClassValue) -> str:
        """The dotted name of what an annotation is made of: "typing.ClassVar" for `ClassVar[str]`."""
        if isinstance(node, ir.Const) and isinstance(node.value, str):
            found = re.match(r"\s*(?:(\w+)\s*\.\s*)?(\w+)", node.value)
            if not found:
                return ""
            span = node.span
            name = ir.Name(span, found[1] or found[2])
            node = ir.Attr(span, name, found[2]) if found[1] else name
        if isinstance(node, ir.Subscript):
            outer = self._annotation(node.value, cls)
            if outer == "typing.Annotated":
                first = node.key.items[0] if isinstance(node.key, ir.Display) and node.key.items else node.key
                return self._annotation(first, cls)
            return outer
        if not isinstance(node, ir.Name | ir.Attr) or cls.frame is None:
            return ""
        if isinstance(node, ir.Name) and cls.frame.lookup(node.id) is None:
            return ""
        value = self.machine.evaluator.value(node, cls.frame)
        value = value.cls if isinstance(value, Generic) else value
        return value.dotted if isinstance(value, External | ClassValue) else ""


def _is_optional(annotation: ir.Expr) -> bool:
    match annotation:
        case ir.Subscript(value=ir.Name(id="Optional") | ir.Attr(attr="Optional")):
            return True
        case ir.Operation(op="|", operands=operands):
            return any(isinstance(one, ir.Const) and one.value is None for one in operands)
    return False
