"""What may be passed, how refusals read, and what `execute` gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lua_cli.bundle import OpenedArtifact
from lua_cli.runtime import RunResult
from lua_cli.runtime.request import MAX_BYTES, InputError, read_input
from tests.runtime.workshop import Workshop, tool_module

NOT_JSON: dict[str, tuple[str | bytes, str, str]] = {
    "nothing": ("", "", "the input is empty"),
    "unclosed": ("{", "", "expecting property name enclosed in double quotes at line 1, column 2"),
    "rest": ('{"a": 1} x', "", "extra data at line 1, column 10"),
    "nan": ('{"a": [NaN]}', "", "the input has NaN, which JSON does not have"),
    "infinity": ("[-Infinity]", "", "the input has -Infinity, which JSON does not have"),
    "beyond_a_double": ('{"a": [1, 1e400]}', "/a/1", "the number is beyond what a double can hold"),
    "long_number": ("1" * 5000, "", "the input has a number that is too long"),
    "twice": ('{"a": {"b": 1, "c": 2, "b": 3}}', "/a", "the key 'b' is there twice"),
    "twice_at_the_top": ('{"a": 1, "a": 1}', "", "the key 'a' is there twice"),
    "half_a_pair": ('{"a/b": "\\ud83d"}', "/a~1b", "the text has half of a surrogate pair (U+D83D)"),
    "half_a_pair_as_key": ('{"\\ud83d": 1}', "", "the text has half of a surrogate pair (U+D83D)"),
    "deep_array": ("[" * 10_000 + "]" * 10_000, "", "the input is nested deeper than 100 levels"),
    "deep_object": ('{"a":' * 10_000 + "1" + "}" * 10_000, "", "the input is nested deeper than 100 levels"),
    "deep_unclosed": ("[" * 10_000, "", "the input is nested deeper than 100 levels"),
    "just_too_deep": ("[" * 101 + "]" * 101, "", "the input is nested deeper than 100 levels"),
    "too_large": ('"' + "x" * MAX_BYTES + '"', "", "the input is larger than 10 MiB"),
    "too_large_in_bytes": ('"' + "ü" * (MAX_BYTES // 2) + '"', "", "the input is larger than 10 MiB"),
    "latin_1": ('{"a": "ü"}'.encode("latin-1"), "", "the input is not UTF-8 (byte 7)"),
    "half_a_pair_in_the_shell": ('{"a": "\udce4"}', "", "the input is not UTF-8 (character 7)"),
}


@pytest.mark.parametrize("name", NOT_JSON)
def test_what_is_no_acceptable_json(name: str) -> None:
    given, path, words = NOT_JSON[name]
    with pytest.raises(InputError) as caught:
        read_input(given)
    assert words in caught.value.message
    assert caught.value.path == path
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("[" * 100 + "]" * 100, None),
        ('\ufeff{"a": 1}', {"a": 1}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('{"a": 12345678901234567890, "b": "😀"}', {"a": 12345678901234567890, "b": "😀"}),
        ('"\\ud83d\\ude00"', "😀"),
    ],
)
def test_what_is(given: str | bytes, value: Any) -> None:
    found = read_input(given)
    assert value is None or found == value


@pytest.mark.parametrize(
    ("given", "hint", "excerpt"),
    [
        ("{'a': 1}", "JSON has double quotes: '{\"query\": \"refund policy\"}'", "  {'a': 1}\n   ^"),
        ("{a: 1}", "the shell took the quotes: put the whole in single quotes, '{\"query\": \"refund policy\"}'", "  {a: 1}\n   ^"),
        ('{"a": 1,}', "JSON has no comma after the last element", '  {"a": 1,}\n          ^'),
        ('{\n  "a": tru\n}', 'names and texts stand in double quotes: {"query": "refund policy"}', '    "a": tru\n         ^'),
        ('{"a": "' + "x" * 100 + '" y}', 'names and texts stand in double quotes: {"query": "refund policy"}', None),
        ("input.json", "a file is passed as --input @FILE", "  input.json\n  ^"),
        ('{"a": ', "the text ends before the value does", '  {"a": \n        ^'),
    ],
)  # fmt: skip
def test_a_syntax_error_shows_its_place(given: str, hint: str, excerpt: str | None) -> None:
    with pytest.raises(InputError) as caught:
        read_input(given)
    assert caught.value.hint == hint
    if excerpt is None:
        line, caret = (caught.value.excerpt or "").splitlines()
        assert line.startswith("  … xxx")
        assert line[len(caret) - 1] == "y"
    else:
        assert caught.value.excerpt == excerpt


HEAD = """
    from __future__ import annotations
    import dataclasses
    from datetime import date, datetime, timedelta
    from decimal import Decimal
    from enum import Enum
    from pathlib import Path
    from typing import Literal, NotRequired, Optional, TypedDict, Union
    from uuid import UUID
    from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

    class Order(BaseModel):
        order_id: str
        limit: int = 10
        kind: Literal["a", "b"] = "a"

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        order_id: str
        limit: int = Field(default=10, ge=1)

    class Rich(BaseModel):
        when: datetime
        day: date
        id: UUID
        price: Decimal = Decimal("1.50")
        span: timedelta
        file: Path

    class Names(BaseModel):
        class_: str = Field(alias="class")
        from_: date = Field(alias="from")
        self: str
        schema: str
        model_id: str
        _hidden: int = 1

    class Validated(BaseModel):
        text: str
        items: list[Order] = []
        either: int | list[int] = 1

        @field_validator("text")
        @classmethod
        def polite(cls, value: str) -> str:
            if "please" not in value:
                raise ValueError("say please")
            return value

    class Whole(BaseModel):
        start: int
        end: int

        @model_validator(mode="after")
        def ordered(self):
            assert self.start <= self.end, "start is after end"
            return self

    class Broken(BaseModel):
        text: str

        @field_validator("text")
        @classmethod
        def fails(cls, value):
            return {}[value]

    class Node(BaseModel):
        label: str
        children: list[Node] = []

    class Typed(TypedDict):
        a: int
        b: NotRequired[list[str]]

    @dataclasses.dataclass
    class Data:
        a: int
        tags: set[str] = dataclasses.field(default_factory=set)
