"""`lua flow`: one expression, one flow; what it prints and how it exits."""

from __future__ import annotations

import json
from collections.abc import Callable
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
    error = {"type": "compile", "message": "Syntax error: mismatched input the end", "line": 1, "column": 13}
    assert (done.exit_code, json.loads(done.stdout)) == (1, {"ok": False, "error": error})
    done = lua("flow", "eval", "body.name", "--json", cwd=tmp_path)
    error = {"type": "eval", "message": "there is no key 'name' (ask with has(…) first)"}
    assert (done.exit_code, json.loads(done.stdout)) == (1, {"ok": False, "error": error})
    done = lua("flow", "eval", "body.name", cwd=tmp_path)
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"eval error: {error['message']}\n")


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
