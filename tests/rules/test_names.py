"""Names of tools: what is refused, what is warned about, and what the message shows."""

from __future__ import annotations

import pytest

from tests.rules.projects import HEAD, WriteProject, agent, judged, lines, tool


def of_name(write_project: WriteProject, source: str) -> list[tuple[str, str, str]]:
    root = write_project({"agent.py": HEAD + tool("Tool", source) + agent("Tool()")})
    return [(d.code.removeprefix("lua/"), d.message, d.help or "") for d in judged(root)]


@pytest.mark.parametrize("name", ["x" * 64, "get-order", "_x", "a", "order_2"])
def test_good_names(write_project: WriteProject, name: str) -> None:
    assert of_name(write_project, repr(name)) == []


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ('"größe"', "`ö` U+00F6 (latin small letter o with diaeresis), `ß` U+00DF"),
        ('"ｏrders"', "`ｏ` U+FF4F (fullwidth latin small letter o)"),
        ('"order\\u200b"', "has U+200B (zero width space)"),
        ('"orders\\n"', "has U+000A (a control character)"),
        ('"has space"', "has U+0020 (space)"),
        ('" orders"', "has U+0020 (space)"),
        ('"订单"', "`订` U+8BA2"),
        ('"get.order"', "`.` U+002E (full stop)"),
        ('"get:order"', "`:` U+003A (colon)"),
        ('""', "is empty"),
        ('"x" * 65', "has 65 characters; the limit is 64"),
    ],
)
def test_bad_names_show_the_character(write_project: WriteProject, source: str, shown: str) -> None:
    ((code, message, help_),) = of_name(write_project, source)
    assert code == "tool-name-invalid"
    assert shown in message
    assert "Tool" in message
    assert "name = " in help_ or "alone" in help_


def test_a_valid_name_is_suggested(write_project: WriteProject) -> None:
    ((_, _, help_),) = of_name(write_project, '"Größe & Gewicht"')
    assert help_ == 'rename it, for example `name = "grosse_gewicht"`'


def test_style(write_project: WriteProject) -> None:
    ((code, _, help_),) = of_name(write_project, '"GetHTTPOrder"')
    assert (code, help_) == ("tool-name-style", 'write `name = "get_http_order"`')


@pytest.mark.parametrize("name", ["1c_reload", "-x"])
def test_providers_that_refuse_a_name_are_named(write_project: WriteProject, name: str) -> None:
    ((code, message, _),) = of_name(write_project, repr(name))
    assert code == "provider-limits"
    assert message.startswith("Gemini would refuse")


def test_a_name_that_is_inherited_is_reported_where_it_is_assigned(write_project: WriteProject) -> None:
    root = write_project(
        {
            "base.py": HEAD + tool("Base", '"SearchDocs"'),
            "agent.py": "from lua_cli import *\nfrom base import Base\n"
            "class A(Base): ...\nclass B(Base): ...\n" + agent("A()"),
        }
    )
    found = judged(root)
    assert lines(root, found) == ["unused-tool warning: B(Base): ...", 'tool-name-style warning: "SearchDocs"']
    assert found[1].place.path == "base.py"


def test_the_style_fix_lists_texts_that_say_the_old_name(write_project: WriteProject) -> None:
    root = write_project(
        {
            "agent.py": HEAD
            + tool("Tool", "'FindIt'")
            + agent("Tool()").replace("Help with everything.", "Always use FindIt first; FindItems is no tool.")
        }
    )
    (found,) = judged(root)
    assert found.fix is not None
    assert [edit.text for edit in found.fix.edits] == ["'find_it'"]
    assert [related.message for related in found.related] == [
        "this context says `FindIt`: change it too (the fix does not)"
    ]


@pytest.mark.parametrize("source", ['"Find" + "It"', 'f"FindIt"', "NAME"])
def test_a_name_that_is_no_literal_has_no_fix(write_project: WriteProject, source: str) -> None:
    root = write_project({"agent.py": HEAD + 'NAME = "FindIt"\n' + tool("Tool", source) + agent("Tool()")})
    (found,) = judged(root)
    assert (found.code, found.fix) == ("lua/tool-name-style", None)


def test_the_fix_does_not_take_a_name_that_is_taken(write_project: WriteProject) -> None:
    root = write_project({"agent.py": HEAD + tool("A", "'Find'") + tool("B", "'find'") + agent("A()", "B()")})
    style = next(found for found in judged(root) if found.code == "lua/tool-name-style")
    assert style.fix is None


def test_names_that_are_no_text(write_project: WriteProject) -> None:
    ((code, message, _),) = of_name(write_project, "42")
    assert (code, message) == ("missing-attribute", "`name` of Tool must be a string, got int")
