"""The schemas that the model sees, of every kind of input."""

from __future__ import annotations

from typing import Any

import pytest

from lua_cli.probe import Probed, ToolSeen
from tests.runtime.workshop import Workshop, tool_module

HEAD = """
    import dataclasses
    from datetime import date, datetime, timedelta
    from decimal import Decimal
    from enum import Enum
    from pathlib import Path
    from typing import Annotated, Any, Literal, Mapping, NotRequired, Optional, Required, TypedDict, TypeVar, Union
    from uuid import UUID
    from pydantic import BaseModel, ConfigDict, Field
    from pydantic.dataclasses import dataclass as pydantic_dataclass

    class Mode(str, Enum):
        FAST = "fast"
        SLOW = "slow"

    class Future(BaseModel):
        q: str
        mode: Mode = Mode.FAST
        kind: Literal["a", "b"] | None = None
        when: datetime | None = None

    class Unions(BaseModel):
        a: int | None = None
        b: Optional[int] = None
        c: int | str
        d: Union[int, str]
        e: list[int | str]
        f: "int | None" = None

    class Rich(BaseModel):
        when: datetime
        day: date
        id: UUID
        price: Decimal = Decimal("1.50")
        span: timedelta
        file: Path

    class Item(BaseModel):
        sku: str = Field(description="SKU")
        qty: int = 1

    class Address(BaseModel):
        city: str

    class Nested(BaseModel):
        items: list[Item]
        bill: Address
        ship: Address | None = Field(None, description="Defaults to bill")

    class Node(BaseModel):
        label: str
        children: list["Node"] = []

    class Bare(BaseModel):
        tags: list
        pairs: tuple
        ids: set[int]
        rows: list[Any]

    class Free(BaseModel):
        model_config = ConfigDict(extra="allow")
        filters: dict[str, Any]
        counts: dict[str, int]

    class Names(BaseModel):
        class_: str = Field(alias="class")
        _hidden: int = 1

    class Defaults(BaseModel):
        tags: set[str] = {"d", "b", "a", "c", "e"}
        data: bytes = b"\\xff"

    class Row(TypedDict):
        '''One row.'''
        a: int
        b: NotRequired[list[str]]

    class Loose(TypedDict, total=False):
        a: Required[int]
        rows: list[Row]
        c: Annotated[int, Field(ge=1)]

    @dataclasses.dataclass
    class Data:
        a: int
        b: str = "x"

    @pydantic_dataclass
    class Checked:
        a: int

    class Answer(BaseModel):
        total: Decimal

    Any_ = TypeVar("Any_")
"""
FUTURE = "from __future__ import annotations\n"

TOOLS = {
    "future": "input_schema = Future\ndef execute(self, input): ...",
    "unions": "input_schema = Unions\ndef execute(self, input): ...",
    "rich": "input_schema = Rich\ndef execute(self, input): ...",
    "nested": "input_schema = Nested\ndef execute(self, input): ...",
    "node": "input_schema = Node\ndef execute(self, input): ...",
    "bare": "input_schema = Bare\ndef execute(self, input): ...",
    "free": "input_schema = Free\ndef execute(self, input): ...",
    "names": "input_schema = Names\ndef execute(self, input): ...",
    "defaults": "input_schema = Defaults\ndef execute(self, input): ...",
    "typed": "input_schema = Row\ndef execute(self, input): ...",
    "loose": "input_schema = Loose\ndef execute(self, input): ...",
    "data": "input_schema = Data\ndef execute(self, input): ...",
    "checked": "input_schema = Checked\ndef execute(self, input): ...",
    "annotated": "def execute(self, input: Item): ...",
    "annotated_inside": "class In(BaseModel):\n    a: int\ndef execute(self, input: In): ...",
    "generic": "def execute(self, input: dict[str, int]): ...",
    "schema": 'input_schema = {"type": "object", "properties": {"a": {"enum": ("x", "y")}}}\ndef execute(self, input: Item): ...',
    "open": "def execute(self, input): ...",
    "open_dict": "def execute(self, input: dict): ...",
    "open_any": "def execute(self, input: Any): ...",
    "open_variable": "def execute(self, input: Any_): ...",
    "answers": "def execute(self, input) -> Answer: ...",
    "answers_data": "async def execute(self, input) -> Data: ...",
    "answers_plain": "def execute(self, input) -> dict[str, int]: ...",
}


