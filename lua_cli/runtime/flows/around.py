"""What surrounds a run of flows. In: whoever runs them fills it in. Out: an `Around`. Plain data and callables."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lua_cli.flows.model import Connector
from lua_cli.records import field, record, replace
from lua_cli.runtime.flows.message import BlockError
from lua_cli.runtime.masking import masker
from lua_cli.runtime.turns.cancellation import Cancellation

if TYPE_CHECKING:
    import httpx

    from lua_cli.runtime.turns.model import Entry, Model

SECONDS = 30.0
MAX_LINE, MAX_LINES = 10_000, 10_000
_LOOK = 0.05  # seconds between two looks at whether it is cancelled
_T = TypeVar("_T")


Python = Callable[[str, Any, float, Callable[[str], None]], Any]


class Store(Protocol):
    """The object store."""

    def read(self, key: str) -> tuple[bool, Any]:
        """Whether the key is there, and its value."""

    def write(self, key: str, value: Any) -> None:
        """Put a value."""

    def delete(self, key: str) -> None:
        """Remove a key, there or not."""


@record(frozen=True)
class LogLine:
    """What a `log` block says."""

    level: str
    text: str
    logger: str | None = None


@record(frozen=True)
class Mock:
    """What stands for a block: a body, variables, a failure, or dropping the message."""

    body: Any = None
    has_body: bool = False
    vars: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    drop: bool = False


def _no_model(_connector: Connector | None) -> Model:
    raise BlockError("no model is there to ask")


def _no_python(name: str, _value: Any, _seconds: float, _heard: Callable[[str], None]) -> Any:
    raise BlockError(f"the Python tool {name!r} is not there")


@record
class Around:
    """What blocks reach beyond the message.

    env      the values of the declared variables
    model    makes the model of a connector (None: the block names none)
    python   runs a Python tool: name, input, seconds, who hears what it prints → its output; raises BlockError
    mocks    what stands for blocks, by address
    http     answers `rest` in place of the network, in tests
    until    when everything must be done (time.monotonic)
    """

    env: Mapping[str, str] = field(default_factory=dict)
    store: Store | None = None
    model: Callable[[Connector | None], Model] = _no_model
    python: Python = _no_python
    mocks: Mapping[str, Mock] = field(default_factory=dict)
    http: httpx.BaseTransport | None = None
    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    logs: list[LogLine] = field(default_factory=list)
    transcript: list[Entry] = field(default_factory=list)
    on_log: Callable[[LogLine], None] | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)
    _mask: Callable[[str], str] | None = None

    def log(self, line: LogLine) -> None:
        """Keep a line, cut where it is too long and without secrets, and tell who listens. The last one says that there
        were more.
        """
        if len(self.logs) > MAX_LINES:
            return
        if len(self.logs) == MAX_LINES:
            line = LogLine("warn", f"more than {MAX_LINES:,} lines were logged: the rest is left out")
        text = self.masked(line.text)
        if len(text) > MAX_LINE:
            text = f"{text[:MAX_LINE]}… ({len(text):,} characters)"
        line = replace(line, text=text)
        self.logs.append(line)
        if self.on_log is not None:
            self.on_log(line)

    def masked(self, text: str) -> str:
        """A text that is shown to people, without the secrets among the variables."""
        if self._mask is None:
            self._mask = masker(self.env)
        return self._mask(text)

    def bounded(self, work: Callable[[], _T], seconds: float) -> _T:
        """Do something in a thread of its own, within `seconds`, and leave it to itself when it is cancelled or late.
        Raises what it raises, BlockError when it is cancelled, TimeoutError.
        """
        outcome: list[tuple[bool, Any]] = []
        done = threading.Event()

        def run() -> None:
            try:
                outcome.append((True, work()))
            except BaseException as error:  # noqa: BLE001  # carried over to who waits
                outcome.append((False, error))
            done.set()

        threading.Thread(target=run, name="bounded", daemon=True).start()
        until = time.monotonic() + seconds
        while not done.wait(min(_LOOK, max(until - time.monotonic(), 0))):
            self.left()
            if time.monotonic() >= until:
                raise TimeoutError
        good, value = outcome[0]
        if good:
            found: _T = value
            return found
        raise value

    def left(self) -> float:
        """Seconds that are left. Raises BlockError when there are none, or it is cancelled."""
        if self.cancellation.cancelled:
            raise BlockError("it was cancelled")
        left = self.until - time.monotonic()
        if left <= 0:
            raise BlockError("the time limit is over")
        return left
