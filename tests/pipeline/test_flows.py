"""Agents of flows compile, run out of their artifacts, are pushed and talked with as agents in Python are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lua_cli.bundle import open_artifact
from lua_cli.errors import LuaError
from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

SHOP = """\
service: {name: shop}
env: [{name: SHOP, default: acme}, {name: API_KEY, required: true}]
resources: {templates: [{resource: docs/refunds.md, as: refunds}]}
flows:
  - name: support
    process:
      - {type: set-variable, settings: {name: asked, value: body.message}}
      - type: ai-agent
        name: shop-assistant
        prompt: 'You help at {{ env.SHOP }}. {{ has(vars.user) ? "You talk with " + vars.user.id + "." : "" }}'
        answer: text
        tools:
          - name: lookup_order
            description: Look up one order by its id.
            inputSchema: '{"type": "object", "required": ["orderId"], "properties": {"orderId": {"type": "string"}}}'
            process:
              - {type: log, settings: {message: '"key " + env.API_KEY'}}
              - {type: flow-ref, settings: {flow: lookup-order}}
          - name: remember
            description: Remember one fact that the customer told.
            process:
              - {type: set-variable, settings: {name: fact, value: body.fact}}
        skills:
          - {name: refunds, description: How refunds work., resource: refunds}
"""
LOOKUP = """\
flows:
  - name: lookup-order
    process:
      - type: if
        condition: body.orderId == "none"
        then: [{type: fail, settings: {message: '"no such order, " + env.API_KEY'}}]
      - {type: set-payload, settings: {value: '{"orderId": body.orderId, "days": 14}'}}
"""
OTHER = "flows: [{name: other, process: [{type: log}]}]\n"
FILES = {
    "flows/shop.yaml": SHOP,
    "flows/lookup.yaml": LOOKUP,
    "flows/other.yaml": OTHER,
    "flows/docs/refunds.md": "Asked: {{ vars.asked }}. Fact: {{ has(vars.fact) ? vars.fact : 'none' }}.\n",
    ".env": "API_KEY=sk-very-secret-1\n",
}
TOOL = """\
from pydantic import BaseModel

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Query(BaseModel):
    text: str


class Shout(LuaTool[Query]):
    name = "shout"
    description = "Say a text louder than it was. Use when the customer cannot hear."
    input_schema = Query

    def execute(self, input: Query) -> str:
        print("louder:", input.text)
        return input.text.upper()


voices = LuaSkill(name="voices", context="Help with voices.", tools=[Shout()])
agent = LuaAgent(name="acme", skills=[voices])
"""
CALLS = """\
flows:
  - name: loud
    process:
      - type: ai-agent
        name: loud-assistant
        prompt: Be loud.
        tools:
          - name: be_loud
            description: Say a text as loud as the customer asks.
            process:
              - {type: lua-tool, settings: {tool: shout, input: '{"text": body.text}'}}
              - {type: set-payload, settings: {value: '{"said": body}'}}
