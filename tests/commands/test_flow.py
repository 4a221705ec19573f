"""`lua flow`: one expression, one flow; what it prints and how it exits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]


@pytest.mark.parametrize(
    ("expression", "data", "variables", "result"),
    [
        ('"hi " + body.name', '{"name": "Ada"}', "{}", "hi Ada"),
        ("body.n", '{"n": 5.0}', "{}", 5),
        ("-7 % 3", "{}", "{}", -1),
        ('{"b": vars.n, "a": [body]}', "null", '{"n": 2}', {"a": [None], "b": 2}),
    ],
)
def test_eval_prints_the_result(
    lua: Lua, tmp_path: Path, expression: str, data: str, variables: str, result: object
) -> None:
    done = lua("flow", "eval", expression, "--data", data, "--vars", variables, "--json", cwd=tmp_path)
    assert (done.exit_code, json.loads(done.stdout), done.stderr) == (0, {"ok": True, "result": result}, "")


def test_eval_prints_a_text_as_it_is_and_anything_else_as_json(lua: Lua, tmp_path: Path) -> None:
    assert lua("flow", "eval", '"a b"', cwd=tmp_path).stdout == "a b\n"
    assert lua("flow", "eval", '{"b": 1, "a": 2.0}', cwd=tmp_path).stdout == '{"a":2,"b":1}\n'


def test_an_error_of_the_expression_is_exit_1(lua: Lua, tmp_path: Path) -> None:
    done = lua("flow", "eval", "body.name ==", "--json", cwd=tmp_path)
    error = {"type": "compile", "message": "Syntax error: something is missing at the end", "line": 1, "column": 13}
    assert (done.exit_code, json.loads(done.stdout)) == (1, {"ok": False, "error": error})
    done = lua("flow", "eval", "body.name", "--json", cwd=tmp_path)
    error = {"type": "eval", "message": "there is no key 'name' (ask with has(…) first)"}
    assert (done.exit_code, json.loads(done.stdout)) == (1, {"ok": False, "error": error})
    done = lua("flow", "eval", "body.name", cwd=tmp_path)
    said = f"✖ eval error: {error['message']}\n  hint: the message is empty: --data JSON gives one\n"
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", said)
    done = lua("flow", "eval", "1 == 1 && data.name == 2", cwd=tmp_path)
    said = "undeclared reference to 'data.name' (the message is `body`: body.name)"
    frame = f"  1 == 1 && data.name == 2\n{' ' * 12}^\n"
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"✖ compile error at 1:11: {said}\n{frame}")


@pytest.mark.parametrize(
    ("flag", "value", "words"),
    [
        ("--data", "{n}", "it is not JSON"),
        ("--data", "NaN", "NaN, which JSON does not have"),
        ("--vars", "[1]", "must be a JSON object"),
        ("--vars", "", "it is empty"),
    ],
)
def test_a_flag_that_is_no_json_is_exit_2_with_what_to_type(
    lua: Lua, tmp_path: Path, flag: str, value: str, words: str
) -> None:
    done = lua("flow", "eval", "1", flag, value, "--json", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert done.exit_code == 2
    assert words in error["message"]
    assert flag in error["hint"]


def test_data_may_be_a_file_or_stdin(lua: Lua, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text('{"a": 1}')
    assert lua("flow", "eval", "body.a", "--data", "@in.json", cwd=tmp_path).stdout == "1\n"
    assert lua("flow", "eval", "body.a", "--data", "-", cwd=tmp_path, stdin=b'{"a": 2}').stdout == "2\n"
    assert lua("flow", "eval", "1", "--data", "@none.json", cwd=tmp_path).exit_code == 3


FLOWS = """\
service: {name: shop}
env: [{name: SHOP, default: acme}, {name: KEY, required: true}]
flows:
  - name: greet
    process:
      - {type: log, settings: {message: '"greeting"'}}
      - {type: set-payload, settings: {value: '{"text": "hi " + body.name, "shop": "${SHOP}", "key": env.KEY}'}}
  - name: drop
    process: [{type: filter, condition: 'false'}]
  - name: keep
    process: [{type: object-write, settings: {key: '"k"'}}]
  - name: kept
    process: [{type: object-read, settings: {key: '"k"'}}]
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "shop.yaml").write_text(FLOWS)
    (tmp_path / ".env").write_text("KEY=secret\n")
    return tmp_path


