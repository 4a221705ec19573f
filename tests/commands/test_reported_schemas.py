"""Models that have gone wrong for people elsewhere, through the commands: what the schema says,
what an input becomes, and what a provider would get."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.commands.test_reported_sources import Lua, Write, compiled, said

TOP = """\
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Optional, Union
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from lua_cli import LuaAgent, LuaSkill, LuaTool

"""

TOOL = """\


class T(LuaTool):
    name = "t"
    description = "Say which types the input has. Use when asked what they are."
    input_schema = In

    async def execute(self, input):
        return {key: type(value).__name__ for key, value in input}


agent = LuaAgent(name="a", skills=[LuaSkill(name="s", description="Types.", context="c", tools=[T()])])
"""


def schema_of(lua: Lua, write_project: Write, models: str, *, top: str = TOP) -> dict[str, Any]:
    """The input schema of the one tool; nothing is said by the compile."""
    code, document = compiled(lua, write_project({"agent.py": top + models + TOOL}))
    assert (code, said(document)) == (0, [])
    schema: dict[str, Any] = document["tools"][0]["inputSchema"]
    return schema


MODES = """
class Mode(str, Enum):
    FAST = "fast"
    SLOW = "slow"

class In(BaseModel):
    q: str
    mode: Mode = Mode.FAST
    kind: Literal["a", "b"] | None = None
    when: datetime | None = None
"""


def test_annotations_that_are_text_give_the_same_schema(lua: Lua, write_project: Write) -> None:
    plain = schema_of(lua, write_project, MODES)
    future = schema_of(lua, write_project, MODES, top="from __future__ import annotations\n" + TOP)
    assert future == plain
    assert plain["properties"]["mode"] == {"$ref": "#/$defs/Mode", "default": "fast"}


@pytest.mark.parametrize(
    "models",
    [
        MODES.replace("class In(BaseModel):", "class Outer:\n  class In(BaseModel):") + "In = Outer.In\n",
        "def made():\n"
        + "".join(f"    {line}\n" for line in MODES.strip().splitlines())
        + "    return In\nIn = made()\n",
    ],
    ids=["in-a-class", "in-a-function"],
)
def test_a_model_of_an_inner_scope_works_or_is_refused_at_compile(lua: Lua, write_project: Write, models: str) -> None:
    """With annotations as text pydantic may not find a name of the inner scope. That is said by the compile then, and
    never by the first call in production."""
    plain = schema_of(lua, write_project, models)
    root = write_project({"agent.py": "from __future__ import annotations\n" + TOP + models + TOOL})
    code, document = compiled(lua, root)
    if code == 0:
        assert document["tools"][0]["inputSchema"] == plain
        result = lua("test", "--ci", "skill", "--name", "t", "--input", '{"q": "x", "mode": "slow"}', cwd=root)
        assert (result.exit_code, json.loads(result.stdout)["mode"]) == (0, "Mode")
    else:
        assert [(s, c) for s, c, _, _ in said(document)] == [("error", "lua/schema-failed")]
        assert "Mode" in document["diagnostics"][0]["message"]


def test_the_ways_to_write_a_union_say_the_same(lua: Lua, write_project: Write) -> None:
    models = (
        "class In(BaseModel):\n    a: int | None = None\n    b: Optional[int] = None\n    c: int | str\n"
        '    d: Union[int, str]\n    e: list[int | str]\n    f: "int | None" = None\n'
    )
    fields = {k: {**v, "title": ""} for k, v in schema_of(lua, write_project, models)["properties"].items()}
    assert fields["a"] == fields["b"] == fields["f"]
    assert fields["c"] == fields["d"] == {"anyOf": [{"type": "integer"}, {"type": "string"}], "title": ""}
    assert fields["e"]["items"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}


RICH = """
class In(BaseModel):
    when: datetime
    day: date
    id: UUID
    price: Decimal = Decimal("1.50")
    span: timedelta
    file: Path
"""


def test_times_and_numbers_have_formats_and_arrive_as_python_objects(lua: Lua, write_project: Write) -> None:
    schema = schema_of(lua, write_project, RICH)
    fields = schema["properties"]
    assert {k: v.get("format") for k, v in fields.items()} == {
        "when": "date-time", "day": "date", "id": "uuid", "price": None, "span": "duration", "file": "path",
    }  # fmt: skip
    assert fields["price"] == {"anyOf": [{"type": "number"}, {"type": "string"}], "default": "1.50", "title": "Price"}
    root = write_project({"agent.py": TOP + RICH + TOOL})
    given = {
        "when": "2026-01-02T03:04:05Z",
        "day": "2026-01-02",
        "id": "00000000-0000-0000-0000-000000000001",
        "span": "PT5M",
        "file": "a/b",
    }
    for price in ("1E-7", 2, 0.1):
        text = json.dumps({**given, "price": price})
        result = lua("test", "--ci", "skill", "--name", "t", "--input", text, cwd=root)
        assert (result.exit_code, json.loads(result.stdout)) == (
            0,
            {
                "when": "datetime",
                "day": "date",
                "id": "UUID",
                "price": "Decimal",
                "span": "timedelta",
                "file": "PosixPath",
            },
        )


NESTED = """
class Item(BaseModel):
    sku: str = Field(description="SKU")
    qty: int = 1

