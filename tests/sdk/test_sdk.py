from __future__ import annotations

import pytest

from lua_cli import LuaAgent, LuaSkill, LuaTool, env


class Search(LuaTool[dict[str, str]]):
    name = "search"
    description = "Search the documents."

    async def execute(self, input: dict[str, str]) -> str:
        return input["query"]


class Named(Search):
    def __init__(self, name: object) -> None:
        self.name = name  # type: ignore[misc]


def test_a_leaf_inherits_everything() -> None:
    class Leaf(Search):
        name = "leaf"

    assert (Leaf().name, Leaf().description) == ("leaf", "Search the documents.")


def test_a_tool_without_execute_cannot_be_built() -> None:
    class Nothing(LuaTool[None]):
        name = "nothing"

    with pytest.raises(TypeError, match="abstract"):
        Nothing()  # type: ignore[abstract]


@pytest.mark.parametrize("name", ["a", "get_order-1", "A" * 64])
def test_valid_names(name: str) -> None:
    assert LuaSkill("s", tools=[Named(name)]).tools[0].name == name


@pytest.mark.parametrize("name", ["", "has space", "größe", "a.b", "name\n", "A" * 65, None, 42])
def test_invalid_names_are_refused_wherever_tools_are_given(name: object) -> None:
    skill = LuaSkill("s")
    for add in (
        lambda: LuaSkill("s", tools=[Named(name)]),
        lambda: skill.add_tool(Named(name)),
        lambda: skill.add_tools([Named(name)]),
    ):
        with pytest.raises(ValueError, match="Invalid tool name"):
            add()
    assert skill.tools == []


def test_skills_and_agents_hold_what_they_were_given() -> None:
    tool = Search()
    skill = LuaSkill(
        "orders", "d", {"base": "b", "voice": "v"}, [tool], instructions="orders.md", condition=lambda: True
    )
    assert skill.add_tool(Named("other")).add_tools([Named("third")]) is skill
    assert [t.name for t in skill.tools] == ["search", "other", "third"]
    agent = LuaAgent("acme", "p", [skill], model="anthropic/x", max_iterations=3, mcp_servers=["m"])
    assert (agent.name, agent.persona, agent.skills, agent.model) == ("acme", "p", [skill], "anthropic/x")
    assert (agent.max_iterations, agent.mcp_servers) == (3, ("m",))
    assert repr(agent) == "LuaAgent('acme', skills=['orders'])"
    assert repr(skill) == "LuaSkill('orders', tools=[Search(), Named(), Named()])"


def test_the_tools_of_two_skills_are_apart() -> None:
    shared = [Search()]
    first, second = LuaSkill("a", tools=shared), LuaSkill("b", tools=shared)
    first.add_tool(Named("more"))
    assert len(second.tools) == 1 and len(shared) == 1


def test_env(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "k")
    monkeypatch.delenv("ACME_NONE", raising=False)
    assert env("ACME_KEY") == "k"
    assert env("ACME_NONE", "fallback") == "fallback"
    with pytest.raises(KeyError, match="ACME_NONE is not set"):
        env("ACME_NONE")