def test_invoke_gives_the_message(lua: Lua, shop: Path) -> None:
    done = lua("flow", "invoke", "greet", "--data", '{"name": "Ada"}', "--vars", '{"a": 1}', "--json", cwd=shop)
    document = json.loads(done.stdout)
    assert isinstance(document.pop("durationMs"), int)
    assert (done.exit_code, document) == (0, {
        "ok": True, "flow": "greet", "dropped": False, "body": {"key": "secret", "shop": "acme", "text": "hi Ada"},
        "vars": {"a": 1}, "logs": [{"level": "info", "text": "greeting"}],
    })  # fmt: skip
    done = lua("flow", "invoke", "greet", "--data", '{"name": "Ada"}', cwd=shop, env={"SHOP": "other"})
    assert (done.stdout, done.stderr) == ('{"key":"secret","shop":"other","text":"hi Ada"}\n', "info: greeting\n")


def test_invoke_says_what_became_of_the_message_otherwise(lua: Lua, shop: Path) -> None:
    done = lua("flow", "invoke", "drop", cwd=shop)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "the message was dropped\n")
    assert json.loads(lua("flow", "invoke", "drop", "--json", cwd=shop).stdout)["dropped"] is True
    done = lua("flow", "invoke", "greet", "--json", cwd=shop)
    error = {"type": "flow-error", "message": "value: there is no key 'name' (ask with has(…) first)",
             "block": "set-payload", "address": "greet.set-payload"}  # fmt: skip
    assert (done.exit_code, json.loads(done.stdout)["error"]) == (1, error)
    done = lua("flow", "invoke", "gret", cwd=shop)
    assert (done.exit_code, done.stderr) == (
        3,
        "✖ not_found: no flow 'gret'\n  hint: there are: greet, drop, keep, kept\n",
    )


def test_what_is_written_is_there_in_the_next_run(lua: Lua, shop: Path) -> None:
    assert lua("flow", "invoke", "keep", "--data", '{"a": [1]}', cwd=shop).exit_code == 0
    assert lua("flow", "invoke", "kept", cwd=shop).stdout == '{"a":[1]}\n'


def test_a_required_variable_must_be_set(lua: Lua, shop: Path) -> None:
    (shop / ".env").unlink()
    done = lua("flow", "invoke", "drop", cwd=shop)
    assert (done.exit_code, done.stderr) == (
        1,
        "✖ error: the variable KEY is not set\n  hint: put it into .env, or pass --env-file\n",
    )


def test_flows_with_errors_do_not_run(lua: Lua, shop: Path) -> None:
    (shop / "flows" / "b.yaml").write_text("flows: [{name: b, proces: []}]")
    done = lua("flow", "invoke", "drop", cwd=shop)
    assert done.exit_code == 1
    assert done.stderr.startswith("✖ error: flows/b.yaml:1:9: a flow has no `process` (and 1 more)\n")


