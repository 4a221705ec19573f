"""`FlowTool(…)` in a skill in Python: one life, from the check to the conversation."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.commands.test_mcp import Wire
from tests.conftest import Result

Lua = Callable[..., Result]
Write = Callable[[Mapping[str, str]], Path]

AGENT = """\
from lua_cli import FlowTool, LuaAgent, LuaSkill
from tools import Forecast

CITY = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string", "minLength": 1}}}
weather = FlowTool(
    flow="get-current-weather",
    name="get_weather",
    description="Look up the weather in one city. Use when the customer asks about delays.",
    input_schema=CITY,
)
travel = LuaSkill(name="travel", context="Use get_weather before you promise a day.", tools=[weather, Forecast()])
agent = LuaAgent(name="guide", persona="You help travellers.", skills=[travel])
"""
TOOLS = """\
from pathlib import Path

from lua_cli import LuaTool

RATES = Path(__file__).parent / "rates.yaml"


class Forecast(LuaTool):
    name = "get_forecast"
    description = "Look up the weather of tomorrow in one city. Use when the customer plans a trip."
    input_schema = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}

    def execute(self, input):
        if input["city"] == "Nowhere":
            raise ValueError("no such city")
        return {"tomorrow": "rain", "rates": RATES.read_text("utf-8").strip()}
"""
FLOWS = """\
service: {name: travel}
env: [{name: UNIT, default: C}]
resources: {templates: [{resource: note.md, as: note}]}
flows:
  - name: get-current-weather
    process:
      - {type: set-variable, settings: {name: city, value: body.city}}
      - {type: log, settings: {message: '"asked for " + vars.city'}}
      - {type: lua-tool, settings: {tool: get_forecast}}
      - {type: template-resource, settings: {resource: note, as: note}}
      - type: set-payload
        settings: {value: '{"city": vars.city, "unit": env.UNIT, "tomorrow": body.tomorrow, "note": vars.note}'}
    error:
      - {type: set-payload, settings: {value: '{"ok": false, "error": vars.error.message}'}}
  - name: listening
    source: {type: http}
    process: [{type: log}]
