"""What has gone wrong for people elsewhere with what is packed and where it goes, through the commands: secrets, other
people's files, lock files, paths of other systems, variables that the place does not have."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.project_text import AGENT, FILES
from tests.commands.test_reported_sources import Lua, Write, compiled, said
from tests.registry.api_server import KEY, ApiServer

PUSH = ("push", "skill", "--name", "orders")


def members(root: Path) -> list[str]:
    with zipfile.ZipFile(root / ".lua" / "artifacts" / "orders.luapkg") as archive:
        return sorted(set(archive.namelist()) - {"manifest.json"})


def test_files_with_secrets_stay_out_whatever_a_setting_says(lua: Lua, write_project: Write) -> None:
    lines = "\\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"] * 6)
    key = "-----BEGIN " + f"PRIVATE KEY-----\\n{lines}\\n-----END PRIVATE KEY-----\\n"
    service = f'{{"type": "service_account", "private_key": "{key}"}}'
    names = (".env", ".env.production", "config/.env.local", "id_rsa", ".netrc", ".git/config", "server.pem", ".npmrc")
    kept = {".env.example": "A=\n", "config/rates.json": "{}"}
    files = {**dict.fromkeys(names, "A=1\n"), **kept, "svc.json": service}
    root = write_project({**FILES, **files, "pyproject.toml": '[tool.lua]\ninclude = ["**/*", "**/.*"]\n'})
    code, document = compiled(lua, root)
    refused = {d["message"].split("`")[1] for d in document["diagnostics"] if d["code"] == "lua/refused-file"}
    assert refused >= {".env", ".env.production", "config/.env.local", "id_rsa", ".netrc", "server.pem", ".npmrc"}
    assert code == 0
    assert not set(members(root)) & set(names)
    assert set(members(root)) >= {*kept}
    # What is no file of secrets by its name is looked through: it is said, and not sent.
    assert ("svc.json", "lua/secret-in-bundle") in {(p, c) for _, c, p, _ in said(document)}
    assert lua(*PUSH, "--ci", cwd=root).exit_code == 1


def test_a_key_in_the_code_is_not_sent_until_somebody_says_that_it_is_none(lua: Lua, write_project: Write) -> None:
    key = "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    root = write_project(
        {"agent.py": AGENT.replace('return {"refunded"', f'key = "{key}"\n        return {{"refunded"')}
    )
    code, document = compiled(lua, root)
    (found,) = [d for d in document["diagnostics"] if "secret" in d["code"]]
    assert (code, found["code"], found["path"], found["line"]) == (0, "lua/secret-in-source", "agent.py", 21)
    refused = lua(*PUSH, "--ci", cwd=root)
    assert refused.exit_code == 1
    assert key not in json.dumps(document) + refused.stdout + refused.stderr
    fingerprint = refused.stderr.partition("(fingerprint ")[2].partition(")")[0]
    assert lua(*PUSH, "--ci", "--allow-secret", fingerprint, cwd=root).exit_code == 0


def test_a_dry_run_lists_every_file_and_why_it_is_in(lua: Lua, write_project: Write) -> None:
    source = AGENT.replace("from lua_cli", "import shop\nfrom lua_cli", 1)
    root = write_project(
        {
            "agent.py": source,
            "shop/__init__.py": "",
            "rates.json": "{}",
            "pyproject.toml": '[tool.lua]\ninclude = ["*.json"]\n',
        }
    )
    plan = json.loads(lua(*PUSH, "--dry-run", "--json", cwd=root).stdout)
    listed = {file["path"]: file["reason"] for file in plan["files"]["orders"]}
    assert sorted(listed) == members(root) == ["agent.py", "rates.json", "shop/__init__.py"]
    assert all(listed.values())
    text = lua(*PUSH, "--dry-run", cwd=root).stdout
    assert all(f"  {path}  {reason}\n" in text for path, reason in listed.items())
    assert lua(*PUSH, cwd=root).exit_code == 0
    assert "files" not in json.loads(lua(*PUSH, "--dry-run", "--json", cwd=root).stdout)


LOCK = """\
version = 1
requires-python = ">=3.11"

