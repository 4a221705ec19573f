"""A running server whose writes and syncs fail in turn while a push and a deploy arrive: it is killed there, or the call says EIO or
ENOSPC. What was answered is there, what is there is whole, and the next push works.

`LUA_FAULTS=all` tries every call; by default every sync and every 25th write.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from lua_cli.errors import LuaError
from lua_cli.registry.content import verify
from lua_cli.registry.protocol import Submission
from lua_cli.registry.sending import Policy
from tests.registry.sample import submission
from tests.server.serving import Server

EVERY = 1 if os.environ.get("LUA_FAULTS") == "all" else 25
FAULTS = ("signal=SIGKILL", "error=EIO", "error=ENOSPC")
LONGEST = 400


@contextlib.contextmanager
def injected(server: Server, call: str, fault: str, number: int, trace: Path) -> Iterator[None]:
    """The server's `number`th such call on its database fails, from here on."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed (Debian: apt-get install strace)")
    assert server.process is not None
    database = server.folder / "server.db"
    paths = [option for suffix in ("", "-wal", "-shm") for option in ("-P", f"{database}{suffix}")]
    rules = ["-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}"]
    tracer = subprocess.Popen(
        [strace, "-f", "-o", str(trace), "-p", str(server.process.pid), *paths, *rules],
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert tracer.stderr is not None
    try:
        said = tracer.stderr.readline()
        if "not permitted" in said:
            pytest.skip("strace may not trace here")
        assert "attached" in said, said
        yield
    finally:
        if "SIGKILL" in fault:  # a server that was killed: the tracer sees that, and ends by itself
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.process.wait(timeout=5)
        if server.process.returncode is None:
            tracer.send_signal(signal.SIGINT)  # it lets go of the server, which goes on
        try:
            tracer.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            tracer.kill()
            tracer.communicate()


def pushed_and_live(server: Server, key: str, agent: str) -> list[str]:
    """What was answered, of a push and its deploy."""
    answered: list[str] = []
    with server.client(key, policy=Policy(repeats=0, total=60.0)) as client:
        try:
            client.put(agent, sent_by(agent))
            answered.append("pushed")
            client.deploy(agent, "orders", "1.0.0", seen=0, key=str(uuid.uuid4()))
            answered.append("live")
        except LuaError as error:
            answered.append(f"refused: {error.message}")
    return answered


def sent_by(agent: str) -> Submission:
    return submission("1.0.0", agent * 500, unchecked=True)


@pytest.mark.parametrize("call", ["pwrite64", "fsync,fdatasync"])
@pytest.mark.parametrize("fault", FAULTS)
def test_each_call_of_a_served_push_may_fail(tmp_path: Path, call: str, fault: str) -> None:
    server = Server(tmp_path / "server").start()
    key, trace, tried = server.key("mo"), tmp_path / "trace", 0
    port = server.port
    try:
        for number in range(1, LONGEST, EVERY if call == "pwrite64" else 1):
            agent = f"agent-{number}"
            with injected(server, call, fault, number, trace):
                answered = pushed_and_live(server, key, agent)
            assert server.process is not None
            traced = trace.read_text("utf-8", "replace")
            if "INJECTED" not in traced and "killed by SIGKILL" not in traced:
                assert answered == ["pushed", "live"]
                break
            tried += 1
            if fault == "signal=SIGKILL":
                server.close()
                server.start(port)
            check(server, key, agent, answered)
        else:
            raise AssertionError("the calls did not end")
    finally:
        server.close()
    assert tried or call != "pwrite64", "nothing was injected"
    assert '"status": 500' not in server.log.read_text("utf-8", "replace")
    print(f"{call} {fault}: {tried} calls of a server")


def check(server: Server, key: str, agent: str, answered: list[str]) -> None:
    with server.client(key) as client:
        assert verify(client, (agent,)).faults == []
        skill = client.skill(agent, "orders")
        if "pushed" in answered:
            assert skill is not None and skill.find("1.0.0") is not None, "answered and lost"
        if "live" in answered:
            assert skill is not None and skill.live is not None, "answered and lost"
        again = client.put(agent, sent_by(agent))
        assert again.record.version == "1.0.0", "the next push works"
