"""One push on SQLite, with each of its writes and syncs failing in turn: the process is killed there, or the call says EIO or
ENOSPC. What was acknowledged is there, and what is there is whole. The same for every file that `lua push` puts in its place.

`LUA_FAULTS=all` tries every call; by default every sync and every seventh write.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.errors import LuaError
from lua_cli.registry.content import verify
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.commands.project_text import FILES
from tests.conftest import REPOSITORY
from tests.registry.sample import AGENT, submission

EVERY = 1 if os.environ.get("LUA_FAULTS") == "all" else 7
FAULTS = ("signal=SIGKILL", "error=EIO", "error=ENOSPC")
PUSH = """
import os, sys, pathlib
from lua_cli.errors import LuaError
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.registry.sample import AGENT, submission
try:
    with EmbeddedRegistry(pathlib.Path(sys.argv[1])) as registry:
        registry.put(AGENT, submission("1.0.1", "two" * 300, base="1.0.0"))
        os.write(1, b"acknowledged\\n")
        registry.deploy(AGENT, "orders", "1.0.1", seen=1, key="second")
        os.write(1, b"live\\n")
except LuaError as error:
    os.write(1, b"refused " + error.message.encode() + b"\\n")
"""


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry with 1.0.0 live: the folder that each attempt starts from."""
    folder = tmp_path_factory.mktemp("before")
    with EmbeddedRegistry(folder / "registry.db") as registry:
        registry.put(AGENT, submission())
        registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="first")
    return folder


@pytest.mark.parametrize("call", ["pwrite64", "fsync,fdatasync", "ftruncate"])
@pytest.mark.parametrize("fault", FAULTS)
def test_each_call_of_a_push_may_fail(before: Path, tmp_path: Path, call: str, fault: str) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed (Debian: apt-get install strace)")
    tried = 0
    for number in range(1, 5000, EVERY if call == "pwrite64" else 1):
        folder = tmp_path / str(number)
        shutil.copytree(before, folder)
        path = folder / "registry.db"
        trace = tmp_path / "trace"
        paths = [option for suffix in ("", "-wal", "-shm") for option in ("-P", f"{path}{suffix}")]
        inject = ["-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}"]
        done = subprocess.run(
            [strace, "-f", "-o", str(trace), *paths, *inject, sys.executable, "-c", PUSH, str(path)],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=120,
        )
        if "not permitted" in done.stderr:
            pytest.skip("strace may not trace here")
        if "INJECTED" not in trace.read_text("utf-8", "replace") and done.returncode == 0:
            assert done.stdout == "acknowledged\nlive\n"
            break
        assert "Traceback" not in done.stderr, done.stderr
        check(path, done.stdout)
        tried += 1
        shutil.rmtree(folder)
    assert tried or call == "ftruncate", "nothing was injected"
    print(f"{call} {fault}: {tried} calls")


@pytest.mark.parametrize("fault", FAULTS)
def test_each_rename_of_the_command_may_fail(
    write_project: Callable[[Mapping[str, str]], Path], tmp_path: Path, fault: str
) -> None:
    """The build's files and lua.skill.toml are put in their places by renames: after each fault the same command works."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed (Debian: apt-get install strace)")
    command = [sys.executable, "-m", "lua_cli", "push", "skill", "--ci", "--name", "orders"]
    tried = 0
    for number in range(1, 100, 1 if EVERY == 1 else 3):
        root, data, trace = write_project(FILES), tmp_path / f"data{number}", tmp_path / f"trace{number}"
        env = {**os.environ, "LUA_DATA_DIR": str(data), "PYTHONPATH": str(REPOSITORY)}
        rules = [
            option
            for call in ("rename", "renameat", "renameat2")
            for option in ("-e", f"inject={call}:{fault}:when={number}")
        ]
        tracing = [strace, "-f", "-o", str(trace), "-e", "trace=rename,renameat,renameat2", *rules]
        done = subprocess.run([*tracing, *command], cwd=root, env=env, capture_output=True, text=True, timeout=120)
        if "not permitted" in done.stderr:
            pytest.skip("strace may not trace here")
        traced = trace.read_text("utf-8", "replace")
        if "INJECTED" not in traced and done.returncode == 0:
            break
        # The process that reads sources beside is killed in any case, so a kill alone does not tell a fault from an end.
        assert "INJECTED" in traced or "killed by SIGKILL" in traced, done.stderr
        tried += 1
        assert "Traceback" not in done.stderr and "this is a bug" not in done.stderr, done.stderr
        again = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, timeout=120)
        assert again.returncode == 0, again.stderr
        if "pushed" in done.stdout:
            assert again.stdout == "orders: nothing to push, 1.0.0 has this content\n", "answered and lost"
        with EmbeddedRegistry(data / "registry.db") as registry:
            assert verify(registry, ("acme",)).faults == []
            (skill,) = registry.skills("acme")
            assert [record.version for record in skill.versions] == ["1.0.0"]
    else:
        raise AssertionError("the calls did not end")
    assert tried, "the build and lua.skill.toml are renamed at least"
    print(f"renames {fault}: {tried} calls")


def check(path: Path, said: str) -> None:
    with EmbeddedRegistry(path) as registry:
        assert verify(registry, (AGENT,)).faults == []
        skill = registry.skill(AGENT, "orders")
        assert skill is not None and skill.find("1.0.0") is not None
        if "acknowledged" in said:
            assert skill.find("1.0.1") is not None, "answered and lost"
        if "live" in said.splitlines():
            assert skill.live is not None and skill.live.version == "1.0.1"
        try:  # and the next push works
            registry.put(AGENT, submission("1.0.1", "two" * 300, base="1.0.0"))
        except LuaError as error:
            raise AssertionError(f"the registry is stuck: {error.message}") from error
