"""How a fork ended, where the system tells of an end and where it is looked for."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from lua_cli.child.forks import TIMED_OUT, in_fork

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # of those who run tests


@pytest.fixture(params=["told", "looked for"])
def wait(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "looked for":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    return str(request.param)


def _raise() -> None:
    raise SystemExit("no way back")


ENDS: dict[str, tuple[Callable[[], None], int]] = {
    "nothing": (lambda: None, 0),
    "an exit": (lambda: os._exit(3), 3),
    "a signal": (lambda: os.kill(os.getpid(), signal.SIGTERM), -signal.SIGTERM),
    "an error": (_raise, 70),
}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.usefixtures("wait")
def test_how_a_fork_ended_is_told(how: str) -> None:
    work, code = ENDS[how]
    assert in_fork(work, 60) == code


@pytest.mark.usefixtures("wait")
def test_a_fork_that_does_not_end_is_killed() -> None:
    reading, writing = os.pipe()

    def hang() -> None:
        os.write(writing, f"{os.getpid()}\n".encode())
        signal.pause()

    assert in_fork(hang, 0) == TIMED_OUT
    os.close(writing)
    with pytest.raises(ProcessLookupError):
        os.kill(int(os.read(reading, 100)), 0)
    os.close(reading)
