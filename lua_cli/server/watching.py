"""What the server says of itself: one JSON line for each request, and numbers for Prometheus.

Never a key, a token, a header or a body: paths are logged as the operation's pattern.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from lua_cli.records import record

LOGGER = logging.getLogger("lua_cli.server")
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


@record(frozen=True)
class Served:
    """One request, as it is logged and counted."""

    id: str
    method: str
    route: str
    status: int
    seconds: float
    key: str
    agent: str
    code: str
    received: int
    sent: int


class Watch:
    """Numbers of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lua_requests", "Requests answered", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "lua_request_seconds", "Time to an answer", ["route"], buckets=_SECONDS, registry=self._registry
        )
        self._received = Counter("lua_received_bytes", "Bytes of request bodies", registry=self._registry)
        self._sent = Counter("lua_sent_bytes", "Bytes of answers", registry=self._registry)
        self._running = Gauge("lua_requests_running", "Requests not answered yet", registry=self._registry)
        self.pushed = Counter("lua_versions_pushed", "Versions stored", registry=self._registry)
        self.deployed = Counter("lua_deployments", "Versions made live", registry=self._registry)

    def begin(self) -> None:
        self._running.inc()

    def done(self, served: Served) -> None:
        self._running.dec()
        self._requests.labels(served.method, served.route, str(served.status)).inc()
        self._seconds.labels(served.route).observe(served.seconds)
        self._received.inc(served.received)
        self._sent.inc(served.sent)
        if served.status == 201 and served.route.endswith("/version"):
            self.pushed.inc()
        if served.status == 200 and served.route.endswith("/publish"):
            self.deployed.inc()
        say(
            "request",
            id=served.id,
            method=served.method,
            route=served.route,
            status=served.status,
            ms=round(served.seconds * 1000, 1),
            key=served.key or None,
            agent=served.agent or None,
            code=served.code or None,
            received=served.received,
            sent=served.sent,
        )

    def numbers(self) -> bytes:
        return generate_latest(self._registry)


def say(event: str, **facts: Any) -> None:
    """One line of the log."""
    LOGGER.info(event, extra={"facts": facts})


def say_failure(event: str, error: BaseException, **facts: Any) -> None:
    """A failure of ours, with its traceback."""
    trace = "".join(traceback.format_exception(error))
    LOGGER.error(event, extra={"facts": {**facts, "error": str(error)[:500], "traceback": trace}})


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z"
        facts = {name: value for name, value in getattr(record, "facts", {}).items() if value is not None}
        line = {"time": at, "level": record.levelname.lower(), "event": record.getMessage(), **facts}
        return json.dumps(line)


def log_to(stream: TextIO) -> None:
    """Send the log of the server and of what it stands on to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Lines())
    for name, level in (("lua_cli.server", logging.INFO), ("uvicorn", logging.WARNING), ("asyncio", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False
