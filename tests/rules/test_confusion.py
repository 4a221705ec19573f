"""Groups of tools that are hard to tell apart, and texts that name tools which are not there."""

from __future__ import annotations

import pytest

from tests.rules.projects import HEAD, WriteProject, agent, judged, lines, tool


def test_one_diagnostic_a_group(write_project: WriteProject) -> None:
    source = HEAD + tool("A", "'get_order'") + tool("B", "'fetch_orders'") + tool("C", "'order_get'")
    root = write_project({"agent.py": source + agent("A()", "B()", "C()")})
    (found,) = judged(root)
    assert found.message == "`get_order`, `fetch_orders` and `order_get` are easy to confuse: their names say the same"
    assert [related.message for related in found.related] == ["the name of `get_order`", "the name of `fetch_orders`"]
    assert lines(root, [found]) == ["tool-confusion warning: 'order_get'"]


def test_an_inherited_description_is_reported_at_the_class_that_lacks_one(write_project: WriteProject) -> None:
    source = HEAD + tool("Base") + 'class Leaf(Base):\n    name = "leaf"\n'
    root = write_project({"agent.py": source + agent("Base()", "Leaf()")})
    found = judged(root)
    assert lines(root, found) == ["tool-confusion warning: Leaf(Base):"]
    assert found[0].message.endswith("their descriptions say the same; `leaf` inherits its description")


def test_large_groups_are_cut(write_project: WriteProject) -> None:
    source = HEAD + tool("Base") + "".join(f'class T{n}(Base): name = "t_{chr(97 + n)}"\n' for n in range(9))
    root = write_project({"agent.py": source + agent(*(f"T{n}()" for n in range(9)))})
    (found,) = judged(root)
    assert found.message.startswith("`t_a`, `t_b`, `t_c`, `t_d` and 5 others are easy to confuse")
    assert len(found.related) == 5


def context(write_project: WriteProject, text: str, servers: str = "") -> list[str]:
    source = HEAD + tool("A", "'find_order'") + agent("A()").replace("Help with everything.", text)
    root = write_project({"agent.py": source.replace('persona="p"', 'persona="p"' + servers)})
    return lines(root, judged(root))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("First use get_order, then answer.", "get_order"),
        ("Call the tool `track-parcel` for parcels.", "track-parcel"),
        ("The get_order tool knows.", "get_order"),
    ],
)
def test_a_text_that_names_a_tool_which_is_not_there(write_project: WriteProject, text: str, word: str) -> None:
    (line,) = context(write_project, text)
    assert line.startswith(f"tool-confusion warning: {word}")


@pytest.mark.parametrize(
    "text",
    [
        "First use find_order, then answer.",
        "Use load_skill for refunds.",
        "Ask for the order_number, as printed.",
        "Use common-sense.",
        "Use e-mail addresses only.",
    ],
)
def test_texts_that_are_fine(write_project: WriteProject, text: str) -> None:
    assert context(write_project, text) == []


def test_tools_of_mcp_servers_are_not_known(write_project: WriteProject) -> None:
    assert context(write_project, "First use get_order.", ', mcp_servers=[{"url": "x"}]') == []


def test_a_context_is_about_the_tools_of_its_skill(write_project: WriteProject) -> None:
    """After a rename, the nearest name of all may be another customer's tool."""
    source = HEAD + tool("A", "'book_gamma'") + tool("B", "'reserve_beta'")
    more = 'beta = LuaSkill(name="beta", context="Use book_beta to book.", tools=[B()])\n'
    text = source + agent("A()", extra=more).replace("skills=[skill]", "skills=[skill, beta]")
    (found,) = judged(write_project({"agent.py": text}))
    assert found.message == "the context of `beta` names a tool `book_beta`, which the agent does not have"
    assert found.help == "its tool is `reserve_beta`: name one of the agent's, or take the sentence out"
    spelt = text.replace("reserve_beta", "book_betas")
    (found,) = judged(write_project({"agent.py": spelt}))
    assert found.help == "did you mean `book_betas`?"
