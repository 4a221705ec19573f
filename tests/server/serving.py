"""The real server in a process of its own, and the database under it: bounded in time, on loopback, gone after the test."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import httpx
import pytest

from lua_cli.project.credentials import Key
from lua_cli.registry.http import HttpRegistry
from lua_cli.server.database import open_database
from lua_cli.server.keys import create_key
from tests.conftest import REPOSITORY
from tests.registry.sample import AGENT

LONGEST_SECONDS = 600
_COMMAND = f"""
import signal, sys
signal.alarm({LONGEST_SECONDS})
from lua_cli.main import main
sys.exit(main(sys.argv[1:]))
"""


class Server:
    """`lua serve` on a free port. `url` is its database; `address` is known once it has started."""

    def __init__(self, folder: Path, *options: str, url: str = "", env: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.url = url or f"sqlite:///{folder / 'server.db'}"
        self.options = options
        self.env = dict(env or {})
        self.address = ""
        self.process: subprocess.Popen[bytes] | None = None
        self.log = folder / "server.log"

    def start(self, port: int = 0, wrapper: Sequence[str] = ()) -> Server:
        """Start it and wait until it says where it listens."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-c", _COMMAND, "serve", "--port", str(port), *self.options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*wrapper, *command],
                cwd=REPOSITORY,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "LUA_DATABASE_URL": self.url, **self.env},
                start_new_session=True,  # a wrapper may start it as a child of its own: both are ended
            )
        line = _out(self.process).readline().decode().strip()
        assert line.startswith("http"), self.log.read_text("utf-8", "replace")
        self.address = line
        return self

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def key(self, name: str = "mo", *agents: str, scopes: Sequence[str] = ()) -> str:
        """A new key's secret; without agents it is for every one."""
        with contextlib.closing(open_database(self.url)) as database:
            return database.write(lambda tx: create_key(tx, name, agents, scopes))[1]

    def client(self, key: str | None = None, **more: Any) -> HttpRegistry:
        return HttpRegistry(self.address, Key(key or self.key(), "the test"), **more)

    def http(self, key: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=120, trust_env=False)

    def kill(self) -> None:
        """As a power cut would: no handler runs."""
        assert self.process is not None
        self._signal(signal.SIGKILL)
        self._gone()

    def stop(self) -> int:
        """As an operator would; gives the exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self._signal(signal.SIGTERM)
        return self._gone()

    def close(self) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self._signal(signal.SIGKILL)
        self._gone()

    def _signal(self, number: int) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
            os.killpg(self.process.pid, number)

    def _gone(self) -> int:
        assert self.process is not None
        code = self.process.wait(timeout=60)
        _out(self.process).close()
        return code


def _out(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None
    return process.stdout


class OwnAgent:
    """A registry in which the tests' agent is one of its own, so that tests can share a server."""

    def __init__(self, registry: HttpRegistry) -> None:
        self._registry = registry
        self._own = f"{AGENT}-{uuid.uuid4()}"

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._registry, name)
        if not callable(found) or name in ("close", "agents", "me"):
            return found
        return lambda agent, *args, **more: found(self._own if agent == AGENT else agent, *args, **more)


class Postgres:
    """A cluster of its own on a unix socket in a folder of its own."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = "postgres" if os.getuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="lua-pg-"))
        if self._user:
            shutil.chown(self.folder, self._user)
        self._run("initdb", "-D", "data", "-U", "lua", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        self._start()

    def _start(self) -> None:
        options = [
            "-c",
            "listen_addresses=",
            "-c",
            f"unix_socket_directories={self.folder}",
            "-c",
            "max_connections=200",
        ]
        self._server = subprocess.Popen(
            ["timeout", "-k", "5", "900", str(self._programs / "postgres"), "-D", "data", *options],
            cwd=self.folder,
            user=self._user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(3600):
            if self._program("pg_isready", "-h", str(self.folder)).returncode == 0:
                return
            assert self._server.poll() is None, "PostgreSQL ended on its own"
            time.sleep(0.05)
        raise AssertionError("PostgreSQL did not come up")

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"lua_{uuid.uuid4().hex}"
        self._run("createdb", "-h", str(self.folder), "-U", "lua", name)
        return f"postgresql+psycopg://lua@/{name}?host={self.folder}"

    def crash(self) -> None:
        """The whole cluster ends at once and comes back, as after a power cut."""
        self._program("pg_ctl", "-D", "data", "-m", "immediate", "stop")
        self._server.wait(timeout=60)
        self._start()

    def close(self) -> None:
        self._program("pg_ctl", "-D", "data", "-m", "immediate", "stop")
        self._server.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _program(self, name: str, *args: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(self._programs / name), *args], cwd=self.folder, user=self._user, capture_output=True, timeout=120
        )

    def _run(self, name: str, *args: str) -> None:
        done = self._program(name, *args)
        assert done.returncode == 0, done.stderr.decode()


def postgres_programs() -> Path:
    """Where PostgreSQL's programs are; skips the test where they are not."""
    found = [Path(path).parent for path in (shutil.which("initdb"),) if path]
    found += sorted(path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return found[-1]


@contextlib.contextmanager
def running_postgres() -> Iterator[Postgres]:
    cluster = Postgres(postgres_programs())
    try:
        yield cluster
    finally:
        cluster.close()
