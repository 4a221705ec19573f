"""Kills of the server and of its clients, with writers at work: what was answered is there, nothing half is, and no retry makes
a second thing; on SQLite, on PostgreSQL, and on PostgreSQL with an S3 store.

`LUA_FAULT_ROUNDS` sets how many kills there are for each database; docs/figures.md has the figures of a long run.
"""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from lua_cli.bundle.canonical import digest_of
from lua_cli.registry.content import verify
from lua_cli.registry.protocol import Submission
from tests.conftest import REPOSITORY
from tests.faults.writers import version
from tests.registry.sample import AGENT, submission
from tests.server.serving import Server

ROUNDS = int(os.environ.get("LUA_FAULT_ROUNDS", "2"))
EACH = int(os.environ.get("LUA_FAULT_PUSHES", "4"))
WRITERS = 4


@pytest.fixture(params=["sqlite", "postgresql", "postgresql and s3"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    url = "" if request.param == "sqlite" else request.getfixturevalue("postgres").database()
    options, env = [], {}
    if request.param.endswith("s3"):
        options, env = ["--blobs", f"s3://lua/{uuid.uuid4()}"], request.getfixturevalue("seaweedfs").env
    running = Server(tmp_path / "server", *options, url=url, env=env).start()
    yield running
    running.close()


def start(server: Server, key: str, skill: str, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.faults.writers", server.address, skill, str(count)]
    env = {**os.environ, "LUA_API_KEY": key, "NO_PROXY": "*"}
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, bufsize=0, env=env)


def pause(chance: random.Random, longest: float) -> None:
    select.select([], [], [], chance.random() * longest)


def check(server: Server, key: str, said: dict[str, list[str]]) -> int:
    """What was answered is there; what is there is whole and is what a writer made. Gives the number of answered pushes."""
    pushes = 0
    with server.client(key) as registry:
        assert verify(registry, (AGENT,)).faults == []
        for skill, lines in said.items():
            record = registry.skill(AGENT, skill)
            assert record is not None, f"{skill} is gone"
            for number, found in enumerate(record.versions):
                assert found.version == f"1.0.{number}", "no number was skipped and none was used twice"
                assert found.digest == version(skill, number).digest
            history = {entry.number: entry.version for entry in registry.history(AGENT, skill)}
            assert list(history) == list(range(1, len(history) + 1))
            assert len(history) == len(set(history.values())), "no retry deployed twice"
            for line in lines:
                kind, label, detail = line.split()
                if kind == "pushed":
                    pushes += 1
                    kept = record.find(label)
                    assert kept is not None and kept.digest == detail, f"answered and lost: {skill} {line}"
                else:
                    assert history.get(int(detail)) == label, f"answered and lost: {skill} {line}"
    return pushes


def test_a_killed_server_loses_nothing_that_it_answered(server: Server) -> None:
    """It is killed at random moments under four writers, and comes back at the same address."""
    chance = random.Random(7)
    key = server.key("mo", AGENT)
    port = server.port
    writers = {f"skill{n}": start(server, key, f"skill{n}", EACH * ROUNDS) for n in range(WRITERS)}
    said: dict[str, list[str]] = {}

    def collect(skill: str, writer: subprocess.Popen[bytes]) -> None:
        said[skill] = writer.communicate(timeout=600)[0].decode().splitlines()

    collecting = [threading.Thread(target=collect, args=item) for item in writers.items()]
    for thread in collecting:
        thread.start()
    for _ in range(ROUNDS):
        pause(chance, 1.5)
        server.kill()
        server.start(port)
    for thread in collecting:
        thread.join()
    assert [writer.returncode for writer in writers.values()] == [0] * WRITERS
    assert check(server, key, said) == WRITERS * EACH * ROUNDS
    print(f"{ROUNDS} kills of the server, {WRITERS * EACH * ROUNDS} pushes answered, none lost")


def test_killed_clients_leave_nothing_half(server: Server) -> None:
    """Two of four writers are killed at random moments of a push or a deploy; the next ones go on where they were."""
    chance = random.Random(11)
    key = server.key("mo", AGENT)
    said: dict[str, list[str]] = {f"skill{n}": [] for n in range(WRITERS)}
    for _ in range(ROUNDS):
        writers = {skill: start(server, key, skill, EACH) for skill in said}
        for skill in list(writers)[:2]:
            out = writers[skill].stdout
            assert out is not None and os.read(out.fileno(), 1), "the writer ended on its own"
            said[skill].append("")
            pause(chance, 0.3)
            writers[skill].kill()
        for skill, writer in writers.items():
            rest = writer.communicate(timeout=600)[0].decode()
            lines = (said[skill].pop() if said[skill] and said[skill][-1] == "" else "") + rest
            whole = [line if line.startswith(("pushed", "live")) else f"p{line}" for line in lines.splitlines()]
            said[skill] += [line for line in whole if len(line.split()) == 3]
    answered = check(server, key, said)
    assert answered >= 2 * EACH * ROUNDS
    print(f"{2 * ROUNDS} kills of clients, {answered} pushes answered, none lost")


_HALF = """
import os, signal, sys
from lua_cli.project.credentials import Key
from lua_cli.registry.http import HttpRegistry
from tests.faults.test_kills import large
from tests.registry.sample import AGENT

def moved(what, done, size):
    if 0 < done < size:
        os.write(1, f"{done} of {size}\\n".encode())
        signal.pause()

with HttpRegistry(sys.argv[1], Key(os.environ["LUA_API_KEY"], "the test"), progress=moved) as registry:
    registry.put(AGENT, large(int(sys.argv[2])))
"""


def large(number: int) -> Submission:
    """Some MiB, which no buffer on the way takes whole."""
    return submission(f"1.0.{number}", random.Random(number).randbytes(40 << 10).hex(), unchecked=True)


def test_a_client_killed_in_the_middle_of_its_upload_leaves_nothing(server: Server) -> None:
    """It has sent a part of the content and is killed there; the next one pushes the same number, with other content."""
    key = server.key("mo", AGENT)
    for number in range(ROUNDS):
        sent = large(number)
        command = [sys.executable, "-c", _HALF, server.address, str(number)]
        env = {**os.environ, "LUA_API_KEY": key, "NO_PROXY": "*"}
        child = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, bufsize=0, env=env)
        assert child.stdout is not None
        done, _, size = os.read(child.stdout.fileno(), 100).decode().split()
        assert 0 < int(done) < int(size)
        child.kill()
        child.communicate(timeout=60)
        with server.http(key) as api, server.client(key) as registry:
            blob = sent.digest.removeprefix("sha256:")
            asked = api.post(f"/developer/agents/{AGENT}/backup/check-blobs", json={"hashes": [blob]})
            assert asked.json()["data"]["missing"] == [blob], "half of it would be taken for it"
            assert registry.put(AGENT, version("orders", number)).created
            assert verify(registry, (AGENT,)).faults == []
    print(f"{ROUNDS} clients killed in mid-upload")


def test_an_upload_that_breaks_off_is_not_there(server: Server) -> None:
    """The connection ends in the middle of a body: the content is missing, and the next push sends it whole."""
    import socket
    from urllib.parse import urlsplit

    key = server.key("mo", AGENT)
    sent = version("orders", 0)
    blob = sent.digest.removeprefix("sha256:")
    with server.http(key) as api:
        backup = f"/developer/agents/{AGENT}/backup"
        url = api.post(f"{backup}/blob-upload-urls", json={"hashes": [blob]}).json()["data"]["urls"][blob]
        for cut in (0, 1, len(sent.content) // 2, len(sent.content) - 1):
            with socket.create_connection(("127.0.0.1", server.port)) as line:
                head = f"PUT {urlsplit(url).path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(sent.content)}\r\n\r\n"
                line.sendall(head.encode() + sent.content[:cut])
        checked = api.post(f"{backup}/check-blobs", json={"hashes": [blob]}).json()["data"]
        assert checked["missing"] == [blob]
    with server.client(key) as registry:
        assert registry.put(AGENT, sent).created
        assert digest_of(registry.artifact(AGENT, "orders", "1.0.0")) == sent.digest
