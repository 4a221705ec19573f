"""What is registered on skills and agents: calls, classes, duplicates, contexts."""

from __future__ import annotations

import pytest

from tests.rules.projects import HEAD, WriteProject, agent, judged, lines, tool

CONSTRUCTOR = '    def __init__(self, path="/d", /, *, region="eu", **kw): self.path, self.region = path, region\n'


def test_every_call_with_arguments_is_reported_once(write_project: WriteProject) -> None:
    source = HEAD + "ARGS = []\nCFG = {}\n"
    names = "ABCDEF"
    source += "".join(tool(name, body=CONSTRUCTOR) for name in names) + "Alias = E\n"
    calls = ['A("/acme")', 'B(region="us")', "C(*ARGS)", "D(**CFG)", 'Alias("/x")', "F()"]
    root = write_project({"agent.py": source + agent(*calls)})
    found = judged(root)
    assert lines(root, found) == [f"constructor-args-dropped warning: {call}," for call in calls[:5]]
    assert found[0].message == 'A is instantiated once with no arguments: `"/acme"` is dropped'
    assert found[1].message == 'B is instantiated once with no arguments: `region="us"` is dropped'
    assert found[2].message == "C is instantiated once with no arguments: `*ARGS` is dropped"
    assert found[3].message == "D is instantiated once with no arguments: `**CFG` is dropped"
    assert "subclass A, override" in (found[0].help or "")


def test_an_instance_in_a_variable_is_reported_at_its_call(write_project: WriteProject) -> None:
    source = HEAD + tool("A", body=CONSTRUCTOR) + 'made = A("/acme")\n' + agent("made")
    root = write_project({"agent.py": source})
    assert lines(root, judged(root)) == ['constructor-args-dropped warning: A("/acme")']


def test_a_dropped_name_is_an_error(write_project: WriteProject) -> None:
    source = HEAD + "import dataclasses\n@dataclasses.dataclass\n"
    source += (
        'class A(LuaTool):\n    name: str = "leaf"\n    description = "Tell all about leaves when the customer asks."\n'
        "    def execute(self, input: In): ...\n"
    )
    root = write_project({"agent.py": source + agent('A(name="other")')})
    (found,) = judged(root)
    assert (found.code, found.severity, found.fix) == ("lua/constructor-args-dropped", "error", None)
    assert found.message.endswith('as written the tool would be called "other", the compiled one "leaf"')


def test_a_required_parameter_is_an_error_of_its_own(write_project: WriteProject) -> None:
    source = HEAD + tool("A", body="    def __init__(self, path): self.path = path\n")
    root = write_project({"agent.py": source + agent('A("/x")')})
    assert lines(root, judged(root)) == [
        'constructor-args-dropped warning: A("/x"),',
        'constructor-args-required error: A("/x"),',
    ]


@pytest.mark.parametrize(
    ("element", "message", "help_part"),
    [
        ("A", "A is the class, not a tool", "write `A()`"),
        ('"search"', '`"search"` is a str, not a tool', "inherit `LuaTool`"),
        ("print", "`print` is not a tool", "inherit `LuaTool`"),
        ("Plain()", "Plain is not a tool: it does not inherit LuaTool", "write `class Plain(LuaTool)`"),
        ("Looks()", "Looks has the members of a tool but does not inherit LuaTool", "write `class Looks(LuaTool)`"),
    ],
)
def test_what_is_no_tool(write_project: WriteProject, element: str, message: str, help_part: str) -> None:
    source = HEAD + tool("A") + "class Plain: ...\n" + tool("Looks", base="object")
    root = write_project({"agent.py": source + agent(element)})
    found = [d for d in judged(root) if d.code != "lua/unused-tool"]
    assert [(d.code, d.severity) for d in found] == [("lua/not-a-tool", "error")]
    assert found[0].message == message
    assert help_part in (found[0].help or "")


def test_a_mixin_after_the_base_that_asks_for_it(write_project: WriteProject) -> None:
    source = (
        HEAD
        + "from abc import ABC, abstractmethod\n"
        + "class Needs(LuaTool, ABC):\n    @abstractmethod\n    def fetch(self): ...\n\n"
        + "class Http:\n    def fetch(self): return 1\n\n"
        + tool("T", base="Http, Needs")
        + tool("Wrong", base="Needs, Http")
    )
    root = write_project({"agent.py": source + agent("T()", "Wrong()")})
    found = judged(root)
    assert lines(root, found) == ["abstract-tool error: Wrong(),"]
    assert found[0].message == "Wrong cannot be built: `fetch` is not implemented (Needs asks for it)"
    assert found[0].help == "Http has `fetch` but stands after Needs: put it first in the bases"


