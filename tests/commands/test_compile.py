"""`lua compile` as typed: formats, fixes, baselines, what a bundle holds, and everything that can be wrong with a
project."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
Write = Callable[[Mapping[str, str]], Path]

TOOL = """\
from lua_cli import LuaTool


class Search(LuaTool):
    name = "search"
    description = "Search the handbook by words. Use when the customer asks how something works."
    input_schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}

    def execute(self, input: dict) -> str:
        return input["query"]
"""
AGENT = """\
from lua_cli import LuaAgent, LuaSkill

from tools import Search

handbook = LuaSkill(name="handbook", description="The handbook", context="Use search.", tools=[Search()])
agent = LuaAgent(name="acme", persona="You help.", skills=[handbook])
"""


@pytest.fixture
def good(write_project: Write) -> Path:
    return write_project({"agent.py": AGENT, "tools.py": TOOL})


@pytest.fixture
def warned(write_project: Write) -> Path:
    return write_project(
        {"agent.py": AGENT.replace("Search()", "Search"), "tools.py": TOOL.replace('"search"', '"Search"')}
    )


def test_the_text_says_what_was_built(lua: Lua, good: Path) -> None:
    result = lua("compile", cwd=good)
    assert result.exit_code == 0
    assert result.stderr == ""
    first, *rest = result.stdout.splitlines()
    assert first.startswith("handbook  1 tool  .lua/artifacts/handbook.luapkg  sha256:")
    assert rest == ["", "Fine: 1 skill, 1 tool, nothing to say"]


def test_the_artifact_does_not_depend_on_what_was_there(lua: Lua, good: Path) -> None:
    lua("compile", cwd=good)
    before = (good / ".lua/artifacts/handbook.luapkg").read_bytes()
    shutil.rmtree(good / ".lua")
    lua("compile", cwd=good)
    assert (good / ".lua/artifacts/handbook.luapkg").read_bytes() == before


def test_check_writes_nothing(lua: Lua, good: Path) -> None:
    result = lua("compile", "--check", cwd=good)
    assert (result.exit_code, result.stdout) == (0, "Fine: 1 skill, 1 tool, nothing to say\n")
    assert not (good / ".lua").exists()


UNDECLARED = {
    "agent.py": AGENT,
    "tools.py": "import os\n\nimport rich\n" + TOOL.replace('["query"]\n', '["query"] + os.environ["CRM_TOKEN"]\n'),
    "pyproject.toml": '[project]\nname = "a"\nversion = "1"\ndependencies = ["lua-cli", "httpx"]\n[tool.lua]\ninclude = ["*.csv"]\n',
}


def test_check_says_what_is_said_of_the_bundle(lua: Lua, write_project: Write) -> None:
    """Green with `--check` and refused by a compile would be green by accident."""
    root = write_project(UNDECLARED)
    checked = lua("compile", "--check", "--format", "concise", cwd=root)
    whole = lua("compile", "--format", "concise", cwd=root)
    assert (checked.exit_code, checked.stdout) == (1, whole.stdout)
    for code in ("undeclared-dependency", "environment-missing", "data-file-missing"):
        assert f"[lua/{code}]" in checked.stdout
    assert [path.name for path in root.iterdir() if path.suffix not in (".py", ".toml")] == [".lua"]
    fixed = UNDECLARED["pyproject.toml"].replace('"httpx"', '"rich"').replace('include = ["*.csv"]\n', "")
    (root / "pyproject.toml").write_text(fixed)
    (root / ".env.example").write_text("CRM_TOKEN=\n")
    assert lua("compile", "--check", "--strict", cwd=root).exit_code == 0


def test_errors_write_nothing_and_leave_what_was_there(lua: Lua, good: Path) -> None:
    lua("compile", cwd=good)
    before = {path: path.read_bytes() for path in (good / ".lua/artifacts").resolve().iterdir()}
    (good / "agent.py").write_text(AGENT.replace("Search()", "Search"))
    result = lua("compile", cwd=good)
    assert result.exit_code == 1
    assert "agent.py:5:" in result.stdout and "lua/not-a-tool" in result.stdout
    assert {path: path.read_bytes() for path in (good / ".lua/artifacts").resolve().iterdir()} == before


@pytest.mark.parametrize(
    ("output_format", "expected"),
    [
        ("concise", "agent.py:5:96: error[lua/not-a-tool]"),
        ("github", "::error title=lua/not-a-tool,file=agent.py,line=5,"),
        ("text", "5 | handbook = LuaSkill("),
    ],
)
def test_formats(lua: Lua, warned: Path, output_format: str, expected: str) -> None:
    result = lua("compile", "--check", "--format", output_format, cwd=warned)
    assert result.exit_code == 1
    assert expected in result.stdout


def test_json_and_sarif_are_one_document(lua: Lua, warned: Path) -> None:
    document = json.loads(lua("compile", "--json", cwd=warned).stdout)
    assert [(d["code"], d["severity"], d["path"], d["line"]) for d in document["diagnostics"]] == [
        ("lua/not-a-tool", "error", "agent.py", 5),
        ("lua/tool-name-style", "warning", "tools.py", 5),
    ]
    sarif = json.loads(lua("compile", "--format", "sarif", cwd=warned).stdout)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["lua/not-a-tool", "lua/tool-name-style"]


def test_unknown_format(lua: Lua, good: Path) -> None:
    result = lua("compile", "--format", "xml", cwd=good)
    assert result.exit_code == 2
    assert "text, concise, json, github, sarif" in result.stderr


def test_strict_fails_on_warnings(lua: Lua, good: Path) -> None:
    (good / "tools.py").write_text(TOOL.replace('"search"', '"Search"'))
    assert lua("compile", cwd=good).exit_code == 0
    assert lua("compile", "--strict", cwd=good).exit_code == 1
    assert lua("compile", "--strict", "--ignore", "tool-name-style", cwd=good).exit_code == 0
    assert lua("compile", "--strict", "--select", "lua/tool-description-vague,unused-tool", cwd=good).exit_code == 0


def test_diff_shows_and_fix_writes(lua: Lua, warned: Path) -> None:
    before = (warned / "agent.py").read_text()
    diff = lua("compile", "--diff", cwd=warned)
    assert diff.exit_code == 1
    assert "tools=[Search()]" in diff.stdout
    assert (warned / "agent.py").read_text() == before
    fixed = lua("compile", "--fix", cwd=warned)
    assert (fixed.exit_code, fixed.stderr) == (0, "fixed 2 findings\n")
    assert (warned / "agent.py").read_text() == AGENT
    assert 'name = "search"' in (warned / "tools.py").read_text()
    assert lua("compile", "--diff", cwd=warned) == Result(0, "", "")
    again = lua("compile", "--fix", cwd=warned)
    assert again.stderr == "nothing to fix: what is said below, if anything is, has no fix of its own\n"


def test_a_baseline_silences_what_was_there(lua: Lua, good: Path) -> None:
    (good / "tools.py").write_text(TOOL.replace('"search"', '"Search"'))
    assert lua("compile", "--write-baseline", "base.json", cwd=good).exit_code == 0
    known = lua("compile", "--strict", "--baseline", "base.json", cwd=good)
    assert known.exit_code == 0
    assert "tool-name-style" not in known.stdout
    (good / "tools.py").write_text(TOOL.replace('"search"', '"Search2"'))
    assert lua("compile", "--strict", "--baseline", "base.json", cwd=good).exit_code == 1
    assert lua("compile", "--baseline", "gone.json", cwd=good).exit_code == 3


def test_explain_bundle(lua: Lua, good: Path) -> None:
    result = lua("compile", "--explain-bundle", cwd=good)
    assert result.exit_code == 0
    size = len(TOOL)
    assert result.stdout == f"handbook\n  files\n    tools.py  {size} B  the module of tool search\n"
    document = json.loads(lua("compile", "--explain-bundle", "--json", cwd=good).stdout)
    assert [file["path"] for file in document["bundles"][0]["files"]] == ["tools.py"]


BAD: dict[str, tuple[Mapping[str, str | bytes], int, str]] = {
    "broken pyproject": ({"pyproject.toml": "[tool.lua\n"}, 2, "pyproject.toml is not valid TOML"),
    "no entry": ({}, 3, "no entry file in"),
    "entry missing": ({"pyproject.toml": "[tool.lua]\nentry = 'x.py'\n"}, 3, "the entry file 'x.py' does not exist"),
    "entry is empty": ({"agent.py": ""}, 1, "lua/agent-missing"),
    "two agents": ({"agent.py": AGENT + "other = LuaAgent(name='b', persona='p', skills=[handbook])\n", "tools.py": TOOL}, 1, "lua/multiple-agents"),
    "syntax error": ({"agent.py": "agent = (\n"}, 1, "lua/syntax-error"),
    "not UTF-8": ({"agent.py": b"# \xff\nagent = 1\n"}, 1, "lua/syntax-error"),
    "NUL bytes": ({"agent.py": b"agent = 1\x00\n"}, 1, "lua/syntax-error"),
    "nested too deep": ({"agent.py": "x = " + "(" * 300 + ")" * 300 + "\n"}, 1, "lua/syntax-error"),
    "a sum that Python gives up on": ({"agent.py": "x = " + " + ".join(["1"] * 20_000) + "\n"}, 1, "lua/syntax-error"),
    "a sum that it does not": ({"agent.py": "x = " + " + ".join(["1"] * 900) + "\n" + AGENT, "tools.py": TOOL}, 0, "Fine"),
    "import of nothing": ({"agent.py": AGENT}, 1, "lua/unresolved-import"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD, ids=lambda name: name.replace(" ", "-"))
def test_bad_projects_are_said_in_words(lua: Lua, write_project: Write, name: str) -> None:
    files, code, message = BAD[name]
    root = write_project({path: text for path, text in files.items() if isinstance(text, str)})
    for path, content in files.items():
        if isinstance(content, bytes):
            (root / path).write_bytes(content)
    result = lua("compile", "--check", cwd=root)
    assert result.exit_code == code, result
    assert message in result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    as_json = lua("compile", "--check", "--json", cwd=root)
    assert as_json.exit_code == code
    assert json.loads(as_json.stdout)["ok"] is (code == 0)


def test_an_output_folder_that_cannot_be_written(lua: Lua, good: Path) -> None:
    (good / ".lua").write_text("in the way")
    result = lua("compile", cwd=good)
    assert result.exit_code == 1
    assert ".lua" in result.stderr and "Traceback" not in result.stderr
    assert "hint:" in result.stderr


def test_a_full_disk(lua_process: Lua, good: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small file system is not permitted here")
    try:
        (disk / "fill").write_bytes(b"x" * 57_344)
        (good / ".lua").symlink_to(disk)
        result = lua_process("compile", cwd=good)
        assert result.exit_code == 1, result
        assert "No space left" in result.stderr or "disk is full" in result.stderr, result.stderr
        assert not (disk / "artifacts").exists()
        (disk / "fill").unlink()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_what_providers_get(lua: Lua, good: Path) -> None:
    document = json.loads(lua("compile", "--for", "openai,gemini", "--json", cwd=good).stdout)
    assert document["providers"]["openai"][0]["function"]["name"] == "search"
    assert document["providers"]["gemini"][0]["parameters"]["required"] == ["query"]
    unknown = lua("compile", "--for", "acme", cwd=good)
    assert unknown.exit_code == 2 and "openai" in unknown.stderr


def test_providers_refuse_after_the_schemas_are_known(lua: Lua, good: Path) -> None:
    recursive = '{"type": "object", "properties": {"next": {"$ref": "#"}}}'
    (good / "tools.py").write_text(
        TOOL.replace(
            '{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}', recursive
        )
    )
    result = lua("compile", "--for", "gemini", cwd=good)
    assert "lua/provider-limits" in result.stdout


def test_github_annotations_go_from_the_root_of_the_repository(lua: Lua, warned: Path) -> None:
    env = {"GITHUB_WORKSPACE": str(warned.parent)}
    result = lua("compile", "--check", "--format", "github", cwd=warned, env=env)
    assert f"file={warned.name}/agent.py" in result.stdout


def test_secrets_are_not_pushed(lua: Lua, good: Path) -> None:
    key = "AKIA" + "QYLPMN5HFIQR7XYA"  # shaped as a key is, and nobody's
    (good / "tools.py").write_text(TOOL.replace("return input", f'key = "{key}"\n        return key + input'))
    refused = lua("push", "skill", "--name", "handbook", "--ci", cwd=good)
    assert refused.exit_code == 1
    assert "tools.py:10" in refused.stderr and key not in refused.stderr + refused.stdout
    fingerprint = refused.stderr.split("fingerprint ")[1].split(")")[0]
    allowed = lua("push", "skill", "--name", "handbook", "--ci", "--allow-secret", fingerprint, cwd=good)
    assert allowed.exit_code == 0, allowed.stderr


STALE = {
    "pyproject.toml": '[project]\nname = "acme"\nversion = "1"\ndependencies = ["lua-cli", "httpx", "six"]\n[tool.lua]\n',
    "uv.lock": 'version = 1\n[[package]]\nname = "acme"\nversion = "1"\nsource = { virtual = "." }\n'
    'metadata = { requires-dist = [{ name = "lua-cli" }, { name = "httpx" }] }\n',
}


def test_a_stale_lock_is_a_warning_and_with_ci_an_error(lua: Lua, write_project: Write) -> None:
    project = write_project({"agent.py": AGENT, "tools.py": "import httpx\n" + TOOL, **STALE})
    for _ in range(2):  # compiled, and as it is remembered
        warned = lua("compile", cwd=project)
        assert (warned.exit_code, "warning[lua/lock-stale]" in warned.stdout) == (0, True)
    digest = (project / ".lua/artifacts").resolve()
    for _ in range(2):
        failed = lua("compile", "--ci", cwd=project)
        assert failed.exit_code == 1
        assert "error[lua/lock-stale] uv.lock is older than pyproject.toml about `six`" in failed.stdout
        assert "`uv lock`, `uv sync`" in failed.stdout
    assert (project / ".lua/artifacts").resolve() == digest
    assert lua("test", "--ci", "skill", "--name", "x", "--input", "{}", cwd=project).exit_code == 1
    (project / "uv.lock").write_text(STALE["uv.lock"].replace("}] }", '}, { name = "six" }] }'), encoding="utf-8")
    assert lua("compile", "--ci", cwd=project).exit_code == 0


def test_a_source_that_cannot_be_read_is_one_error_and_not_one_for_each_of_its_tools(
    lua: Lua, write_project: Callable[[Mapping[str, str]], Path]
) -> None:
    broken = "from lua_cli import LuaTool\nclass A(LuaTool): ...\nclass B(LuaTool): ...\ndef broken(:\n"
    agent = (
        "from lua_cli import LuaAgent, LuaSkill, LuaTool\nfrom tools.two import A, B\nfrom tools.two import B as Base\n"
        "class C(Base): ...\nagent = LuaAgent('a', 'p', [LuaSkill('s', 'd', 'c', [A(), B(), C(), unknown()])])\n"
    )
    root = write_project({"agent.py": agent, "tools/__init__.py": "", "tools/two.py": broken})
    document = json.loads(lua("compile", "--check", "--json", cwd=root).stdout)
    said = [(one["code"], one["path"], one["line"]) for one in document["diagnostics"] if one["severity"] == "error"]
    assert said == [("lua/unresolved-primitive-ref", "agent.py", 5), ("lua/syntax-error", "tools/two.py", 4)]
    assert document["ok"] is False
