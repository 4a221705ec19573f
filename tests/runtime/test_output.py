"""Every row of the encoding table in docs/running.md, through a real child."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import pytest

from lua_cli.bundle import OpenedArtifact
from lua_cli.child.encode import NotJsonError, encode
from tests.runtime.workshop import Workshop, tool_module

HEAD = """
    import collections, dataclasses, datetime, decimal, enum, fractions, ipaddress, pathlib, re, types, uuid
    from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_serializer
    from pydantic.dataclasses import dataclass as pydantic_dataclass

    class Mode(str, enum.Enum):
        FAST = "fast"

    class Level(enum.IntEnum):
        HIGH = 3

    @dataclasses.dataclass
    class Row:
        at: datetime.datetime
        total: decimal.Decimal
        data: bytes = b""

    @pydantic_dataclass
    class Strict:
        day: datetime.date

    class Model(BaseModel):
        rows: list[int]
        when: datetime.date
        tags: set[str] = {"b", "a", "c"}
        secret: SecretStr = SecretStr("hidden")
        class_: str = Field(default="x", alias="class")

    class Serialized(BaseModel):
        model_config = ConfigDict(ser_json_bytes="base64", ser_json_timedelta="float")
        data: bytes = b"\\xff"
        span: datetime.timedelta = datetime.timedelta(minutes=5)
        twice: int = 2

        @field_serializer("twice", when_used="json")
        def double(self, value: int) -> int:
            return value * 2

    class Holder(BaseModel):
        item: object = None

    Point = collections.namedtuple("Point", "x y")

    async def later(value):
        return value

    class Text(str):
        pass

    class Client:
        def __repr__(self):
            raise RuntimeError("a repr must not be made")