"""

TOOLS = {
    "order": "input_schema = Order\ndef execute(self, input):\n    return [type(input).__name__, input]",
    "strict": "input_schema = Strict\ndef execute(self, input):\n    return input",
    "rich": "input_schema = Rich\ndef execute(self, i):\n    return {k: type(v).__name__ for k, v in vars(i).items()}",
    "names": "input_schema = Names\ndef execute(self, i):\n    return [i.class_, i.from_, i.self, i.schema, i.model_id, i._hidden]",
    "validated": "input_schema = Validated\ndef execute(self, input):\n    return input",
    "whole": "input_schema = Whole\ndef execute(self, input):\n    return input",
    "broken": "input_schema = Broken\ndef execute(self, input):\n    return input",
    "node": "input_schema = Node\ndef execute(self, input):\n    return input",
    "typed": "input_schema = Typed\ndef execute(self, input):\n    return [type(input).__name__, input]",
    "data": "def execute(self, input: Data):\n    return [type(input).__name__, input]",
    "annotated": "async def execute(self, input: Order, ctx=None):\n    return [type(input).__name__, ctx]",
    "needs_ctx": "async def execute(self, input: Order, ctx):\n    return [type(input).__name__, ctx]",
    "plain": """
        input_schema = {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}, "id": {"format": "uuid"}},
            "required": ["a"],
            "additionalProperties": False,
        }

        def execute(self, input):
            return [type(input).__name__, input]
    """,
    "open": "def execute(self, input):\n    return input",
    "without": "def execute(self):\n    return 'no input'",
    "partial": """
        @staticmethod
        def execute(input: Order):
            return [type(input).__name__, input.limit]
    """,
}  # fmt: skip


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("input") / "project")


@pytest.fixture(scope="module")
def opened(workshop: Workshop) -> OpenedArtifact:
    module, tools = tool_module(TOOLS, HEAD)
    return workshop.opened(workshop.draft({"tools.py": module}, tools))


def faults(result: RunResult) -> list[tuple[str, str]]:
    assert result.error is not None, result.output
    assert (result.error.type, result.exit_code) == ("input-invalid", 2)
    assert result.error.path == result.error.errors[0].path
    return [(fault.path, fault.message) for fault in result.error.errors]


REFUSED: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "missing": ("order", "{}", [("/order_id", "is required (string)")]),
    "wrong type": ("order", '{"order_id": 5}', [("/order_id", "must be a string, not 5")]),
    "misspelled": (
        "order",
        '{"orderId": "A"}',
        [("/order_id", "is required (string); did you mean `order_id` instead of `orderId`?")],
    ),
    "a number as text": ("order", '{"order_id": "A", "limit": "7"}', [("/limit", 'must be an integer, not "7"')]),
    "no member": ("order", '{"order_id": "A", "kind": "c"}', [("/kind", 'must be one of "a", "b", not "c"')]),
    "several": (
        "order",
        '{"order_id": 5, "limit": null, "kind": 1}',
        [
            ("/kind", 'must be one of "a", "b", not 1'),
            ("/limit", "must be an integer, not null"),
            ("/order_id", "must be a string, not 5"),
        ],
    ),
    "no object": ("order", "[1]", [("", "must be an object, not an array")]),
    "unknown key": (
        "strict",
        '{"order_id": "A", "limits": 5, "x": 1}',
        [("/limits", "is not known; did you mean `limit`?"), ("/x", "is not known; known: order_id, limit")],
    ),
    "bound": ("strict", '{"order_id": "A", "limit": 0}', [("/limit", "0 is less than the minimum of 1")]),
    "nested": (
        "validated",
        '{"text": "please", "items": [{"order_id": "A"}, {"orderid": "B"}]}',
        [("/items/1/order_id", "is required (string); did you mean `order_id` instead of `orderid`?")],
    ),
    "union": ("validated", '{"text": "please", "either": "x"}', [("/either", 'must be an integer or an array, not "x"')]),
    "the model": ("validated", '{"text": "give"}', [("/text", "say please")]),
    "the whole model": ("whole", '{"start": 2, "end": 1}', [("", "start is after end")]),
    "recursion": (
        "node",
        '{"label": "a", "children": [{"label": "b", "children": [{}]}]}',
        [("/children/0/children/0/label", "is required (string)")],
    ),
    "a typed dict": ("typed", '{"b": [1]}', [("/a", "is required (integer)"), ("/b/0", "must be a string, not 1")]),
    "a dataclass": ("data", '{"a": "x"}', [("/a", 'must be an integer, not "x"')]),
    "a schema": ("plain", '{"a": 1, "b": 2}', [("/b", "is not known; known: a, at, id")]),
    "a format": (
        "plain",
        '{"a": 1, "at": "tomorrow", "id": "7"}',
        [("/at", 'must be a date-time, not "tomorrow"'), ("/id", 'must be a uuid, not "7"')],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_with_every_fault(name: str, workshop: Workshop, opened: OpenedArtifact) -> None:
    tool, text, expected = REFUSED[name]
    assert faults(workshop.run(opened, tool, text)) == expected


UUID_TEXT = "12345678-1234-5678-1234-567812345678"
TAKEN: dict[str, tuple[str, str, Any]] = {
    "defaults": ("order", '{"order_id": "A", "more": 1}', ["Order", {"order_id": "A", "limit": 10, "kind": "a"}]),
    "rich types": (
        "rich",
        '{"when": "2026-01-02T03:04:05Z", "day": "2026-01-02", "id": "' + UUID_TEXT + '", "price": "1E-7", "span": "PT5M", "file": "a/b"}',
        {"when": "datetime", "day": "date", "id": "UUID", "price": "Decimal", "span": "timedelta", "file": "PosixPath"},
    ),
    "a number for a decimal": (
        "rich",
        '{"when": "2026-01-02T03:04:05", "day": "2026-01-02", "id": "' + UUID_TEXT + '", "price": 2.5, "span": "PT5M", "file": "a"}',
        {"when": "datetime", "day": "date", "id": "UUID", "price": "Decimal", "span": "timedelta", "file": "PosixPath"},
    ),
    "awkward names": (
        "names",
        '{"class": "A", "from": "2026-01-01", "self": "s", "schema": "x", "model_id": "m"}',
        ["A", "2026-01-01", "s", "x", "m", 1],
    ),
    "a typed dict": ("typed", '{"a": 1, "b": ["x"]}', ["dict", {"a": 1, "b": ["x"]}]),
    "a dataclass": ("data", '{"a": 1, "tags": ["y", "x"]}', ["Data", {"a": 1, "tags": ["x", "y"]}]),
    "an annotation": ("annotated", '{"order_id": "A"}', ["Order", None]),
    "a context that is needed": ("needs_ctx", '{"order_id": "A"}', ["Order", None]),
    "a schema": (
        "plain",
        '{"a": 1, "at": "2026-01-02T03:04:05", "id": "' + UUID_TEXT + '"}',
        ["dict", {"a": 1, "at": "2026-01-02T03:04:05", "id": UUID_TEXT}],
    ),
    "anything": ("open", '{"b": [{"c": null}]}', {"b": [{"c": None}]}),
    "no parameter": ("without", "{}", "no input"),
    "a static method": ("partial", '{"order_id": "A", "limit": 3}', ["Order", 3]),
    "recursion": (
        "node",
        '{"label": "a", "children": [{"label": "b"}]}',
        {"label": "a", "children": [{"label": "b", "children": []}]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_what_fits_reaches_execute_as_the_model(name: str, workshop: Workshop, opened: OpenedArtifact) -> None:
    tool, text, expected = TAKEN[name]
    result = workshop.run(opened, tool, text)
    assert result.error is None
    assert result.output == expected
    shadowed = 'src/tools.py:30: UserWarning: Field name "schema" in "Names" shadows an attribute in parent "BaseModel"'
    assert result.logs.splitlines()[0] == shadowed
    assert str(workshop.root) not in result.logs


def test_a_validator_that_fails_itself_is_the_tools_error(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "broken", '{"text": "x"}')
    assert result.error is not None
    assert (result.error.type, result.exit_code) == ("tool-error", 1)
    assert result.error.message == "its input model failed: KeyError: 'x'"
    assert "in Broken.fails" in (result.error.traceback or "")


def test_an_unknown_tool_is_answered_with_the_nearest(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "oder")
    assert result.error is not None
    assert (result.error.type, result.exit_code) == ("not-found", 3)
    assert result.error.hint == "did you mean order, node?"


def test_nothing_of_the_users_runs_for_an_input_that_is_refused(workshop: Workshop, tmp_path: Path) -> None:
    head = f"from pathlib import Path\nfrom pydantic import BaseModel\nclass In(BaseModel):\n    a: int\nPath({str(tmp_path / 'ran')!r}).touch()"
    module, tools = tool_module({"marks": "async def execute(self, input: In):\n    return input.a"}, head)
    opened = workshop.opened(
        workshop.draft({"marks.py": module}, {"marks": tools["marks"].replace("tools:", "marks:")})
    )
    (tmp_path / "ran").unlink()
    refused = workshop.run(opened, "marks", '{"a": "x"}')
    assert (refused.exit_code, refused.logs, (tmp_path / "ran").exists()) == (2, "", False)
    assert (workshop.run(opened, "marks", '{"a": 1}').output, (tmp_path / "ran").exists()) == (1, True)


def test_the_input_is_refused_before_anything_is_started(
    workshop: Workshop, opened: OpenedArtifact, tmp_path: Path
) -> None:
    result = workshop.run(opened, "order", "{", interpreter=tmp_path / "no-python")
    assert result.error is not None
    assert result.error.type == "input-invalid"