def test_duplicates_of_two_classes_name_both_places(write_project: WriteProject) -> None:
    files = {
        "a.py": HEAD + tool("A", "'dup'"),
        "b.py": HEAD + tool("B", "'dup'"),
        "agent.py": "from lua_cli import LuaAgent, LuaSkill\nfrom a import A\nfrom b import B\n"
        'one = LuaSkill(name="one", context="c", tools=[A()])\n'
        'two = LuaSkill(name="two", context="c", tools=[B()])\n'
        'agent = LuaAgent(name="a", persona="p", skills=[one, two])\n',
    }
    root = write_project(files)
    (found,) = judged(root)
    assert (found.code, found.message) == ("lua/duplicate-tool", "A and B are both called `dup`")
    assert [related.place.path for related in found.related] == ["a.py", "b.py"]


def test_a_forgotten_override_says_so(write_project: WriteProject) -> None:
    source = (
        HEAD + tool("Base") + 'class Leaf(Base):\n    description = "Tell something else than Base does, really."\n'
    )
    root = write_project({"agent.py": source + agent("Base()", "Leaf()")})
    (found,) = judged(root)
    assert found.message == "Base and Leaf are both called `base`; Leaf inherits its name from Base"
    assert found.help == "give Leaf a `name` of its own"


def test_one_class_in_two_skills_is_one_tool(write_project: WriteProject) -> None:
    source = HEAD + tool("A") + 'one = LuaSkill(name="one", context="c", tools=[A()])\n'
    source += 'two = LuaSkill(name="two", context="c", tools=[A()])\n'
    source += 'agent = LuaAgent(name="a", persona="p", skills=[one, two])\n'
    assert judged(write_project({"agent.py": source})) == []


def test_one_class_twice_in_one_skill_is_an_error(write_project: WriteProject) -> None:
    root = write_project({"agent.py": HEAD + tool("A") + agent("A()", "A()")})
    (found,) = judged(root)
    assert (found.code, found.message) == ("lua/duplicate-tool", "the skill `s` has A (`a`) twice")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('name="s"', "the skill `s` has no context"),
        ('name="s", context="  "', "the skill `s` has an empty context"),
        ('name="s", context={}', "the skill `s` has a context with none of base, voice and text"),
        ('name="s", context={"voice": ""}', "the skill `s` has a context with none of base, voice and text"),
        (
            'name="s", context={"base": "b", "vioce": "v"}',
            "the skill `s` has a context with the unknown channel `vioce`",
        ),
        ('name="s", context=3', "the skill `s` has a context that is neither a string nor a dict but int"),
        ('name="s", context="c"', None),
        ('name="s", context={"text": "t"}', None),
        ('name="s", instructions="s.md"', None),
        ('"s", "d", "c"', None),
        ('name="", context="c"', "the skill's name is empty"),
        ('name=3, context="c"', "the skill's name must be a string, got int"),
        ('context="c"', "the skill has no name"),
    ],
)
def test_skills(write_project: WriteProject, arguments: str, message: str | None) -> None:
    source = HEAD + f"s = LuaSkill({arguments})\n" + 'agent = LuaAgent(name="a", persona="p", skills=[s])\n'
    found = judged(write_project({"agent.py": source}))
    assert [d.message.partition(" (there")[0] for d in found] == ([message] if message else [])


def test_skills_of_one_name(write_project: WriteProject) -> None:
    source = HEAD + 'a = LuaSkill(name="s", context="c")\nb = LuaSkill(name="s", context="c")\n'
    source += 'agent = LuaAgent(name="a", persona="p", skills=[a, b])\n'
    assert [d.code for d in judged(write_project({"agent.py": source}))] == ["lua/duplicate-skill"]
    source = HEAD + 'a = LuaSkill(name="s", context="c")\nagent = LuaAgent(name="a", persona="p", skills=[a, a])\n'
    assert [d.message for d in judged(write_project({"agent.py": source}))] == ["the agent has the skill `s` twice"]


def test_agents(write_project: WriteProject) -> None:
    none = judged(write_project({"agent.py": "x = 1\n"}))
    assert [(d.code, d.message) for d in none] == [("lua/agent-missing", "agent.py binds no LuaAgent")]
    two = HEAD + 'one = LuaAgent(name="a")\ntwo = LuaAgent(name="b")\n'
    (found,) = judged(write_project({"agent.py": two}))
    assert (found.code, found.message) == (
        "lua/multiple-agents",
        "the entry binds more than one agent: `one` and `two`",
    )


def test_a_bare_abc_base_is_no_tool_of_the_project(write_project: WriteProject) -> None:
    source = HEAD + "from abc import ABC\n" + tool("Api", base="LuaTool, ABC")
    source += 'class Orders(Api):\n    name = "orders"\n    description = "List the orders of a customer on request."\n'
    assert judged(write_project({"agent.py": source + agent("Orders()")})) == []