"""

RIGHT: dict[str, tuple[str, Any]] = {
    "none": ("return None", None),
    "empty_text": ("return ''", ""),
    "text": ("return 'für 订单 😀'", "für 订单 😀"),
    "subclass": ("return [Text('a'), True, 1.5]", ["a", True, 1.5]),
    "dates": (
        "utc = datetime.timezone.utc\n"
        "return [datetime.datetime(2026, 1, 2, tzinfo=utc), datetime.datetime(2026, 1, 2), datetime.date(2026, 1, 2), datetime.time(3, 4)]",
        ["2026-01-02T00:00:00Z", "2026-01-02T00:00:00", "2026-01-02", "03:04:00"],
    ),
    "spans": (
        "d = datetime.timedelta\nreturn [d(minutes=5), d(days=1, seconds=3.5), d(0), -d(hours=2)]",
        ["PT5M", "P1DT3.5S", "PT0S", "-PT2H"],
    ),
    "numbers": ("return [decimal.Decimal('10.10'), fractions.Fraction(1, 3)]", ["10.10", "1/3"]),
    "identifiers": (
        "return [uuid.UUID(int=1), pathlib.Path('/tmp/x'), ipaddress.ip_address('::1'), re.compile('a+')]",
        ["00000000-0000-0000-0000-000000000001", "/tmp/x", "::1", "a+"],
    ),
    "enums": ("return {'m': Mode.FAST, 'l': Level.HIGH}", {"m": "fast", "l": 3}),
    "sets": ("return [{3, 1, 20}, frozenset({'b', 'a'}), {1.5, 1}]", [[1, 3, 20], ["a", "b"], [1, 1.5]]),
    "blobs": ("return [b'\\xff', bytearray(b'a'), memoryview(b'b')]", ["/w==", "YQ==", "Yg=="]),
    "rows": (
        "return [Row(datetime.datetime(2026, 1, 2), decimal.Decimal('1.0'), b'a')]",
        [{"at": "2026-01-02T00:00:00", "total": "1.0", "data": "YQ=="}],
    ),
    "models": (
        "return {'m': [Model(rows=[1], when=datetime.date(2026, 1, 2))]}",
        {"m": [{"rows": [1], "when": "2026-01-02", "tags": ["a", "b", "c"], "secret": "**********", "class": "x"}]},
    ),
    "own_serializers": ("return Serialized()", {"data": "_w==", "span": 300.0, "twice": 4}),
    "pydantic_dataclass": ("return Strict(datetime.date(2026, 1, 2))", {"day": "2026-01-02"}),
    "inside_of_models": (
        "return Holder(item=[(n for n in (1, 2)), later(3), {1: {2}}])",
        {"item": [[1, 2], 3, {"1": [2]}]},
    ),
    "containers": (
        "return [Point(1, 2), collections.deque([1]), range(2), {'a': 1}.keys(), types.MappingProxyType({'a': 1}), collections.Counter('a')]",
        [[1, 2], [1], [0, 1], ["a"], {"a": 1}, {"a": 1}],
    ),
    "keys": (
        "return {1: 'a', None: 'b', 2.5: 'd', Mode.FAST: 'e', Level.HIGH: 'f', datetime.date(2026, 1, 2): 'g', pathlib.Path('p'): 'h'}",
        {"1": "a", "null": "b", "2.5": "d", "fast": "e", "3": "f", "2026-01-02": "g", "p": "h"},
    ),
    "bool_key": ("return {True: 1}", {"true": 1}),
    "generator": ("return (n for n in (1, 2))", [1, 2]),
    "iterators": ("return [map(str, [1]), zip([1], [2])]", [["1"], [[1, 2]]]),
    "awaitables": ("return {'a': later({'b': later(1)}), 'c': [later(2)]}", {"a": {"b": 1}, "c": [2]}),
    "shared": ("row = [1]\nreturn [row, row]", [[1], [1]]),
}
WRONG: dict[str, tuple[str, str, str]] = {
    "nan": ("return {'avg': float('nan')}", "/avg", "result.avg is NaN, which JSON does not have"),
    "infinity": ("return {'rows': [1.0, -1e400]}", "/rows/1", "result.rows[1] is -Infinity, which JSON does not have"),
    "nan_decimal": (
        "return [decimal.Decimal('NaN')]",
        "/0",
        "result[0] is Decimal('NaN'), which JSON does not have",
    ),
    "nan_in_model": (
        "return [Holder(item=float('nan'))]",
        "/0/item",
        "result[0].item is NaN, which JSON does not have",
    ),
    "own_class": (
        "return {'items': [{'ok': 1}, {'conn': Client()}]}",
        "/items/1/conn",
        "result.items[1].conn is a Client, which has no JSON",
    ),
    "own_class_in_model": (
        "return Holder(item=[Client()])",
        "/item/0",
        "result.item[0] is a Client, which has no JSON",
    ),
    "a_class": ("return [Client]", "/0", "result[0] is the class Client, which has no JSON"),
    "a_function": ("return [len]", "/0", "result[0] is a builtin_function_or_method, which has no JSON"),
    "tuple_keys": ("return {('a', 1): 2}", "", "result has a key that is a tuple"),
    "same_keys": ("return {'a': {1: 'x', '1': 'y'}}", "/a", "result.a has two keys that are both '1' as text"),
    "cycle": ("d = {}\nd['self'] = d\nreturn d", "/self", "result.self contains itself"),
    "surrogate": ("return ['\\ud83d']", "/0", "result[0] has half of a surrogate pair (U+D83D at character 0)"),
    "surrogate_key": ("return {'\\ud83d': 1}", "/\\ud83d", "has half of a surrogate pair"),
    "too_deep": (
        "value = 1\nfor _ in range(300):\n    value = [value]\nreturn value",
        "/0/0/0",
        "nested deeper than 200",
    ),
    "too_many": ("return (n for n in iter(int, 1))", "", "result is a generator of more than 10000 items"),
    "too_large": ("return 'x' * (11 * 1024 ** 2)", "", "result is larger than 10 MiB as JSON"),
    "too_large_in_parts": ("return ['x' * 1024 ** 2] * 200", "", "result is larger than 10 MiB as JSON"),
    "huge_number": ("return 10 ** 5000", "", "result is an int with more digits than Python prints"),
    "odd_names": ("return {'a/b~c': {'d e': float('nan')}}", "/a~1b~0c/d e", "result['a/b~c']['d e'] is NaN"),
    "bytes_in_model": ("return [Holder(item=b'\\xff')]", "/0", "ser_json_bytes"),
}


IN_A_CHILD = ("own_class", "surrogate_key", "too_large", "cycle")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("output") / "project")


@pytest.fixture(scope="module")
def opened(workshop: Workshop) -> OpenedArtifact:
    """The tool `everything` returns every right value at once, awaitables included; each wrong value has a tool of
    its own.
    """
    parts = [textwrap.dedent(HEAD)]
    for name, (body, _) in RIGHT.items():
        parts.append(f"def right_{name}():\n" + textwrap.indent(body, "    ") + "\n")
    values = ", ".join(f"{name!r}: right_{name}()" for name in RIGHT)
    tools_of = {"everything": f"return {{{values}}}", **{name: WRONG[name][0] for name in IN_A_CHILD}}
    module, tools = tool_module(tools_of, "\n".join(parts))
    return workshop.opened(workshop.draft({"tools.py": module}, tools))


@pytest.fixture(scope="module")
def everything(workshop: Workshop, opened: OpenedArtifact) -> Any:
    result = workshop.run(opened, "everything")
    assert result.error is None
    json.dumps(result.document(), allow_nan=False)
    return result.output


@pytest.mark.parametrize("name", RIGHT)
def test_what_has_a_json_form(name: str, everything: Any) -> None:
    assert everything[name] == RIGHT[name][1]


@pytest.mark.parametrize("name", WRONG)
def test_what_has_none(name: str) -> None:
    body, path, words = WRONG[name]
    names: dict[str, Any] = {}
    exec(textwrap.dedent(HEAD) + "\ndef value():\n" + textwrap.indent(body, "    "), names)
    with pytest.raises(NotJsonError) as caught:
        encode(names["value"]())
    assert words in caught.value.message + (caught.value.hint or "")
    assert caught.value.path == path
    assert " at 0x" not in caught.value.message


@pytest.mark.parametrize("name", IN_A_CHILD)
def test_a_run_says_the_same(name: str, workshop: Workshop, opened: OpenedArtifact) -> None:
    _, path, words = WRONG[name]
    result = workshop.run(opened, name)
    assert result.error is not None, result.output
    assert (result.error.type, result.exit_code, result.error.path) == ("output-not-json", 1, path)
    assert words in result.error.message
    json.dumps(result.document(), allow_nan=False).encode("utf-8")


def test_a_whole_number_beyond_doubles_is_written_whole_with_a_note(workshop: Workshop) -> None:
    module, tools = tool_module({"big": "return {'n': 2 ** 70, 'm': 2 ** 53}"})
    result = workshop.run(workshop.opened(workshop.draft({"tools.py": module}, tools)), "big")
    assert result.output == {"n": 2**70, "m": 2**53}
    assert result.notes == ("result.n is beyond 2**53: readers that know only doubles (JavaScript) lose digits",)


def test_sets_are_the_same_text_on_every_run(workshop: Workshop) -> None:
    module, tools = tool_module({"words": "return {str(n) for n in range(50)}"})
    opened = workshop.opened(workshop.draft({"tools.py": module}, tools))
    first, second = (workshop.run(opened, "words").output for _ in range(2))
    assert first == second == sorted(first)


def test_two_hundred_levels_are_fine_and_more_are_not() -> None:
    value: Any = 1
    for _ in range(200):
        value = [value]
    assert encode(value) == "[" * 200 + "1" + "]" * 200
    with pytest.raises(NotJsonError):
        encode([value])
