"""The main job as a user types it: init, compile, a warning, test, push, deploy, rollback. Real `lua`, real children,
real database."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lua_cli.scaffold import templates
from tests.conftest import Result

Lua = Callable[..., Result]

CONFIGURED = """\
from lua_cli import LuaTool


class GetWarranty(LuaTool):
    name = "get_warranty"
    description = "Tell how long the warranty of a product lasts. Use when the customer asks about a warranty."
    input_schema = {"type": "object", "properties": {"product": {"type": "string"}}, "required": ["product"]}

    def __init__(self, years: int = 2) -> None:
        self.years = years

    def execute(self, input: dict) -> dict:
        print("looking up", input["product"])
        return {"product": input["product"], "years": self.years}
"""


@pytest.fixture
def orders(lua_process: Lua, tmp_path: Path) -> Path:
    made = lua_process("init", "shop", "--template", "orders", "--ci", cwd=tmp_path)
    assert made.exit_code == 0, made.stderr
    return tmp_path / "shop"


def documents(*results: Result) -> list[dict[str, object]]:
    return [json.loads(result.stdout) for result in results]


def test_from_nothing_to_a_live_version_and_back(lua_process: Lua, orders: Path) -> None:
    def lua(*args: str) -> Result:
        return lua_process(*args, cwd=orders)

    compiled = lua("compile", "--ci", "--format", "json")
    document = json.loads(compiled.stdout)
    assert (compiled.exit_code, document["ok"], document["diagnostics"]) == (0, True, [])
    artifact = orders / ".lua" / "artifacts" / "orders.luapkg"
    assert artifact.is_file()
    first = artifact.read_bytes()

    # A tool with a constructor argument: registered, compiled, warned about.
    (orders / "src/skills/tools/get_warranty.py").write_text(CONFIGURED)
    skill = orders / "src/skills/orders.py"
    skill.write_text(
        skill.read_text()
        .replace(
            "from lua_cli import LuaSkill\n",
            "from lua_cli import LuaSkill\n\nfrom skills.tools.get_warranty import GetWarranty",
        )
        .replace("        CheckRefund(),\n", "        CheckRefund(),\n        GetWarranty(5),\n")
    )
    warned = lua("compile", "--ci")
    assert warned.exit_code == 0
    assert "lua/constructor-args-dropped" in warned.stdout
    assert "GetWarranty(5)" in warned.stdout
    assert artifact.read_bytes() != first

    # The tool runs out of the artifact; its prints do not touch the result.
    run = lua("test", "--ci", "skill", "--name", "get_warranty", "--input", '{"product": "hose"}')
    assert (run.exit_code, json.loads(run.stdout)) == (0, {"product": "hose", "years": 2})
    assert "looking up hose" in run.stderr
    as_json = json.loads(
        lua("test", "--ci", "skill", "--name", "get_warranty", "--input", '{"product": "x"}', "--json").stdout
    )
    assert (as_json["ok"], as_json["output"], as_json["logs"]) == (True, {"product": "x", "years": 2}, "looking up x\n")

    # Push, push again, change, push, deploy, roll back.
    dry = lua("push", "skill", "--name", "orders", "--dry-run", "--ci")
    assert dry.exit_code == 0 and "1.0.0" in dry.stdout
    assert lua("push", "skill", "--name", "orders", "--ci").exit_code == 0
    again = lua("push", "skill", "--name", "orders", "--ci")
    assert again.exit_code == 0
    assert "nothing to push" in (again.stdout + again.stderr).lower()
    assert lua("deploy", "skill", "--name", "orders", "--set-version", "1.0.0", "--ci").exit_code == 0
    tool = orders / "src/skills/tools/get_warranty.py"
    tool.write_text(tool.read_text().replace("years: int = 2", "years: int = 3"))
    refused = lua("push", "skill", "--name", "orders", "--set-version", "1.0.0", "--ci")
    assert refused.exit_code == 1, "another content under an existing version"
    assert "1.0.1" in refused.stderr
    assert lua("push", "skill", "--name", "orders", "--set-version", "1.2.0", "--ci").exit_code == 0
    assert lua("deploy", "skill", "--name", "orders", "--set-version", "latest", "--ci").exit_code == 0
    (versions,) = documents(lua("skills", "versions", "orders", "--json"))
    assert "1.2.0" in json.dumps(versions) and "1.0.0" in json.dumps(versions)
    assert lua("rollback", "skill", "--name", "orders", "--ci").exit_code == 0
    status = lua("status", "--json")
    assert status.exit_code == 0
    (row,) = [skill for skill in json.loads(status.stdout)["skills"] if skill["name"] == "orders"]
    assert row["live"] == "1.0.0"
    assert lua("push", "all", "--ci").exit_code == 0


def test_what_a_user_gets_wrong(lua_process: Lua, orders: Path) -> None:
    def lua(*args: str, **options: object) -> Result:
        return lua_process(*args, cwd=orders, **options)

    unknown = lua("test", "--ci", "skill", "--name", "get_order_stats", "--input", "{}")
    assert unknown.exit_code == 3 and "lookup_order" in unknown.stderr
    refused = lua("test", "--ci", "skill", "--name", "lookup_order", "--input", '{"order_number": 7}')
    assert refused.exit_code == 2 and "/order_number" in refused.stderr
    optional = lua(
        "test", "--ci", "skill", "--name", "check_refund", "--input", '{"order_number": "A-1001", "on": "yesterday"}'
    )
    assert '/on must be a date or null, not "yesterday"' in optional.stderr
    broken = lua("test", "--ci", "skill", "--name", "lookup_order", "--input", '{"order_number": }')
    assert broken.exit_code == 2 and "column" in broken.stderr
    raised = lua("test", "--ci", "skill", "--name", "lookup_order", "--input", '{"order_number": "A-9999"}')
    assert raised.exit_code == 1 and "lookup_order.py" in raised.stderr and "lua_cli/" not in raised.stderr
    tool = lua("push", "skill", "--name", "lookup_order", "--ci")
    assert tool.exit_code == 3 and "orders" in tool.stderr
    assert lua("push", "skill", "--ci").exit_code == 2
    assert lua("push", "skill", "--name", "ordres", "--ci").exit_code == 3
    for result in (unknown, refused, broken, raised, tool):
        assert result.stdout == "" and "Traceback (most recent call last):\n  File" not in result.stderr.replace(
            str(orders), ""
        )


def test_the_projects_own_cases_pass(lua_process: Lua, orders: Path) -> None:
    done = lua_process("test", "--ci", cwd=orders)
    assert done.exit_code == 0, done.stdout + done.stderr


@pytest.mark.parametrize("template", [template.name for template in templates()])
def test_every_template_compiles_without_a_warning_and_passes(lua_process: Lua, tmp_path: Path, template: str) -> None:
    assert lua_process("init", "p", "--template", template, "--ci", cwd=tmp_path).exit_code == 0
    compiled = lua_process("compile", "--strict", "--ci", "--json", cwd=tmp_path / "p")
    assert (compiled.exit_code, json.loads(compiled.stdout)["diagnostics"]) == (0, [])
    tested = lua_process("test", "--ci", cwd=tmp_path / "p")
    assert tested.exit_code == 0, tested.stdout + tested.stderr


def test_the_search_of_the_documents(lua_process: Lua, tmp_path: Path) -> None:
    assert lua_process("init", "p", "--template", "search-docs", "--ci", cwd=tmp_path).exit_code == 0
    args = ("test", "--ci", "skill", "--name", "search_acme_docs", "--input", '{"query":"refund policy"}')
    done = lua_process(*args, cwd=tmp_path / "p")
    assert done.exit_code == 0
    assert json.loads(done.stdout)
