"""What a description must say, and where the rules keep quiet."""

from __future__ import annotations

import pytest

from tests.rules.projects import HEAD, WriteProject, agent, judged


def of_description(write_project: WriteProject, description: str, name: str = "get_order_status") -> list[str]:
    source = f"class T(LuaTool):\n    name = {name!r}\n    description = {description!r}\n"
    source += "    def execute(self, input: In): ...\n"
    return [d.message for d in judged(write_project({"agent.py": HEAD + source + agent("T()")}))]


@pytest.mark.parametrize(
    ("description", "fault"),
    [
        ("Order tool.", "says neither what the tool does nor when to use it"),
        ("Gets the status", "says neither what the tool does nor when to use it"),
        ("This tool gets the status of an order.", "says nothing that the name does not say"),
        ("Use this tool to get the order's status.", "says nothing that the name does not say"),
        ("TODO: describe what this does for the customer", "is a placeholder"),
        ("订单", "says neither what the tool does nor when to use it"),
    ],
)
def test_vague(write_project: WriteProject, description: str, fault: str) -> None:
    assert of_description(write_project, description) == [f"the description of T {fault}"]


@pytest.mark.parametrize(
    "description",
    [
        "Look up where an order is.",
        "Get the shipping status of one order by its number.",
        "查询订单的配送状态。当客户询问包裹在哪里时使用。",
        "Prüft, ob eine Bestellung versandt wurde.",
        "Todoist: list the tasks of a project.",
    ],
)
def test_enough(write_project: WriteProject, description: str) -> None:
    assert of_description(write_project, description) == []


def test_missing_and_empty(write_project: WriteProject) -> None:
    assert of_description(write_project, "  ") == ["the description of T is empty"]
    source = 'class T(LuaTool):\n    name = "t"\n    description: str\n    def execute(self, input: In): ...\n'
    found = judged(write_project({"agent.py": HEAD + source + agent("T()")}))
    assert [(d.code, d.message) for d in found] == [("lua/tool-description-missing", "T has no description")]


def test_too_long_for_a_provider(write_project: WriteProject) -> None:
    (message,) = of_description(write_project, "Gibt den Status: " + "äöü😀 " * 202)
    assert message == ("the description of T has 1027 characters (about 560 tokens); OpenAI takes at most 1024")
    assert of_description(write_project, "Gives the status for people. " + "x" * 995) == []


def test_what_is_inherited_is_judged_where_it_is_written(write_project: WriteProject) -> None:
    source = (
        'class Base(LuaTool):\n    description = "Search."\n    def execute(self, input): ...\n    input_schema = In\n'
    )
    source += 'class Leaf(Base):\n    name = "leaf"\n'
    assert judged(write_project({"agent.py": HEAD + source + agent("Leaf()")})) == []


@pytest.mark.parametrize(
    ("signature", "schema", "said"),
    [
        ("self, input", "", True),
        ("self, input: dict", "", True),
        ("self, input: dict[str, Any]", "", True),
        ("self, input: In", "", False),
        ("self, input: 'In'", "", False),
        ("self, input", "    input_schema = In\n", False),
        ("self, input", "    input_schema = {'type': 'object'}\n", False),
        ("self, input", "    input_schema = None\n", True),
    ],
)
def test_input_schemas(write_project: WriteProject, signature: str, schema: str, said: bool) -> None:
    source = "from typing import Any\n" + HEAD + 'class T(LuaTool):\n    name = "t"\n'
    source += '    description = "Tell all about the subject that the customer names."\n' + schema
    source += f"    def execute({signature}): ...\n"
    found = judged(write_project({"agent.py": source + agent("T()")}))
    assert [d.code for d in found] == (["lua/input-schema-missing"] if said else [])
