"""Another client of the same API: the npm package pushes and deploys a TypeScript skill to `lua serve`, and our commands
show it.

The package is installed with npm into a folder that later runs use again; without npm, or without a way to its registry, the test
is skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Result
from tests.server.serving import Server

PACKAGE = "lua-cli@3.37.0"
CACHE = REPOSITORY / "build" / "npm-client"
FILES = {
    "package.json": '{"name": "shop", "version": "1.0.0", "type": "module", "private": true}\n',
    "lua.skill.yaml": "agent:\n  agentId: 'shop'\n  orgId: 'org'\nskills: []\n",
    "tsconfig.json": (
        '{"compilerOptions": {"target": "ES2022", "module": "ESNext", "moduleResolution": "bundler", "strict": true,'
        ' "skipLibCheck": true}, "include": ["src"]}\n'
    ),
    "src/index.ts": """import { LuaAgent, LuaSkill, LuaTool } from "lua-cli";
import { z } from "zod";

class GetOrder implements LuaTool {
  name = "get_order";
  description = "Look up one order by its number.";
  inputSchema = z.object({ order: z.string() });
  async execute(input: { order: string }) {
    return { order: input.order, status: "shipped" };
  }
}

const orders = new LuaSkill({
  name: "orders",
  description: "Orders of the shop",
  context: "Use get_order for questions about orders.",
  tools: [new GetOrder()],
});

export default new LuaAgent({ name: "shop", persona: "You help customers.", skills: [orders] });
""",
}
OURS = {
    "agent.py": """from lua_cli import LuaAgent, LuaSkill, LuaTool

class Track(LuaTool):
    name = "track"
    description = "Say where a parcel is, by its number. Use when a customer asks for a parcel."

    async def execute(self, input: dict) -> dict:
        return {}

agent = LuaAgent(name="shop", skills=[LuaSkill("parcels", "Parcels", "Use track for parcels.", [Track()])])
""",
}


@pytest.fixture(scope="module")
def client() -> Path:
    """The program of the npm package."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    program = CACHE / "node_modules" / ".bin" / "lua"
    if not program.exists():
        options = [
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--cache",
            str(CACHE / "cache"),
            "--prefix",
            str(CACHE),
        ]
        CACHE.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run([npm, "install", *options, PACKAGE], capture_output=True, text=True, timeout=400)
        except subprocess.TimeoutExpired:
            pytest.skip(f"npm did not install {PACKAGE} within 400 s")
        if done.returncode != 0:
            pytest.skip(f"npm could not install {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")
    return program


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "server").start()
    yield running
    running.close()


def test_the_npm_client_pushes_and_deploys(
    client: Path,
    server: Server,
    tmp_path: Path,
    write_project: Callable[[Mapping[str, str]], Path],
    lua: Callable[..., Result],
) -> None:
    project = tmp_path / "shop"
    for name, text in FILES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (project / "node_modules").symlink_to(CACHE / "node_modules")
    key = server.key("npm", "shop")
    remote = {"LUA_API_URL": server.address, "LUA_AUTH_URL": server.address, "LUA_API_KEY": key}

    def npm_client(*args: str) -> str:
        done = subprocess.run(
            [str(client), *args],
            cwd=project,
            env={**os.environ, **remote, "LUA_TELEMETRY": "false", "CI": "1"},
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    pushed = npm_client("push", "--ci", "skill", "--name", "orders", "--force")
    found = re.search(r"Successfully pushed orders v(\S+)", pushed)
    assert found, pushed
    version = found[1]
    again = npm_client("push", "--ci", "skill", "--name", "orders", "--set-version", version, "--force")
    assert f"Successfully pushed orders v{version}" in again, "the same content again is answered as before"
    deployed = npm_client("deploy", "skill", "--ci", "--name", "orders", "--set-version", version, "--force")
    assert f'Skill "orders" v{version} deployed successfully' in deployed

    ours = write_project(OURS)
    listed = lua("skills", cwd=ours, env=remote)
    assert listed.exit_code == 0, listed.stderr
    row = next(line.split() for line in listed.stdout.splitlines() if line.startswith("orders"))
    assert row[1:3] == [version, version] and row[-1] == "get_order"
    versions = lua("skills", "versions", "orders", cwd=ours, env=remote).stdout
    assert re.search(rf"^{re.escape(version)}\s+live .* npm ", versions, re.MULTILINE)
    assert lua("push", "skill", "--name", "parcels", cwd=ours, env=remote).exit_code == 0, "both clients, one agent"
    entries = re.findall(r"^(\d+)\s+(\S+)", versions.partition("ENTRY")[2], re.MULTILINE)
    assert entries == [("1", version)]