def seen_in(workshop: Workshop, head: str, tools: dict[str, str]) -> dict[str, ToolSeen]:
    module, where = tool_module(tools, head)
    probed: Probed = workshop.look(workshop.draft({"tools.py": module}, where))
    assert not probed.findings, probed.findings
    return {seen.name or "": seen for seen in probed.seen["skill"].tools.values()}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("schemas") / "project")


@pytest.fixture(scope="module")
def seen(workshop: Workshop) -> dict[str, ToolSeen]:
    return seen_in(workshop, HEAD, TOOLS)


@pytest.fixture(scope="module")
def with_future(workshop: Workshop) -> dict[str, ToolSeen]:
    return seen_in(workshop, FUTURE + "\n" + __import__("textwrap").dedent(HEAD), TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_the_future_import_changes_nothing(
    name: str, seen: dict[str, ToolSeen], with_future: dict[str, ToolSeen]
) -> None:
    assert with_future[name] == seen[name]


def properties(seen: ToolSeen) -> dict[str, Any]:
    assert seen.schema is not None
    assert seen.schema["type"] == "object"
    return {
        name: {key: value for key, value in field.items() if key != "title"}
        for name, field in seen.schema["properties"].items()
    }


def test_equal_unions_are_equal(seen: dict[str, ToolSeen]) -> None:
    fields = properties(seen["unions"])
    assert fields["a"] == fields["b"] == fields["f"]
    assert fields["c"] == fields["d"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert fields["e"]["items"] == fields["c"]


def test_rich_types_are_strings_with_formats(seen: dict[str, ToolSeen]) -> None:
    assert properties(seen["rich"]) == {
        "when": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "id": {"type": "string", "format": "uuid"},
        "price": {"anyOf": [{"type": "number"}, {"type": "string"}], "default": "1.50"},
        "span": {"type": "string", "format": "duration"},
        "file": {"type": "string", "format": "path"},
    }


def test_nested_models_are_references_and_keep_their_descriptions(seen: dict[str, ToolSeen]) -> None:
    schema = seen["nested"].schema
    assert schema is not None
    assert set(schema["$defs"]) == {"Item", "Address"}
    assert schema["$defs"]["Item"]["properties"]["sku"]["description"] == "SKU"
    assert schema["properties"]["ship"]["description"] == "Defaults to bill"


def test_a_recursive_model_is_an_object_at_the_root(seen: dict[str, ToolSeen]) -> None:
    schema = seen["node"].schema
    assert schema is not None
    assert schema["type"] == "object"
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert "Node" in schema["$defs"]


def test_arrays_have_items_and_objects_stay_open(seen: dict[str, ToolSeen]) -> None:
    bare = properties(seen["bare"])
    assert [bare[name]["items"] for name in ("tags", "pairs", "rows")] == [{}, {}, {}]
    assert bare["ids"] == {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}
    free = properties(seen["free"])
    assert free["filters"] == {"type": "object", "additionalProperties": True}
    assert free["counts"] == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_aliases_are_the_names(seen: dict[str, ToolSeen]) -> None:
    schema = seen["names"].schema
    assert schema is not None
    assert list(schema["properties"]) == schema["required"] == ["class"]


def test_defaults_do_not_change_from_run_to_run(seen: dict[str, ToolSeen]) -> None:
    fields = properties(seen["defaults"])
    assert fields["tags"]["default"] == ["a", "b", "c", "d", "e"]
    assert "default" not in fields["data"]


def test_typed_dicts(seen: dict[str, ToolSeen]) -> None:
    typed, loose = seen["typed"].schema, seen["loose"].schema
    assert typed is not None
    assert loose is not None
    assert (typed["required"], typed["description"]) == (["a"], "One row.")
    assert list(typed["properties"]) == ["a", "b"]
    assert loose["required"] == ["a"]
    assert loose["properties"]["c"]["minimum"] == 1
    assert loose["properties"]["rows"]["items"] == {"$ref": "#/$defs/Row"}


def test_dataclasses(seen: dict[str, ToolSeen]) -> None:
    for name in ("data", "checked"):
        schema = seen[name].schema
        assert schema is not None
        assert schema["required"] == ["a"]


def test_where_the_schema_comes_from(seen: dict[str, ToolSeen]) -> None:
    assert {name: seen[name].schema_from for name in seen} == {
        **dict.fromkeys(TOOLS, "input_schema"),
        **dict.fromkeys(("annotated", "annotated_inside", "generic"), "annotation"),
        **dict.fromkeys((n for n in TOOLS if n.startswith(("open", "answers"))), ""),
    }
    assert properties(seen["annotated"])["qty"] == {"type": "integer", "default": 1}
    assert seen["generic"].schema == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_a_json_schema_is_taken_as_given(seen: dict[str, ToolSeen]) -> None:
    assert seen["schema"].schema == {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}}


def test_an_open_input_has_no_schema(seen: dict[str, ToolSeen]) -> None:
    assert [seen[name].schema for name in ("open", "open_dict", "open_any", "open_variable")] == [None] * 4


def test_the_result_has_a_schema_when_its_annotation_is_a_model(seen: dict[str, ToolSeen]) -> None:
    answer = seen["answers"].output_schema
    assert answer is not None
    assert answer["properties"]["total"]["type"] == "string"
    data = seen["answers_data"].output_schema
    assert data is not None
    assert list(data["properties"]) == ["a", "b"]
    assert seen["answers_plain"].output_schema is None
    assert seen["open"].output_schema is None


GENERIC = """
    from __future__ import annotations
    from typing import Generic, TypeVar
    from pydantic import BaseModel
    from lua_cli import LuaTool

    class Order(BaseModel):
        number: str

    class Answer(BaseModel):
        total: int

    class Page(BaseModel):
        size: int = 1

    T = TypeVar("T")
    R = TypeVar("R")
    M = TypeVar("M", bound=BaseModel)
    P = TypeVar("P", bound=Page)
    B = TypeVar("B", bound="Wrapped")

    class Wrapped(BaseModel, Generic[T]):
        item: T

    class Base(LuaTool[T], Generic[T]):
        name = description = "d"
        def execute(self, input: T): return 1

    class Pair(LuaTool[T], Generic[R, T]):
        name = description = "d"
        def execute(self, input: T) -> R: return 1

    class Swapped(Pair[T, R], Generic[T, R]): ...
    class Wrapping(LuaTool[T]):
        name = description = "d"
        def execute(self, input: Wrapped[T]): return 1

    class Bound(LuaTool[P]):
        name = description = "d"
        def execute(self, input: P): return 1

    class AnyModel(LuaTool[M]):
        name = description = "d"
        def execute(self, input: M): return 1

    class Direct(Base[Order]): ...
    class Named(Base["Order"]): ...
    class Deeper(Direct): ...
    class Twice(Swapped[Answer, Order]): ...
    class InModel(Wrapping[Order]): ...
    class ByBound(Bound): ...
    class Mixed(Deeper, Base[Order]): ...
    class Given(Base): ...
    class GivenModel(AnyModel): ...
    class Undefined(Base["Nowhere"]): ...
"""
FILLED = ("Direct", "Named", "Deeper", "Twice", "Mixed")


def test_type_variables_are_what_the_class_gave(workshop: Workshop) -> None:
    tools = {name.lower(): f"generic:{name}" for name in (*FILLED, "InModel", "ByBound", "Given", "GivenModel")}
    probed = workshop.look(workshop.draft({"generic.py": GENERIC}, tools))
    seen = {key.partition(":")[2]: tool for key, tool in probed.seen["skill"].tools.items()}
    assert [tool.error for tool in seen.values()] == [None] * len(tools)
    assert [list(properties(seen[name])) for name in FILLED] == [["number"]] * len(FILLED)
    assert properties(seen["InModel"])["item"] == {"$ref": "#/$defs/Order"}
    assert list(properties(seen["ByBound"])) == ["size"]
    assert (seen["Given"].schema, seen["GivenModel"].schema) == (None, None)
    output = seen["Twice"].output_schema
    assert output is not None
    assert list(output["properties"]) == ["total"]


def test_a_type_argument_that_is_not_defined_is_named(workshop: Workshop) -> None:
    (finding,) = workshop.look(workshop.draft({"generic.py": GENERIC}, {"d": "generic:Undefined"})).findings
    assert (finding.code, "`Nowhere` is not defined" in finding.facts["reason"]) == ("lua/schema-failed", True)