"""
PROJECT = {
    "agent.py": AGENT, "tools.py": TOOLS, "rates.yaml": "not: [flows]\n", "flows/travel.yaml": FLOWS,
    "flows/note.md": "Pack for {{ body.tomorrow }}.",
}  # fmt: skip
ROME = {"city": "Rome", "unit": "C", "tomorrow": "rain", "note": "Pack for rain."}


@pytest.fixture
def root(write_project: Write) -> Path:
    return write_project(PROJECT)


def without(project: Mapping[str, str], **changes: str) -> dict[str, str]:
    """The project with parts of agent.py replaced: `get_weather="x"` puts x for get_weather."""
    agent = project["agent.py"]
    for old, new in changes.items():
        assert old in agent
        agent = agent.replace(old, new)
    return {**project, "agent.py": agent}


def test_compile_lists_it_as_a_tool_that_a_flow_answers(lua: Lua, root: Path) -> None:
    for arguments in ((), ("--check",)):
        done = lua("compile", *arguments, "--format", "json", cwd=root)
        document = json.loads(done.stdout)
        assert (done.exit_code, document["diagnostics"]) == (0, [])
        assert document["tools"][0] == {
            "name": "get_weather", "class": None, "flow": "get-current-weather", "path": "agent.py", "line": 5,
            "description": "Look up the weather in one city. Use when the customer asks about delays.",
            "inputSchema": {"type": "object", "required": ["city"],
                            "properties": {"city": {"type": "string", "minLength": 1}}},
            "hasCondition": False, "skills": ["travel"],
        }  # fmt: skip
        assert document["skills"][0]["tools"] == ["get_weather", "get_forecast"]
        assert [one["class"] for one in document["classes"]] == ["tools.Forecast"]


def test_the_artifact_holds_the_flows_and_what_they_call(lua: Lua, write_project: Write) -> None:
    root = write_project(without(PROJECT, **{", Forecast()": ""}) | {"other.py": "x = 1\n"})
    agent = (root / "agent.py").read_text()
    (root / "agent.py").write_text(
        agent.replace("skills=[travel]", "skills=[travel, more]").replace(
            "agent = ", 'more = LuaSkill(name="more", context="Forecasts.", tools=[Forecast()])\nagent = '
        )
    )
    assert lua("compile", cwd=root).exit_code == 0
    archive = zipfile.ZipFile(root / ".lua/artifacts/travel.luapkg")
    manifest = json.loads(archive.read("manifest.json"))
    assert {entry["path"]: entry["kind"] for entry in manifest["files"]} == {
        "flows/note.md": "document", "flows/travel.yaml": "flow", "rates.yaml": "data", "tools.py": "module",
    }  # fmt: skip
    assert manifest["flows"] == {"python": [{"tool": "get_forecast", "module": "tools", "qualname": "Forecast"}]}
    assert "flow" not in manifest
    assert manifest["env"] == ["UNIT"]
    tool = manifest["tools"][0]
    assert (tool["flow"], tool["module"], tool["qualname"]) == ("get-current-weather", None, None)
    shown = lua("compile", "--explain-bundle", cwd=root).stdout
    assert "flows/travel.yaml" in shown
    assert "holds the flow" in shown


def test_lua_test_runs_it_out_of_the_artifact(lua: Lua, root: Path) -> None:
    def run(value: Any, *more: str) -> tuple[int, dict[str, Any]]:
        done = lua("test", "skill", "--name", "get_weather", "--input", json.dumps(value), "--json", *more, cwd=root)
        return done.exit_code, json.loads(done.stdout)

    code, answer = run({"city": "Rome"})
    assert (code, answer["output"], answer["logs"]) == (0, ROME, "info: asked for Rome\n")
    (root / "other.env").write_text("UNIT=F\n")
    assert run({"city": "Rome"}, "--env-file", "other.env")[1]["output"]["unit"] == "F"
    assert run({"city": "Nowhere"})[1]["output"] == {"ok": False, "error": "get_forecast: ValueError: no such city"}
    code, answer = run({"city": ""})
    assert (code, answer["error"]["type"], answer["error"]["path"]) == (2, "input-invalid", "/city")


def test_a_failure_that_no_error_chain_answers_is_the_tools(lua: Lua, write_project: Write) -> None:
    flows = FLOWS.replace(
        '    error:\n      - {type: set-payload, settings: {value: \'{"ok": false, "error": vars.error.message}\'}}\n',
        "",
    )
    root = write_project(PROJECT | {"flows/travel.yaml": flows})
    done = lua("test", "skill", "--name", "get_weather", "--input", '{"city": "Nowhere"}', "--json", cwd=root)
    error = json.loads(done.stdout)["error"]
    assert (done.exit_code, error["type"], error["message"]) == (
        1,
        "tool-error",
        "get_forecast: ValueError: no such city",
    )


def test_cases_name_it_as_any_tool(lua: Lua, write_project: Write) -> None:
    cases = """\
cases:
  - {name: Rome, tool: get_weather, input: {city: Rome}, expect: {matches: {/unit: {equals: C}, /tomorrow: {equals: rain}}}}
  - {name: nowhere, tool: get_weather, input: {}, expect: {error: {type: input-invalid}}}
