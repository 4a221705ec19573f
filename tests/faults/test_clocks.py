"""A server and a client whose clocks are wrong: in 1970 and in 2100. Numbers decide what follows what, never the time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lua_cli.registry.content import verify
from tests.conftest import REPOSITORY
from tests.registry.sample import AGENT, submission
from tests.server.serving import Server

TIMES = {"1970": "@1970-01-02 00:00:00", "2100": "@2100-01-01 00:00:00"}

Clock = Callable[[str], tuple[str, ...]]


@pytest.fixture
def clock() -> Clock:
    """What runs a command as if it were another year.

    The library is preloaded, not the program ``faketime`` used: the program names a semaphore after its process, leaves it
    behind, and ends when one of that name is there, as it is when numbers of processes come around.

    The clock that counts from the start of the machine is left alone: no wrong date moves it. Faked, it stood at 24 hours, and on a
    machine that was up for longer every wait with a limit was over before it began.
    """
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("libfaketime is not installed (Debian: apt-get install faketime)")
    dates_alone = "FAKETIME_DONT_FAKE_MONOTONIC=1"
    return lambda year: ("env", f"LD_PRELOAD={library}", dates_alone, f"FAKETIME={TIMES[year]}")


def test_a_server_whose_clock_jumps_keeps_its_order(clock: Clock, tmp_path: Path) -> None:
    server = Server(tmp_path / "server")
    seen = 0
    try:
        for number, year in enumerate(("2100", "1970", "2100", "")):
            server.start(wrapper=clock(year) if year else ())
            key = server.key()
            with server.client(key) as registry:
                registry.put(AGENT, submission(f"1.0.{number}", str(number), unchecked=True))
                entry = registry.deploy(AGENT, "orders", f"1.0.{number}", seen=seen, key=f"k{number}")
                seen = entry.number
                assert entry.created.startswith(year)
                assert verify(registry, (AGENT,)).faults == []
                history = registry.history(AGENT, "orders")
                assert [e.version for e in history] == [f"1.0.{n}" for n in range(number + 1)]
            server.stop()
    finally:
        server.close()


def test_an_address_that_was_given_out_in_1970_is_too_old(clock: Clock, tmp_path: Path) -> None:
    server = Server(tmp_path / "server")
    sent = submission()
    blob = sent.digest.removeprefix("sha256:")
    try:
        server.start(wrapper=clock("1970"))
        with server.http(server.key()) as api:
            asked = api.post(f"/developer/agents/{AGENT}/backup/blob-upload-urls", json={"hashes": [blob]})
            path = asked.json()["data"]["urls"][blob].removeprefix(server.address)
        server.stop()
        server.start()
        with server.http() as api:
            answer = api.put(path, content=sent.content)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "address-expired")
    finally:
        server.close()


@pytest.mark.parametrize("year", TIMES)
def test_a_client_whose_clock_is_wrong_pushes_all_the_same(clock: Clock, server: Server, year: str) -> None:
    command = [*clock(year), sys.executable, "-m", "tests.faults.writers", server.address, "orders", "2"]
    env = {**os.environ, "LUA_API_KEY": server.key("mo", AGENT)}
    done = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["pushed", "live"] * 2