"""


def compiled(lua: Lua, root: Path) -> dict[str, Any]:
    done = lua("compile", "--json", cwd=root)
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    return document


def test_an_agent_of_flows_is_one_skill(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    document = compiled(lua, root)
    assert (document["ok"], document["diagnostics"], document["entry"]) == (True, [], "flows")
    assert document["agents"] == [{"name": "shop-assistant", "path": "flows/shop.yaml", "line": 9, "flow": "support"}]
    (skill,) = document["skills"]
    assert (skill["name"], skill["tools"]) == ("shop-assistant", ["lookup_order", "remember"])
    assert [(tool["name"], tool["class"], tool["flow"], tool["line"]) for tool in document["tools"]] == [
        ("lookup_order", None, "support.shop-assistant[lookup_order]", 13),
        ("remember", None, "support.shop-assistant[remember]", 19),
    ]
    opened = open_artifact(root / skill["artifact"])
    assert list(opened.files) == ["flows/docs/refunds.md", "flows/lookup.yaml", "flows/shop.yaml"]
    assert opened.manifest["flow"] == {"block": "support.shop-assistant", "flow": "support", "python": []}
    assert opened.manifest["env"] == ["API_KEY", "SHOP"]
    assert opened.manifest["envReads"] == [
        {"name": "API_KEY", "optional": False, "place": "flows/shop.yaml:2"},
        {"name": "SHOP", "optional": True, "place": "flows/shop.yaml:2"},
    ]
    assert b"sk-very-secret" not in opened.content


def test_an_edited_file_is_compiled_again(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    seen = [compiled(lua, root)["skills"][0]["digest"]]
    assert compiled(lua, root)["skills"][0]["digest"] == seen[0]
    for name, text in (
        ("flows/docs/refunds.md", "Other words.\n"),
        ("flows/lookup.yaml", LOOKUP.replace("14", "15")),
        ("flows/shop.yaml", SHOP.replace("You help", "You serve")),
    ):
        (root / name).write_text(text)
        seen.append(compiled(lua, root)["skills"][0]["digest"])
    assert len(set(seen)) == 4
    (root / "flows" / "more.yaml").write_text("flows: [{name: lookup-order, process: [{type: log}]}]")
    assert [found["code"] for found in compiled(lua, root)["diagnostics"]] == ["lua/flow-duplicate-name"]


def test_a_file_that_the_agent_does_not_need_changes_nothing(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    before = compiled(lua, root)["skills"][0]["digest"]
    (root / "flows" / "other.yaml").write_text(OTHER.replace("other", "unlike"))
    assert compiled(lua, root)["skills"][0]["digest"] == before


def test_the_same_files_give_the_same_artifact(lua: Lua, write_project: WriteProject) -> None:
    crlf = {
        name: text.replace("\n", "\r\n") if name.endswith((".yaml", ".md")) else text for name, text in FILES.items()
    }
    roots = [write_project(FILES), write_project(FILES)]
    for name, text in crlf.items():
        (roots[1] / name).write_bytes(text.encode())
    one, other = (compiled(lua, root)["skills"][0]["digest"] for root in roots)
    assert one == other


def test_a_tool_runs_out_of_the_artifact(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    done = lua("test", "--ci", "skill", "--name", "lookup_order", "--input", '{"orderId": "A-1"}', "--json", cwd=root)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["output"]) == (0, {"days": 14, "orderId": "A-1"})
    assert document["logs"] == "info: key ***\n"
    done = lua("test", "--ci", "skill", "--name", "lookup_order", "--input", '{"orderId": 1}', "--json", cwd=root)
    assert (done.exit_code, json.loads(done.stdout)["error"]["type"]) == (2, "input-invalid")
    done = lua("test", "--ci", "skill", "--name", "lookup_order", "--input", '{"orderId": "none"}', "--json", cwd=root)
    error = json.loads(done.stdout)["error"]
    hint = "the block is lookup-order.if[then].fail"
    assert (done.exit_code, error) == (1, {"type": "tool-error", "message": "no such order, ***", "hint": hint})


def test_an_artifact_is_pushed_and_deployed(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    pushed = lua("push", "all", "--ci", "--force", "--json", cwd=root)
    assert pushed.exit_code == 0, pushed.stdout + pushed.stderr
    deployed = lua(
        "deploy", "skill", "--name", "shop-assistant", "--set-version", "latest", "--ci", "--force", cwd=root
    )
    assert deployed.exit_code == 0, deployed.stdout + deployed.stderr


def test_chat_plays_the_agent(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    (root / "user.json").write_text('{"id": "ada", "data": {}}')
    script = [
        {"toolCalls": [{"name": "remember", "arguments": {"fact": "likes tea"}}]},
        {"toolCalls": [{"name": "load_skill", "arguments": {"name": "refunds"}}]},
        {"text": "Done."},
        {"toolCalls": [{"name": "load_skill", "arguments": {"name": "refunds"}}]},
        {"text": "Again."},
    ]
    (root / "script.json").write_text(json.dumps(script))
    command = ("chat", "--ci", "--agent", "shop-assistant", "--model", "scripted:script.json", "--user", "user.json")
    done = lua(*command, "-m", "hello", "-m", "once more", "--json", cwd=root)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["ok"], document["answer"]) == (0, True, "Again.")
    prompts = [entry["system"] for entry in document["transcript"] if entry["type"] == "prompt"]
    assert prompts[0].startswith("You help at acme. You talk with ada.\n")
    loaded = [
        entry["result"] for entry in document["transcript"] if entry["type"] == "tool" and entry["name"] == "load_skill"
    ]
    assert loaded == ["Asked: hello. Fact: likes tea.\n", "Asked: once more. Fact: likes tea.\n"]


def test_the_prompt_has_the_guardrail_and_of_documents_the_names_alone(lua: Lua, write_project: WriteProject) -> None:
    guarded = SHOP.replace("        answer: text\n", "        guardrail: 'Refuse what is not about {{ env.SHOP }}.'\n")
    root = write_project({**FILES, "flows/shop.yaml": guarded})
    document = json.loads(lua("prompt", "--agent", "shop-assistant", "--json", cwd=root).stdout)
    text = document["system"]
    assert text.startswith(
        "You help at acme.\n\nRefuse what is not about acme.\n\nAnswer with JSON alone: no words around it."
    )
    assert "refunds" in text
    assert "How refunds work." in text
    assert "Asked:" not in text
    loads = next(tool for tool in document["tools"] if tool["name"] == "load_skill")
    assert loads["inputSchema"]["properties"]["name"]["enum"] == ["refunds"]


def test_the_default_path_answers_for_a_model_that_refuses(lua: Lua, write_project: WriteProject) -> None:
    default = '        default: [{type: set-payload, settings: {value: \'{"answer": "a person will help"}\'}}]\n'
    root = write_project({**FILES, "flows/shop.yaml": SHOP + default, "script.json": '[{"refusal": true}]'})
    done = lua("chat", "--ci", "--model", "scripted:script.json", "-m", "hello", cwd=root)
    assert (done.exit_code, done.stdout) == (0, '{"answer":"a person will help"}\n')
    root = write_project({**FILES, "script.json": '[{"refusal": true}]'})
    assert lua("chat", "--ci", "--model", "scripted:script.json", "-m", "hello", cwd=root).exit_code == 12


def test_flows_stand_beside_python(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"agent.py": TOOL, "flows/loud.yaml": CALLS})
    document = compiled(lua, root)
    assert document["diagnostics"] == []
    assert [(skill["name"], skill["tools"]) for skill in document["skills"]] == [
        ("voices", ["shout"]),
        ("loud-assistant", ["be_loud"]),
    ]
    opened = open_artifact(root / document["skills"][1]["artifact"])
    assert list(opened.files) == ["agent.py", "flows/loud.yaml"]
    assert opened.manifest["flow"]["python"] == [{"tool": "shout", "module": "agent", "qualname": "Shout"}]
    done = lua("test", "--ci", "skill", "--name", "be_loud", "--input", '{"text": "hi"}', cwd=root)
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"said": "HI"}), done.stderr
    assert "info: shout: louder: hi" in done.stderr
    invoked = "flows: [{name: direct, process: [{type: lua-tool, settings: {tool: shout}}]}]\n"
    (root / "flows" / "direct.yaml").write_text(invoked)
    done = lua("flow", "invoke", "direct", "--data", '{"text": "hi"}', cwd=root)
    assert (done.exit_code, done.stdout, done.stderr.splitlines()[-1]) == (0, "HI\n", "info: shout: louder: hi")
    done = lua("test", "--ci", "skill", "--name", "be_loud", "--input", '{"text": 5}', "--json", cwd=root)
    assert json.loads(done.stdout)["error"]["message"].startswith("shout: ")


@pytest.mark.parametrize(
    ("flows", "message"),
    [
        (CALLS.replace("tool: shout", "tool: shoot"), "no registered skill has a Python tool `shoot`"),
        (CALLS.replace("loud-assistant", "voices"), "the agent and a skill in Python are both called `voices`"),
    ],
)
def test_what_does_not_go_with_python_is_said(lua: Lua, write_project: WriteProject, flows: str, message: str) -> None:
    document = compiled(lua, write_project({"agent.py": TOOL, "flows/loud.yaml": flows}))
    assert [found["message"] for found in document["diagnostics"]] == [message]


def test_a_warning_is_silenced_in_its_line(lua: Lua, write_project: WriteProject) -> None:
    body = {**FILES, "flows/docs/refunds.md": "{{ body.a }}"}
    found = compiled(lua, write_project(body))["diagnostics"]
    assert [(each["code"], each["severity"], each["path"], each["line"]) for each in found] == [
        ("lua/flow-document-body", "warning", "flows/shop.yaml", 24)
    ]
    quiet = SHOP.replace("resource: refunds}", "resource: refunds} # lua: ignore[flow-document-body]")
    assert compiled(lua, write_project({**body, "flows/shop.yaml": quiet}))["diagnostics"] == []


def test_every_format_shows_a_finding_of_a_flow(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"flows/a.yaml": "flows:\n  - name: f\n    process: [{type: lgo}]\n"})
    done = lua("compile", "--check", cwd=root)
    assert done.exit_code == 1
    assert "    process: [{type: lgo}]" in done.stdout
    assert "there is no block `lgo`" in done.stdout
    assert "did you mean `log`?" in done.stdout
    for name in ("concise", "github", "sarif", "json"):
        shown = lua("compile", "--check", "--format", name, cwd=root)
        assert (shown.exit_code, "flow-unknown-key" in shown.stdout) == (1, True), name


def test_the_folder_of_the_flows_is_a_setting(lua: Lua, write_project: WriteProject) -> None:
    files = {f"agents/{name.removeprefix('flows/')}": text for name, text in FILES.items() if name != ".env"}
    root = write_project({**files, ".env": FILES[".env"], "pyproject.toml": '[tool.lua]\nflows = "agents"\n'})
    assert [skill["name"] for skill in compiled(lua, root)["skills"]] == ["shop-assistant"]
    (root / "pyproject.toml").write_text('[tool.lua]\nflows = "nowhere"\n')
    done = lua("compile", cwd=root)
    assert (done.exit_code, "the folder of flows 'nowhere' does not exist" in done.stderr) == (3, True)


def test_an_artifact_whose_flows_are_not_its_manifests_is_refused(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"agent.py": TOOL, "flows/loud.yaml": CALLS})
    opened = open_artifact(root / compiled(lua, root)["skills"][1]["artifact"])
    from lua_cli.bundle.archive import write_archive
    from lua_cli.bundle.canonical import manifest_bytes

    manifest = dict(opened.manifest)
    manifest.pop("flow")
    members = [("manifest.json", manifest_bytes(manifest)), *opened.files.items()]
    with pytest.raises(LuaError, match="the tool 'be_loud' is neither a class nor a chain"):
        open_artifact(write_archive(members))


def test_a_chain_is_tried_with_drawn_inputs(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FILES)
    done = lua("fuzz", "lookup_order", "--examples", "5", "--ci", cwd=root)
    assert done.exit_code == 0, done.stdout + done.stderr
    failing = SHOP.replace(
        "- {type: flow-ref, settings: {flow: lookup-order}}", "- {type: fail, settings: {message: '\"no\"'}}"
    )
    (root / "flows" / "shop.yaml").write_text(failing)
    done = lua("fuzz", "lookup_order", "--examples", "5", "--strict", "--ci", cwd=root)
    assert (done.exit_code, "tool-error: no" in done.stdout + done.stderr) == (1, True)


def test_two_agents_with_a_tool_of_one_name_must_be_told_apart(lua: Lua, write_project: WriteProject) -> None:
    other = SHOP[SHOP.index("flows:") :].replace("support", "desk").replace("shop-assistant", "desk-assistant")
    root = write_project({**FILES, "flows/desk.yaml": other})
    done = lua("test", "--ci", "skill", "--name", "remember", "--input", "{}", cwd=root)
    assert (done.exit_code, "choose with --skill" in done.stderr) == (2, True)
    chosen = ("--skill", "desk-assistant", "--input", '{"fact": 1}')
    assert lua("test", "--ci", "skill", "--name", "remember", *chosen, cwd=root).stdout == '{\n  "fact": 1\n}\n'