[[package]]
name = "httpx"
version = "0.27.0"
source = { registry = "https://example.com/simple" }
wheels = [{ url = "https://example.com/httpx-0.27.0-py3-none-any.whl" }]
"""


def test_a_version_shows_the_lock_that_it_was_made_with(lua: Lua, write_project: Write) -> None:
    root = write_project({"agent.py": AGENT.replace("from lua_cli", "import httpx\nfrom lua_cli", 1), "uv.lock": LOCK})
    (root / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\ndependencies = ["httpx"]\n[tool.lua]\n')
    pushed = lua(*PUSH, cwd=root)
    assert pushed.exit_code == 0, pushed.stderr
    digest = hashlib.sha256(LOCK.encode()).hexdigest()
    shown = lua("skills", "show", "orders@1.0.0", cwd=root)
    assert shown.exit_code == 0
    assert f"  lock      uv.lock  sha256:{digest}\n" in shown.stdout
    assert "  package   httpx==0.27.0" in shown.stdout
    assert "  tool      get_order\n" in shown.stdout
    document = json.loads(lua("skills", "show", "orders@latest", "--json", cwd=root).stdout)
    assert document["manifest"]["lock"] == {"file": "uv.lock", "sha256": digest}
    assert (document["skill"], document["skillVersion"]) == ("orders", "1.0.0")
    assert lua("skills", "show", "orders@9.9.9", cwd=root).exit_code == 3


def test_a_deep_folder_with_spaces_and_paths_written_on_windows(lua: Lua, write_project: Write) -> None:
    """Members have `/` in their names, whatever the project's folder is called and however long its path is."""
    plain = write_project(
        {"src/agent.py": AGENT, "src/data/a b.json": "{}", "pyproject.toml": '[tool.lua]\ninclude = ["src/data/*"]\n'}
    )
    assert compiled(lua, plain)[0] == 0
    expected = (plain / ".lua" / "artifacts" / "orders.luapkg").read_bytes()
    deep = plain.joinpath(*["Ü b e r " * 4] * 9, "agent")
    (deep / "src" / "data").mkdir(parents=True)
    (deep / "src" / "agent.py").write_text(AGENT, encoding="utf-8")
    (deep / "src" / "data" / "a b.json").write_text("{}")
    settings = "[tool.lua]\nentry = 'src\\agent.py'\nimport-roots = ['.\\src', '.']\ninclude = ['src\\data\\*']\n"
    (deep / "pyproject.toml").write_text(settings)
    assert len(str(deep)) > 260
    assert compiled(lua, deep)[0] == 0
    assert (deep / ".lua" / "artifacts" / "orders.luapkg").read_bytes() == expected


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    running = ApiServer(tmp_path)
    monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("LUA_API_URL", running.address)
    monkeypatch.setenv("LUA_API_KEY", KEY)
    yield running
    running.close()


def test_variables_are_compared_with_those_of_the_place_that_is_pushed_to(
    lua: Lua, write_project: Write, server: ApiServer
) -> None:
    body = 'return [os.environ["CRM_TOKEN"], os.environ["CRM_URL"], os.getenv("PAGE", "1")]'
    source = AGENT.replace('return {"refunded": True}', "return 1").replace('return {"number": input["number"]}', body)
    root = write_project({"agent.py": source.replace("from lua_cli", "import os\nfrom lua_cli", 1)})
    here = {"CRM_TOKEN": "x"}
    for variables, missing in (({"CRM_URL": "y"}, "CRM_TOKEN"), ({}, "CRM_URL"), (None, "CRM_URL")):
        server.variables = variables
        text = lua(*PUSH, "--dry-run", cwd=root, env=here).stdout
        where = "for agent acme" if variables else "here"
        assert [line for line in text.splitlines() if "needed" in line] == [
            f"  ! {missing} is needed and not set {where} (read at agent.py:13)"
        ]