class Addr(BaseModel):
    city: str

class In(BaseModel):
    items: list[Item]
    bill: Addr
    ship: Addr | None = Field(None, description="Defaults to bill")
"""


def test_a_provider_without_references_gets_them_inlined(lua: Lua, write_project: Write) -> None:
    schema = schema_of(lua, write_project, NESTED)
    assert schema["properties"]["bill"] == {"$ref": "#/$defs/Addr"}
    root = write_project({"agent.py": TOP + NESTED + TOOL})
    code, document = compiled(lua, root, "--for", "gemini")
    assert (code, said(document)) == (0, [])
    addr = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    assert document["providers"]["gemini"][0]["parameters"] == {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"sku": {"type": "string", "description": "SKU"}, "qty": {"type": "integer"}},
                    "required": ["sku"],
                },
            },
            "bill": addr,
            "ship": {**addr, "nullable": True, "description": "Defaults to bill"},
        },
        "required": ["items", "bill"],
    }


def test_a_recursive_model_is_kept_and_said_where_it_cannot_be_expressed(lua: Lua, write_project: Write) -> None:
    models = 'class Node(BaseModel):\n    label: str\n    children: list["Node"] = []\n\nclass In(BaseModel):\n    root: Node\n'
    assert schema_of(lua, write_project, models)["properties"]["root"] == {"$ref": "#/$defs/Node"}
    root = write_project({"agent.py": TOP + models + TOOL})
    code, document = compiled(lua, root, "--for", "gemini,anthropic")
    assert (code, [d["message"] for d in document["diagnostics"]]) == (
        0,
        [
            "Gemini cannot take the input of T: the recursive type `Node` at `/properties/root/properties/children/items`"
        ],
    )


def test_what_is_in_an_array_has_to_be_said(lua: Lua, write_project: Write) -> None:
    models = "class In(BaseModel):\n    tags: list\n    pairs: tuple\n    ids: set[int]\n    rows: list[Any]\n"
    root = write_project({"agent.py": TOP + models + TOOL})
    code, document = compiled(lua, root, "--for", "openai-strict")
    line = (TOP + models).splitlines().index("    tags: list") + 1
    untyped = [d["line"] for d in document["diagnostics"] if d["code"] == "lua/untyped-array"]
    assert (code, untyped) == (0, [line, line + 1, line + 3])
    fields = document["tools"][0]["inputSchema"]["properties"]
    assert {k: v["items"] for k, v in fields.items()} == {
        "tags": {},
        "pairs": {},
        "ids": {"type": "integer"},
        "rows": {},
    }
    assert fields["ids"]["uniqueItems"] is True


def test_an_object_with_free_keys_stays_one(lua: Lua, write_project: Write) -> None:
    models = (
        'class In(BaseModel):\n    model_config = ConfigDict(extra="allow")\n'
        "    filters: dict[str, Any]\n    counts: dict[str, int]\n"
    )
    schema = schema_of(lua, write_project, models)
    assert schema["additionalProperties"] is True
    assert schema["properties"]["filters"]["additionalProperties"] is True
    assert schema["properties"]["counts"]["additionalProperties"] == {"type": "integer"}
    code, document = compiled(lua, write_project({"agent.py": TOP + models + TOOL}), "--for", "openai-strict")
    messages = [d["message"] for d in document["diagnostics"]]
    assert code == 0
    assert messages == [
        "OpenAI (strict) cannot take the input of T: an object with free keys",
        "OpenAI (strict) cannot take the input of T: an object with free keys at `/properties/counts`",
        "OpenAI (strict) cannot take the input of T: an object with free keys at `/properties/filters`",
    ]
    sent = document["providers"]["openai-strict"][0]["function"]["parameters"]
    assert sent["properties"]["filters"]["additionalProperties"] is True


def test_awkward_names_of_fields(lua: Lua, write_project: Write) -> None:
    """What pydantic warns of goes to stderr; stdout is the result alone."""
    models = (
        'class In(BaseModel):\n    class_: str = Field(alias="class")\n    from_: date = Field(alias="from")\n'
        "    self: str\n    schema: str\n    model_id: str\n    _hidden: int = 1\n"
    )
    names = ["class", "from", "self", "schema", "model_id"]
    assert list(schema_of(lua, write_project, models)["properties"]) == names
    root = write_project({"agent.py": TOP + models + TOOL})
    text = '{"class": "A", "from": "2026-01-01", "self": "s", "schema": "x", "model_id": "m"}'
    result = lua("test", "--ci", "skill", "--name", "t", "--json", "--input", text, cwd=root)
    assert (result.exit_code, json.loads(result.stdout)["output"]) == (
        0,
        {"class_": "str", "from_": "date", "self": "str", "schema": "str", "model_id": "str"},
    )


def test_the_parts_of_a_docstring_reach_the_schema(lua: Lua, write_project: Write) -> None:
    """A docstring that starts with its arguments, with text of several lines, and a field that says it better."""
    models = (
        "class In(BaseModel):\n"
        '    """What to find.\n\n    Second line.\n    """\n\n'
        '    q: str = Field(description="The words.")\n    limit: int = 10\n'
    )
    schema = schema_of(lua, write_project, models)
    assert schema["properties"]["q"]["description"] == "The words."
    assert schema["description"] == "What to find.\n\nSecond line."