"""
    root = write_project(PROJECT | {"tests/weather.test.yaml": cases})
    done = lua("test", "--ci", cwd=root)
    assert done.exit_code == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout + done.stderr


def test_a_conversation_calls_it(lua: Lua, root: Path) -> None:
    turns = [
        {"toolCalls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]},
        {"toolCalls": [{"name": "get_weather", "arguments": {"town": "Rome"}}]},
        {"toolCalls": [{"name": "get_forecast", "arguments": {"city": "Nowhere"}}]},
        {"text": "Take a coat."},
    ]
    (root / "script.json").write_text(json.dumps(turns))
    done = lua("chat", "--ci", "--agent", "guide", "--model", "scripted:script.json", "-m", "Rome?", "--json", cwd=root)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["answer"]) == (0, "Take a coat.")
    called = [entry for entry in document["transcript"] if entry["type"] == "tool"]
    assert called[0]["result"] == ROME
    assert called[1]["error"]["type"] == "input-invalid"
    assert called[2]["error"]["message"] == "ValueError: no such city"
    seen = json.loads(lua("prompt", "--json", cwd=root).stdout)
    assert [tool["name"] for tool in seen["tools"]] == ["get_weather", "get_forecast"]


def test_the_end_user_is_in_the_variables(lua: Lua, write_project: Write) -> None:
    flows = (
        "flows:\n  - name: get-current-weather\n    process: [{type: set-payload, settings: {value: vars.user.id}}]\n"
    )
    root = write_project(PROJECT | {"flows/travel.yaml": flows})
    (root / "ada.json").write_text('{"id": "ada", "data": {}}')
    done = lua(
        "test", "skill", "--name", "get_weather", "--input", '{"city": "x"}', "--user", "ada.json", "--json", cwd=root
    )
    assert json.loads(done.stdout)["output"] == "ada"


def test_lua_mcp_serves_it(root: Path) -> None:
    wire = Wire(root)
    try:
        assert [tool["name"] for tool in wire.ask("tools/list")["result"]["tools"]] == ["get_weather", "get_forecast"]
        result = wire.ask("tools/call", name="get_weather", arguments={"city": "Rome"})["result"]
        assert (result["isError"], result["structuredContent"]) == (False, ROME)
    finally:
        assert wire.end()[0] == 0


def test_a_version_is_pushed_compared_and_pulled(lua: Lua, root: Path, tmp_path: Path) -> None:
    assert lua("push", "skill", "--name", "travel", "--ci", "--force", cwd=root).exit_code == 0
    agent = (root / "agent.py").read_text()
    (root / "agent.py").write_text(agent.replace('"required": ["city"]', '"required": ["city", "day"]'))
    done = lua("skills", "diff", "travel", cwd=root)
    assert "get_weather" in done.stdout, done.stderr
    assert "! /day is required now" in done.stdout
    done = lua("skills", "pull", "travel@latest", "--output", str(tmp_path / "pulled.luapkg"), cwd=root)
    assert done.exit_code == 0, done.stderr
    assert zipfile.ZipFile(tmp_path / "pulled.luapkg").read("flows/travel.yaml").decode() == FLOWS


def test_lua_explain_says_what_runs(lua: Lua, root: Path) -> None:
    done = lua("explain", "get_weather", cwd=root)
    assert done.exit_code == 0
    assert done.stdout.startswith(
        "get_weather (agent.FlowTool(get_weather))\n  is a tool that a flow answers: 'get-current-weather'\n"
        "  in the skill travel, at agent.py:11\n"
    )
    assert "  get-current-weather.lua-tool" in done.stdout
    assert "  get-current-weather[error].set-payload" in done.stdout
    assert "flows/note.md      a template resource of its flows" in done.stdout


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({'flow="get-current-weather"': 'flow="get-curent-weather"'},
         'agent.py:6:10: error[lua/flow-reference] there is no flow `get-curent-weather`'),
        ({'flow="get-current-weather"': 'flow="listening"'},
         'agent.py:6:10: error[lua/flow-reference] the flow `listening` has a source and cannot be called'),
        ({'flow="get-current-weather"': "flow=open(CITY).read()"},
         "agent.py:6:10: error[lua/flow-reference] the flow of the tool `get_weather` is only known when the code runs: "
         "it is the result of calling `open`"),
        ({'flow="get-current-weather"': "flow=3"},
         "agent.py:6:10: error[lua/flow-reference] the flow of the tool `get_weather` must be a text"),
        ({"input_schema=CITY": 'input_schema={"type": "strin"}'},
         "agent.py:9:18: error[lua/flow-schema] the input schema of the tool `get_weather` is no JSON Schema of an object: "
         "a tool's arguments are an object, and `type` is 'strin'"),
        ({"input_schema=CITY": "input_schema=Forecast"},
         "agent.py:9:18: error[lua/flow-schema] the input schema of the tool `get_weather` must be a JSON Schema as a dict: "
         "no code of the project runs for a flow tool"),
        ({"input_schema=CITY": 'input_schema={"enum": {1}}'},
         "agent.py:9:18: error[lua/flow-schema] the input schema of the tool `get_weather` is no JSON Schema of an object: "
         "it holds what JSON cannot say"),
        ({"    input_schema=CITY,\n": ""},
         "agent.py:5:11: warning[lua/input-schema-missing] FlowTool(get_weather) does not say what its input is"),
        ({'name="get_weather"': 'name="get weather"'},
         "agent.py:7:10: error[lua/tool-name-invalid] the tool name 'get weather' of FlowTool(get weather) has U+0020"),
        ({'name="get_weather"': "name=open(CITY).read()"},
         "agent.py:7:10: error[lua/dynamic-attribute] FlowTool(get-current-weather).name is only known when the code runs: "
         "it is the result of calling `open`"),
        ({'name="get_weather"': 'name="get_forecast"'},
         "agent.py:11:103: error[lua/duplicate-tool] FlowTool(get_forecast) and Forecast are both called `get_forecast`"),
        ({'flow="get-current-weather"': 'flw="get-current-weather"'},
         "agent.py:6:5: error[lua/unknown-argument] FlowTool takes no argument `flw`"),
        ({'    flow="get-current-weather",\n': ""},
         "agent.py:10:94: error[lua/unresolved-primitive-ref] `weather` cannot be resolved: FlowTool is called without `flow`"),
        ({"weather = FlowTool(": "class Mine(FlowTool):\n    pass\nweather = Mine("},
         "agent.py:13:94: error[lua/unresolved-primitive-ref] `weather` cannot be resolved: Mine derives from FlowTool, "
         "which takes no subclasses: register FlowTool(…) itself"),
        ({'"Look up the weather in one city. Use when the customer asks about delays."': '"TODO"'},
         "agent.py:8:17: warning[lua/tool-description-vague] the description of FlowTool(get_weather) is a placeholder"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_place(
    lua: Lua, write_project: Write, change: dict[str, str], expected: str
) -> None:
    done = lua("compile", "--check", "--format", "concise", cwd=write_project(without(PROJECT, **change)))
    assert expected in done.stdout


def test_a_flow_tool_without_flows_and_a_block_that_calls_one(lua: Lua, write_project: Write) -> None:
    bare = {name: text for name, text in PROJECT.items() if not name.startswith("flows/")}
    done = lua("compile", "--check", "--format", "concise", cwd=write_project(bare))
    assert "agent.py:6:10: error[lua/flow-reference] there is no flow `get-current-weather`" in done.stdout
    flows = FLOWS.replace("tool: get_forecast", "tool: get_weather")
    done = lua("compile", "--check", cwd=write_project(PROJECT | {"flows/travel.yaml": flows}))
    assert "error[lua/flow-reference] the tool `get_weather` is a flow itself" in done.stdout
    assert "hint: call the flow: {type: flow-ref, settings: {flow: get-current-weather}}" in done.stdout


def test_one_tool_of_two_skills_is_one_and_two_of_one_name_are_told_apart(lua: Lua, write_project: Write) -> None:
    shared = AGENT.replace(
        "agent = ", 'more = LuaSkill(name="more", context="The weather.", tools=[weather])\nagent = '
    ).replace("[travel]", "[travel, more]")
    root = write_project(PROJECT | {"agent.py": shared})
    document = json.loads(lua("compile", "--format", "json", cwd=root).stdout)
    assert (document["ok"], document["diagnostics"]) == (True, [])
    assert [(tool["name"], tool["skills"]) for tool in document["tools"]] == [
        ("get_weather", ["travel", "more"]), ("get_forecast", ["travel"]),
    ]  # fmt: skip
    twice = shared.replace(
        "tools=[weather])",
        'tools=[FlowTool(flow="get-current-weather", name="get_weather", description="The weather now, in one city of the world.", input_schema=CITY)])',
    )
    done = lua("compile", "--check", "--format", "concise", cwd=write_project(PROJECT | {"agent.py": twice}))
    assert "error[lua/duplicate-tool] FlowTool(get_weather) and FlowTool(get_weather) (line 12" in done.stdout.replace(
        "agent.", ""
    )


def test_an_unchanged_project_is_answered_from_the_last_build_and_a_changed_flow_is_not(lua: Lua, root: Path) -> None:
    run = ("test", "skill", "--name", "get_weather", "--input", '{"city": "Rome"}', "--json")
    assert json.loads(lua(*run, cwd=root).stdout)["output"]["note"] == "Pack for rain."
    (root / "flows/note.md").write_text("Take {{ body.tomorrow }} gear.")
    assert json.loads(lua(*run, cwd=root).stdout)["output"]["note"] == "Take rain gear."
