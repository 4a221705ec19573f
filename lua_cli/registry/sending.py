"""Sends HTTP requests: repeated where that is safe, bounded in time and size. In: a request. Out: an `Answer`, or
UnavailableError.

Repeated are statuses 429 and 502 to 504 and connections that fail: whoever sends sees to it that a repetition is
harmless. The total time limit holds whatever the server does. A key goes to its own address alone.
"""

from __future__ import annotations

import json
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import httpx

from lua_cli._version import __version__
from lua_cli.errors import LuaError, UnavailableError
from lua_cli.project.credentials import Key
from lua_cli.records import field, record
from lua_cli.registry.network import TRY_AGAIN, host_of, in_words, open_client, origin, passing

_REPEATED = (429, 502, 503, 504)
_CHUNK = 64 * 1024
T = TypeVar("T")


@record(frozen=True)
class Policy:
    """How long and how often. Waits grow from `base` to `cap` seconds, each drawn at random below that; a server may
    ask for up to `patience`. `total` bounds a call with its repetitions; `slowest` bytes a second are allowed for on
    top of it.
    """

    repeats: int = 3
    base: float = 1.0
    cap: float = 15.0
    patience: float = 60.0
    total: float = 120.0
    slowest: int = 64 * 1024
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random


@record(frozen=True)
class Request:
    """What to send. `limit` bounds the answer's size; `content` is sent with its length; `progress` hears of the
    bytes that moved.
    """

    method: str
    url: str
    limit: int
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)
    progress: Callable[[int], None] | None = None

    @property
    def large(self) -> int:
        """How many bytes may have to move beyond an ordinary call."""
        return len(self.content or b"") if self.method != "GET" else self.limit if self.progress else 0


@record(frozen=True)
class Answer:
    """What came back, whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class Sender:
    """Sends to `address` with `key`, and to other addresses that are named to it without."""

    def __init__(self, address: str, key: Key | None, policy: Policy | None = None) -> None:
        self._address = address
        self._key = key
        self._policy = policy or Policy()
        self._client = open_client()

    def close(self) -> None:
        self._client.close()

    def send(self, request: Request) -> Answer:
        """Send until there is an answer that repeating would not mend, or the time or the repeats are used up."""
        policy = self._policy
        total = policy.total + request.large / policy.slowest
        deadline = policy.clock() + total
        for attempt in range(policy.repeats + 1):
            outcome = self._try(request, deadline, total)
            if isinstance(outcome, Answer) and outcome.status not in _REPEATED:
                return outcome
            wait = self._wait(outcome, attempt)
            if attempt == policy.repeats or wait > policy.patience or policy.clock() + wait > deadline:
                break
            policy.sleep(wait)
        if isinstance(outcome, Answer):
            return outcome
        raise outcome

    def _try(self, request: Request, deadline: float, total: float) -> Answer | LuaError:
        """One attempt: its answer, or the error that another attempt may not meet. Raises what will not get better."""
        left = deadline - self._policy.clock()
        try:
            return _bounded(lambda: self._exchange(request, left), left)
        except TimeoutError:
            message = f"{host_of(request.url)} did not answer within {total:.3g} s"
            raise UnavailableError(message, hint=TRY_AGAIN) from None
        except (httpx.InvalidURL, UnicodeError) as error:
            raise UnavailableError(f"{host_of(request.url)} is no address", hint="check the address") from error
        except httpx.TransportError as error:
            words = in_words(error, request.url)
            if not passing(error):
                raise words from error
            return words

    def _wait(self, outcome: Answer | LuaError, attempt: int) -> float:
        """Seconds before the next attempt: at random up to a growing limit, and not less than the server asks for."""
        policy = self._policy
        wait: float = policy.chance() * min(policy.cap, policy.base * 2**attempt)
        return max(wait, _asked_wait(outcome)) if isinstance(outcome, Answer) else wait

    def _exchange(self, request: Request, left: float) -> Answer:
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"lua-cli/{__version__}",
            **request.headers,
        }
        if self._key is not None and origin(request.url) == origin(self._address):
            headers["Authorization"] = f"Bearer {self._key.secret}"
        body = None
        if request.content is not None:
            headers["Content-Length"] = str(len(request.content))
            body = _chunks(request.content, request.progress)
        phases = httpx.Timeout(min(30.0, left), connect=min(10.0, left))
        with self._client.stream(
            request.method, request.url, headers=headers, content=body, timeout=phases
        ) as response:
            received = bytearray()
            for chunk in response.iter_raw(_CHUNK):
                received += chunk
                if len(received) > request.limit:
                    raise UnavailableError(
                        f"the answer of {host_of(request.url)} is larger than {request.limit / 1024**2:.0f} MiB",
                        hint="check the address",
                    )
                if request.progress and request.content is None:
                    request.progress(len(received))
            return Answer(response.status_code, response.headers, bytes(received))


def _bounded(work: Callable[[], T], seconds: float) -> T:
    """The result of `work`, or TimeoutError. It runs in a thread that is left behind: name resolution and a server
    that drips its answer know no other limit.
    """
    answers: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put((work(), None))
        except BaseException as error:  # noqa: BLE001  # raised again by whoever waits
            answers.put((None, error))

    threading.Thread(target=run, daemon=True, name="lua-http").start()
    try:
        result, error = answers.get(timeout=max(seconds, 0.001))
    except queue.Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


def _chunks(content: bytes, progress: Callable[[int], None] | None) -> Iterator[bytes]:
    for start in range(0, len(content), _CHUNK):
        yield content[start : start + _CHUNK]
        if progress:
            progress(min(start + _CHUNK, len(content)))


def _asked_wait(answer: Answer) -> float:
    """`Retry-After` (seconds or a date), or `retryAfterSeconds` in the body; 0 without."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isdigit():
        return float(text[:9])
    if text:
        from datetime import UTC, datetime
        from email.utils import parsedate_to_datetime

        try:
            return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):
            return 0.0
    try:
        value = json.loads(answer.body)["error"]["retryAfterSeconds"]
        return max(0.0, float(value))
    except (ValueError, TypeError, KeyError, RecursionError):
        return 0.0
