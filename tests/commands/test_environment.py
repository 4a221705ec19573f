"""What a tool needs of its machine, as `lua compile` says it: variables that are set nowhere or have a computed name,
addresses and files that only one machine has; and that a run gets the variables whose names are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.test_reported_sources import Lua, Write, compiled, said

AGENT = """\
import os

from lua_cli import LuaAgent, LuaSkill, LuaTool, env


class Base(LuaTool):
    input_schema = {"type": "object", "properties": {}}
    token_env = ""

    def execute(self, input):
        BODY


class Acme(Base):
    name = "acme"
    description = "List the orders of Acme. Use when the customer is of Acme."
    token_env = "ACME_TOKEN"


class Beta(Base):
    name = "beta"
    description = "List the orders of Beta. Use when the customer is of Beta."
    token_env = "BETA_TOKEN"


agent = LuaAgent(name="a", skills=[LuaSkill(name="s", description="d", context="c", tools=[Acme(), Beta()])])
"""


def project(write_project: Write, body: str, **files: str) -> Path:
    named = {name.replace("__", "."): text for name, text in files.items()}
    return write_project({"agent.py": AGENT.replace("BODY", body), "pyproject.toml": "[tool.lua]\n", **named})


def messages(lua: Lua, root: Path) -> list[str]:
    code, document = compiled(lua, root)
    assert code == 0
    return [d["message"] for d in document["diagnostics"]]


def test_a_shared_base_gets_the_variables_of_its_customers(lua: Lua, write_project: Write) -> None:
    root = project(write_project, "return env(self.token_env)")
    env = {"ACME_TOKEN": "of acme", "BETA_TOKEN": "of beta"}
    for name in ("acme", "beta"):
        result = lua("test", "--ci", "skill", "--name", name, "--input", "{}", cwd=root, env=env)
        assert (result.exit_code, json.loads(result.stdout)) == (0, f"of {name}")


def test_each_customer_without_a_value_is_named(lua: Lua, write_project: Write) -> None:
    """All at the one place that reads them; not what only the base has and every customer overrides."""
    root = project(write_project, "return env(self.token_env)")
    source = (root / "agent.py").read_text().replace('token_env = ""', 'token_env = "DEFAULT_TOKEN"')
    (root / "agent.py").write_text(source)
    assert messages(lua, root) == ["`ACME_TOKEN`, `BETA_TOKEN` are read without a default, and are set nowhere"]
    (root / ".env.example").write_text("ACME_TOKEN=\n")
    assert messages(lua, root) == ["`BETA_TOKEN` is read without a default, and is set nowhere"]
    (root / "agent.py").write_text(source.replace('    token_env = "BETA_TOKEN"\n', ""))
    assert messages(lua, root) == ["`DEFAULT_TOKEN` is read without a default, and is set nowhere"]


@pytest.mark.parametrize("file", [".env", ".env.example", ".env.sample", ".env.template"])
def test_a_variable_that_is_set_nowhere(lua: Lua, write_project: Write, file: str) -> None:
    """It is said until it is set or listed, also where the last build is remembered."""
    root = project(write_project, 'return os.environ["CRM_TOKEN"] + env("CRM_TOKEN") + env("CRM_URL", "x")')
    missing = "`CRM_TOKEN` is read without a default, and is set nowhere"
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [("warning", "lua/environment-missing", "agent.py", 11)])
    assert messages(lua, root) == [missing]
    assert json.loads(lua("compile", "--json", cwd=root, env={"CRM_TOKEN": ""}).stdout)["diagnostics"] == []
    assert messages(lua, root) == [missing]
    (root / file).write_text("CRM_TOKEN=\n")
    assert messages(lua, root) == []
    (root / file).unlink()
    assert messages(lua, root) == [missing]
    for flags in ((), ("--check",)):
        assert lua("compile", *flags, "--strict", cwd=root).exit_code == 1


@pytest.mark.parametrize(
    "body",
    [
        "try:\n            return os.environ['X']\n        except KeyError:\n            return 1",
        "return os.environ['X'] if 'X' in os.environ else 1",
        "return os.environ.get('X') or os.getenv('X')",
        "return os.environ.setdefault('X', '1') + os.environ['X']",
    ],
)
def test_code_that_says_what_to_do_without_a_variable_is_left_alone(lua: Lua, write_project: Write, body: str) -> None:
    root = project(write_project, body)
    assert messages(lua, root) == []
    result = lua("test", "--ci", "skill", "--name", "acme", "--input", "{}", cwd=root, env={"X": "x"})
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("body", "expression"),
    [
        ("return dict(os.environ)", "os.environ"),
        ("return {k: v for k, v in os.environ.items()}", "os.environ.items"),
        ("return list(map(os.getenv, ['X']))", "os.getenv"),
        ("return os.path.expandvars('$X')", "os.path.expandvars"),
        ("name = 'X'\n        name += '1'\n        return os.getenv(name)", "name"),
    ],
)
def test_a_reading_that_names_nothing_is_said(lua: Lua, write_project: Write, body: str, expression: str) -> None:
    root = project(write_project, body)
    assert [m.split("`")[1] for m in messages(lua, root)] == [expression]
    (root / "pyproject.toml").write_text('[tool.lua]\nenv = ["X"]\n')
    assert messages(lua, root) == []


@pytest.mark.parametrize("top", ["from os import environ as e", "e = os.environ"])
def test_the_environment_under_another_name(lua: Lua, write_project: Write, top: str) -> None:
    root = project(write_project, "return e['X']")
    source = (root / "agent.py").read_text()
    (root / "agent.py").write_text(source.replace("import os\n", f"import os\n{top}\n", 1))
    result = lua("test", "--ci", "skill", "--name", "acme", "--input", "{}", cwd=root, env={"X": "x"})
    assert json.loads(result.stdout) == "x"


@pytest.mark.parametrize("name", ["A=B", "", "A B", "*", "\\u0000"])
def test_a_setting_that_names_no_variable(lua: Lua, write_project: Write, name: str) -> None:
    root = project(write_project, "return 1")
    (root / "pyproject.toml").write_text(f'[tool.lua]\nenv = ["{name}"]\n')
    result = lua("compile", cwd=root)
    assert (result.exit_code, "which is no name of a variable" in result.stderr) == (2, True)


def test_a_name_that_only_a_run_knows(lua: Lua, write_project: Write) -> None:
    body = "return os.environ.get(f\"KEY_{input['region']}\", '')"
    root = project(write_project, body)
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [("warning", "lua/environment-computed", "agent.py", 11)])
    (root / "pyproject.toml").write_text('[tool.lua]\nenv = ["OTHER"]\n')
    assert len(messages(lua, root)) == 1
    (root / "pyproject.toml").write_text('[tool.lua]\nenv = ["KEY_EU"]\n')
    assert messages(lua, root) == []
    body = "return os.environ.get(f'KEY_{str(len(input))}', '')"
    (root / "agent.py").write_text(AGENT.replace("BODY", body))
    (root / "pyproject.toml").write_text('[tool.lua]\nenv = ["KEY_0"]\n')
    result = lua("test", "--ci", "skill", "--name", "acme", "--input", "{}", cwd=root, env={"KEY_0": "nought"})
    assert json.loads(result.stdout) == "nought"


def test_what_only_this_machine_has_is_said_without_its_password(lua: Lua, write_project: Write) -> None:
    body = 'return ["http://localhost:8000", f"redis://me:pw-of-mine@localhost/{1}", "/Users/me/out", open("x.json")]'
    assert messages(lua, project(write_project, body)) == [
        "`http://localhost:8000` is an address of this machine",
        "`redis://…@localhost` is an address of this machine",
        "`/Users/me/out` is a path of this machine",
        "`x.json` is looked for in the working folder, which is empty where a tool runs",
    ]
    silenced = 'return "http://localhost:8000"  # lua: ignore[local-address]'
    assert messages(lua, project(write_project, silenced)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A=1\nB C=2\n", ".env:2 is no NAME=value line"),
        ("A='x\n", ".env:1 is no NAME=value line"),
        ("A=a\0b\n", ".env has a NUL character in it"),
    ],
)
def test_a_line_of_an_env_file_that_is_none(lua: Lua, write_project: Write, text: str, message: str) -> None:
    root = project(write_project, 'return env("A")', __env=text)
    for command in (("compile",), ("test", "--ci", "skill", "--name", "acme", "--input", "{}")):
        result = lua(*command, cwd=root)
        assert result.exit_code == 2
        assert message in result.stderr


def test_the_order_of_the_places_that_give_values(lua: Lua, write_project: Write) -> None:
    """The shell, `--env-file`, the project's `.env`; nothing above the project; also from a folder below it."""
    body = "return {name: os.environ.get(name, '-') for name in ('A', 'B', 'C', 'D', 'E', 'F', 'G')}"
    text = '\ufeffA=file\r\nexport B=2\r\nC="x # y"\r\nD=x # y\r\nE=${A}\r\nF=\r\n'
    root = project(write_project, body, __env=text)
    (root.parent / ".env").write_text("G=above\n")
    (root / "below").mkdir()
    (root / "other.env").write_text("A=other\nB=3\n")
    command = ("test", "--ci", "skill", "--name", "acme", "--input", "{}")
    expected = {"A": "file", "B": "2", "C": "x # y", "D": "x", "E": "file", "F": "", "G": "-"}
    try:
        for where in (root, root / "below"):
            assert json.loads(lua(*command, cwd=where).stdout) == expected
        result = lua(*command, "--env-file", "other.env", cwd=root, env={"A": "shell"})
        assert json.loads(result.stdout) == {**expected, "A": "shell", "B": "3", "E": "shell"}
    finally:
        (root.parent / ".env").unlink()


@pytest.mark.parametrize("name", ["\\0", "\\udcff", "A=B", ""])
def test_a_reading_of_what_can_be_no_name_needs_nothing(lua: Lua, write_project: Write, name: str) -> None:
    root = project(write_project, f'return os.environ.get("{name}")')
    assert messages(lua, root) == []
    assert lua("test", "--ci", "skill", "--name", "acme", "--input", "{}", cwd=root).exit_code in (0, 1)
    assert lua("compile", cwd=root).exit_code == 0
