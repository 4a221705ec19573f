"""Runs the application on a socket until it is told to stop. In: an application and a place. Out: nothing; `ready`
hears the address. A stop (SIGTERM, SIGINT) ends what is running first, for at most half a minute.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import uvicorn

from lua_cli.errors import LuaError
from lua_cli.server.watching import log_to, say

_GRACE_SECONDS = 30


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A stop that was asked for is no failure: the signal is not raised again after it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises LuaError when the place is taken or not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        why = error.strerror if isinstance(error, OSError) else "no such port"
        raise LuaError(f"cannot listen on {host}:{port}: {why}", hint="name another with --host and --port") from error
    return listening


def run(
    app: Any,
    listening: socket.socket,
    ready: Callable[[str], None],
    log: TextIO,
    tls: tuple[Path, Path] | None = None,
) -> None:
    """Serve until the process is told to stop."""
    log_to(log)
    certificate, key = tls or (None, None)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    host, port = listening.getsockname()[:2]
    address = f"http{'s' if tls else ''}://{f'[{host}]' if ':' in host else host}:{port}"

    def announce() -> None:
        say("started", address=address)
        ready(address)

    try:
        _Server(config, announce).run([listening])
    finally:
        listening.close()
        say("stopped")
