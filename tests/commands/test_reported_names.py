"""Names, descriptions and prompts that have gone wrong for people elsewhere, through the commands: which are refused, and
that what is accepted reaches the model as it was written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.commands.test_reported_sources import Lua, Write, compiled, said

NAMES = """\
from lua_cli import LuaAgent, LuaSkill, LuaTool


class T(LuaTool):
    name = {name!r}
    description = {description!r}
    input_schema = {{"type": "object", "properties": {{}}}}

    def execute(self, input):
        return 1


agent = LuaAgent(name="a", skills=[LuaSkill(name="s", description="d", context={context!r}, tools=[T()])])
"""
WORDS = "Look up one order in the list. Use when the customer asks for an order."


def named(
    lua: Lua, write_project: Write, name: str, description: str = WORDS, context: str = "c", *flags: str
) -> tuple[int, dict[str, Any]]:
    source = NAMES.format(name=name, description=description, context=context)
    return compiled(lua, write_project({"agent.py": source}), *(flags or ("--check",)))


def test_a_name_has_at_most_sixty_four_characters(lua: Lua, write_project: Write) -> None:
    assert named(lua, write_project, "x" * 64)[0] == 0
    code, document = named(lua, write_project, "x" * 65)
    assert (code, said(document)) == (1, [("error", "lua/tool-name-invalid", "agent.py", 5)])
    assert document["diagnostics"][0]["message"].endswith("of T has 65 characters; the limit is 64")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("1c_reload", [("warning", "lua/provider-limits")]),
        ("-x", [("warning", "lua/provider-limits")]),
        ("get.order", [("error", "lua/tool-name-invalid")]),
        ("get:order", [("error", "lua/tool-name-invalid")]),
        ("get-order", []),
        ("GetOrder", [("warning", "lua/tool-name-style")]),
        ("_x", []),
    ],
)
def test_the_first_character_and_the_marks_of_a_name(
    lua: Lua, write_project: Write, name: str, expected: list[tuple[str, str]]
) -> None:
    _, document = named(lua, write_project, name)
    assert [(severity, code) for severity, code, _, _ in said(document)] == expected
    if expected == [("warning", "lua/provider-limits")]:
        assert document["diagnostics"][0]["message"].startswith(f'Gemini would refuse the tool name "{name}"')


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("größe", "U+00F6"), ("ｏrders", "U+FF4F"), ("order\u200b", "U+200B"), ("orders\n", "U+000A"),
        ("has space", "U+0020"), (" orders", "U+0020"), ("订单", "U+8BA2"), ("", "is empty"), ("or\u0456der", "U+0456"),
        ("order\u0301", "U+0301"), ("\u202eorder", "U+202E"), ("order\x00", "U+0000"), ("o🙂", "U+1F642"),
    ],
)  # fmt: skip
def test_a_character_that_a_name_may_not_have_is_shown_by_its_code_point(
    lua: Lua, write_project: Write, name: str, point: str
) -> None:
    code, document = named(lua, write_project, name)
    assert (code, said(document)) == (1, [("error", "lua/tool-name-invalid", "agent.py", 5)])
    assert point in document["diagnostics"][0]["message"]


def test_unicode_is_welcome_everywhere_else(lua: Lua, write_project: Write) -> None:
    context = "Antworte auf 中文 mit 😀."
    source = NAMES.format(name="t", description="Größe des 订单 sagen. Für Fragen nach der Größe 😀.", context=context)
    root = write_project({"agent.py": "import größe\n" + source, "größe.py": "x = 1\n"})
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [])
    assert document["tools"][0]["description"] == "Größe des 订单 sagen. Für Fragen nach der Größe 😀."


DUPLICATES = {
    "a.py": f"""\
from lua_cli import LuaTool


class Base(LuaTool):
    name = "dup"
    description = "{WORDS}"
    input_schema = {{"type": "object", "properties": {{}}}}

    def execute(self, input):
        return 1


class A(Base):
    pass
""",
    "b.py": """\
from a import Base


class B(Base):
    pass


class Renamed(Base):
    name = "other"
""",
}


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ("A()", "B()", "A and B are both called `dup`; B inherits its name from Base"),
        ("A(), A()", "Renamed()", "the skill `s1` has A (`dup`) twice"),
        ("A()", "A()", None),
        ("A(), Renamed()", "A()", None),
    ],
    ids=["two-classes", "twice-in-a-skill", "one-class-in-two-skills", "renamed"],
)
def test_two_tools_of_one_name(lua: Lua, write_project: Write, one: str, two: str, message: str | None) -> None:
    agent = (
        "from lua_cli import LuaAgent, LuaSkill\nfrom a import A\nfrom b import B, Renamed\n"
        f's1 = LuaSkill(name="s1", description="d", context="c", tools=[{one}])\n'
        f's2 = LuaSkill(name="s2", description="d", context="c", tools=[{two}])\n'
        'agent = LuaAgent(name="a", skills=[s1, s2])\n'
    )
    code, document = compiled(lua, write_project({"agent.py": agent, **DUPLICATES}), "--check")
    errors = [d["message"] for d in document["diagnostics"] if d["severity"] == "error"]
    assert (code, errors) == ((1, [message]) if message else (0, []))


def test_skills_whose_names_would_be_one_file_elsewhere(lua: Lua, write_project: Write) -> None:
    """On a disk that does not tell letter cases apart, or one that keeps names for devices, each still has its file."""
    names = ["orders", "Orders", "con", "aux", "nul"]
    skills = ", ".join(f'LuaSkill(name="{n}", description="d", context="c", tools=[A()])' for n in names)
    agent = f'from lua_cli import LuaAgent, LuaSkill\nfrom a import A\nagent = LuaAgent(name="a", skills=[{skills}])\n'
    code, document = compiled(lua, write_project({"agent.py": agent, **DUPLICATES}))
    files = [s["artifact"].rsplit("/", 1)[1] for s in document["skills"]]
    assert code == 0
    assert len({file.casefold() for file in files}) == len(names)
    assert not {file.casefold().split(".")[0] for file in files} & {"con", "aux", "nul"}


@pytest.mark.parametrize("count", [1025, 2000])
def test_a_description_that_is_too_long_is_said_and_kept(lua: Lua, write_project: Write, count: int) -> None:
    description = ("Grüße 😀 " * 300)[:count]
    code, document = named(lua, write_project, "t", description)
    assert (code, said(document)) == (0, [("warning", "lua/provider-limits", "agent.py", 6)])
    assert f"has {len(description)} characters (about " in document["diagnostics"][0]["message"]
    assert document["tools"][0]["description"] == description


@pytest.mark.parametrize(
    ("description", "rule"),
    [("Order tool.", "lua/tool-description-vague"), ("", "lua/tool-description-missing")],
    ids=["vague", "empty"],
)
def test_a_description_that_says_nothing(lua: Lua, write_project: Write, description: str, rule: str) -> None:
    _, document = named(lua, write_project, "t", description)
    assert said(document) == [("warning", rule, "agent.py", 6)]


def test_braces_reach_the_prompt_as_they_are(lua: Lua, write_project: Write) -> None:
    context = 'Reply as {"id": 1}. Use {order_id}, {{x}}, ${expr}, %s and 100 %.'
    code, document = named(lua, write_project, "t", WORDS + " {order_id}", context, "--for", "openai")
    assert (code, said(document)) == (0, [])
    assert document["tools"][0]["description"] == WORDS + " {order_id}"
    source = NAMES.format(name="t", description=WORDS, context=context)
    prompt = lua("prompt", cwd=write_project({"agent.py": source}))
    assert prompt.exit_code == 0
    assert context in prompt.stdout
