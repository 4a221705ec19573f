"""docs/reference.md against the SDK: every name, field, method and signature, and nothing that is not there."""

from __future__ import annotations

import inspect
import re
from typing import Any, get_args

import pytest

import lua_cli
from lua_cli import ChannelText, FlowTool, LuaAgent, LuaSkill, LuaTool, ToolFlag, env
from lua_cli.errors import EXIT_BUG, EXIT_FINDINGS, EXIT_INTERRUPTED, EXIT_OK, LuaError
from lua_cli.project import settings
from tests.docs.blocks import REPOSITORY, prose

REFERENCE = prose(REPOSITORY / "docs/reference.md")
CONFIGURATION = prose(REPOSITORY / "docs/configuration.md")


def section(page: str, heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"no section {heading!r}"
    return found[1]


def rows(text: str) -> list[str]:
    """First cells of the tables: the code in them."""
    return re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)


def signature(called: Any, *, name: str) -> str:
    """The signature without annotations: `LuaSkill(name, description='', …)`."""
    bare = inspect.signature(called)
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in bare.parameters.values() if p.name != "self"]
    return name + str(bare.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def public(cls: type) -> list[str]:
    return [name for name, value in vars(cls).items() if not name.startswith("_") and inspect.isfunction(value)]


def test_every_name_has_its_section_and_no_other() -> None:
    listed = re.findall(r"^\| \[?`(\w+)`", REFERENCE[: REFERENCE.index("## ")], re.MULTILINE)
    assert sorted(listed) == sorted(lua_cli.__all__)
    headings = set(re.findall(r"^## (\w+)$", REFERENCE, re.MULTILINE))
    assert headings == set(lua_cli.__all__) - {"__version__"}


def test_the_fields_and_methods_of_a_tool() -> None:
    text = section(REFERENCE, "LuaTool")
    fields, rest = text.split("### Methods")
    assert rows(fields) == list(LuaTool.__annotations__)
    methods = rows(rest.split("### How")[0])
    assert methods == [signature(getattr(LuaTool, name), name=name) for name in public(LuaTool)]


@pytest.mark.parametrize("cls", [LuaSkill, LuaAgent])
def test_the_parameters_and_methods_of_skills_and_agents(cls: type) -> None:
    text = section(REFERENCE, cls.__name__)
    assert f"Signature: `{signature(cls, name=cls.__name__)}`" in text
    parameters = list(inspect.signature(cls).parameters)
    methods = [signature(getattr(cls, name), name=name) for name in public(cls)]
    assert rows(text) == parameters + methods
    made = cls("x", context="") if cls is LuaSkill else cls("x")
    assert sorted(vars(made)) == sorted(parameters), "each parameter is an attribute of the same name"


def test_the_parameters_of_a_flow_tool() -> None:
    text = section(REFERENCE, "FlowTool")
    assert f"Signature: `{signature(FlowTool, name='FlowTool')}`" in text
    assert rows(text) == list(inspect.signature(FlowTool).parameters)
    made = FlowTool(flow="f", name="t")
    assert sorted(vars(made)) == sorted(rows(text)), "each parameter is an attribute of the same name"
    with pytest.raises(RuntimeError, match="t is the flow f: run it with `lua test skill --name t`"):
        made.execute({})


def test_env_channel_texts_and_flags() -> None:
    assert f"Signature: `{signature(env, name='env')}`" in section(REFERENCE, "env")
    assert rows(section(REFERENCE, "ChannelText")) == list(ChannelText.__annotations__)
    assert sorted(rows(section(REFERENCE, "ToolFlag"))) == sorted(get_args(ToolFlag))


def test_the_errors_are_those_that_are_raised() -> None:
    class NoExecute(LuaTool[Any]):
        name = "x"

    class BadName(LuaTool[Any]):
        name = "no good"

        def execute(self, input: Any) -> None: ...

    with pytest.raises(TypeError, match="abstract"):
        NoExecute()  # type: ignore[abstract]
    for attempt in (lambda: LuaSkill("x", tools=[BadName()]), lambda: LuaSkill("x").add_tool(BadName())):
        with pytest.raises(ValueError, match=r"^Invalid tool name "):
            attempt()
    with pytest.raises(KeyError, match="LUA_TEST_NOT_SET is not set"):
        env("LUA_TEST_NOT_SET")


def test_the_keys_of_tool_lua() -> None:
    keys = rows(section(CONFIGURATION, "`[tool.lua]` in pyproject.toml"))
    assert sorted(keys) == sorted(settings._KEYS)


def test_the_environment_variables() -> None:
    """Every LUA_… variable that the sources read is on the page, and none besides."""
    documented = {name for name in rows(section(CONFIGURATION, "Environment variables")) if name.startswith("LUA_")}
    sources = "".join(p.read_text("utf-8") for p in sorted((REPOSITORY / "lua_cli").rglob("*.py")))
    assert documented == set(re.findall(r'"(LUA_[A-Z_]+)"', sources))


def test_the_exit_codes() -> None:
    def tree(cls: type[LuaError]) -> set[int]:
        return {cls.exit_code}.union(*(tree(sub) for sub in cls.__subclasses__()))

    listed = re.findall(r"^\| ([\d, ]+) \|", section(CONFIGURATION, "Exit codes"), re.MULTILINE)
    codes = {int(code) for cell in listed for code in cell.split(", ")}
    assert codes == tree(LuaError) | {EXIT_OK, EXIT_FINDINGS, EXIT_BUG, EXIT_INTERRUPTED}