def test_without_flows_the_way_is_shown(lua: Lua, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("")
    done = lua("flow", "invoke", "drop", cwd=tmp_path)
    assert (done.exit_code, "flows/agent.yaml" in done.stderr) == (3, True)


def test_a_body_that_no_expression_touched_is_printed_alike(lua: Lua, shop: Path) -> None:
    done = lua("flow", "invoke", "keep", "--data", '{"b": 5.0, "a": [1e2, 0.5]}', cwd=shop)
    assert done.stdout == '{"a":[100,0.5],"b":5}\n'


def test_eval_knows_the_variables_and_templates_of_the_project(lua: Lua, shop: Path) -> None:
    (shop / "flows" / "more.yaml").write_text(
        "env: [{name: NEEDED, required: true}]\nresources: {templates: [{resource: hi.md, as: hi}]}\n"
    )
    (shop / "flows" / "hi.md").write_text("Hi {{ body.name }} of {{ env.SHOP }}")
    assert lua("flow", "eval", "env.SHOP", cwd=shop).stdout == "acme\n"
    assert (
        lua("flow", "eval", "templateResource('hi')", "--data", '{"name": "Ada"}', cwd=shop).stdout
        == "Hi Ada of acme\n"
    )
    (shop / "own.env").write_text("SHOP=corner\n")
    assert lua("flow", "eval", "env.SHOP", "--env-file", "own.env", cwd=shop).stdout == "corner\n"
    (shop / "flows" / "more.yaml").write_text("flows: 5\n")
    done = lua("flow", "eval", "env.SHOP", cwd=shop)
    assert (done.exit_code, done.stderr.splitlines()[0]) == (
        1, "without the variables and templates of flows: flows/more.yaml:1:8: flows must be a list",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ('[{"refusal": true}]', 12, "the model refused"),
        ("[]", 1, "the script has 0 turns, and the model was called once more"),
    ],
)
def test_a_model_that_gives_no_answer_has_its_own_exit_code(
    lua: Lua, shop: Path, script: str, code: int, message: str
) -> None:
    agent = "flows: [{name: ask, process: [{type: ai-agent, name: helper, prompt: Help.}]}]\n"
    (shop / "flows" / "agent.yaml").write_text(agent)
    (shop / "script.json").write_text(script)
    done = lua("flow", "invoke", "ask", "--model", "scripted:script.json", cwd=shop)
    assert (done.exit_code, done.stderr.splitlines()[0]) == (code, f"flow error in ask.helper: {message}")


def test_invoke_shows_what_an_agent_did(lua: Lua, shop: Path) -> None:
    agent = "flows: [{name: ask, process: [{type: ai-agent, name: helper, prompt: Help., answer: text}]}]\n"
    (shop / "flows" / "agent.yaml").write_text(agent)
    (shop / "script.json").write_text('[{"text": "fine"}]')
    command = ("flow", "invoke", "ask", "--data", '"how are you"', "--model", "scripted:script.json", "--json")
    document = json.loads(lua(*command, cwd=shop).stdout)
    assert (document["body"], [entry["type"] for entry in document["transcript"]]) == (
        "fine",
        ["user", "prompt", "model", "answer"],
    )
    done = lua("flow", "invoke", "ask", "--json", cwd=shop)
    assert (done.exit_code, json.loads(done.stdout)["error"]["message"].startswith("no model is named")) == (2, True)


WHOSE = """\
flows:
  - name: whose
    process:
      - {type: set-payload, settings: {value: '{"id": vars.user.id, "plan": vars.user.data.plan}'}}
  - name: support
    process:
      - type: ai-agent
        name: helper
        prompt: Help.
        tools:
          - name: look
            description: Look up one order by its id.
            process: [{type: flow-ref, settings: {flow: whose}}]
"""


def test_the_end_user_is_a_variable(lua: Lua, write_project: Callable[[Mapping[str, str]], Path]) -> None:
    root = write_project({"flows/a.yaml": WHOSE, "ada.json": '{"id": "ada", "data": {"plan": "gold"}}'})
    done = lua("flow", "invoke", "whose", "--user", "ada.json", cwd=root)
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"id": "ada", "plan": "gold"}), done.stderr
    both = lua("flow", "invoke", "whose", "--user", "ada.json", "--vars", '{"user": 1}', cwd=root)
    assert (both.exit_code, "--user becomes the variable `user`" in both.stderr) == (2, True)
    assert lua("flow", "invoke", "whose", "--user", "none.json", cwd=root).exit_code == 3


def test_a_tool_of_blocks_says_which_of_them_failed(
    lua: Lua, write_project: Callable[[Mapping[str, str]], Path]
) -> None:
    root = write_project({"flows/a.yaml": WHOSE})
    done = lua("test", "skill", "--name", "look", "--input", "{}", cwd=root)
    assert (done.exit_code, "the block is whose.set-payload" in done.stderr) == (1, True), done.stderr
    document = json.loads(lua("test", "skill", "--name", "look", "--input", "{}", "--json", cwd=root).stdout)
    assert document["error"]["hint"] == "the block is whose.set-payload"
