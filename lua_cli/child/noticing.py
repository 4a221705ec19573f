"""Notices which functions of an artifact run while it is looked at. In: the artifact's folder. Out: member → lines at
which the functions that ran begin; None where that cannot be told.

What did not run cannot have decided what was seen, unless somebody read its source: a file of the artifact that is
opened for more than its import, a thread, another process or another profiler make the answer None. Changes this
process for good (an audit hook stays), so it belongs into a fork.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from types import CodeType
from typing import TYPE_CHECKING, Any

from lua_cli.child.failure import Frames

if TYPE_CHECKING:
    from lua_cli.child.counting import Counted

_UNTOLD = frozenset(
    {
        "_thread.start_new_thread", "_thread.start_joinable_thread", "sys.setprofile",
        "sys.monitoring.register_callback", "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty",
        "os.posix_spawn", "os.spawn",
    }
)  # fmt: skip


class Noticing:
    """From `start` to `ran`."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._opened: dict[str, int] = {}
        self._told = True
        self._armed = False
        self._calls: Counted | _Monitored | None = None

    def start(self) -> None:
        try:
            self._calls = _KIND(self._frames)
        except (ValueError, RuntimeError):  # a Python without it, or a tool of that kind is at work
            self._told = False
            return
        self._armed = True
        sys.addaudithook(self._hear)

    def ran(self) -> dict[str, list[int]] | None:
        """End noticing: the functions that ran."""
        self._armed = False
        if self._calls is None:
            return None
        called = self._calls.end()
        if not self._told or not self._imported_alone():
            return None
        found: dict[str, set[int]] = {}
        for code in called:
            member = self._frames.member(code.co_filename)
            if member is not None and code.co_name != "<module>":
                found.setdefault(member, set()).add(code.co_firstlineno)
        return {member: sorted(lines) for member, lines in sorted(found.items())}

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._armed:
            return
        if event == "open":
            path = args[0]
            if isinstance(path, bytes):
                path = path.decode(errors="surrogateescape")
            if isinstance(path, str) and path.endswith(".py"):
                path = os.path.abspath(path)  # noqa: PTH100  # called for every file that is opened
                if self._frames.member(path) is not None:
                    self._opened[path] = self._opened.get(path, 0) + 1
        elif event in _UNTOLD:
            self._told = False

    def _imported_alone(self) -> bool:
        """Whether each source that was opened was opened once, for the import of its module."""
        modules = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        return all(count == 1 and path in modules for path, count in self._opened.items())


class _Monitored:
    """The calls from now on, where Python tells of each function once (3.12, PEP 669), which costs next to nothing."""

    _TOOL = 4  # one of those that are nobody's: debuggers, coverage and profilers have others

    def __init__(self, _frames: Frames) -> None:
        monitoring: Any = getattr(sys, "monitoring")  # noqa: B009  # not there in 3.11
        monitoring.use_tool_id(self._TOOL, "lua-cli")
        self._monitoring, self._called = monitoring, list[CodeType]()  # two functions may have equal code
        monitoring.register_callback(self._TOOL, monitoring.events.PY_START, self._hear)
        monitoring.set_events(self._TOOL, monitoring.events.PY_START)

    def _hear(self, code: CodeType, _offset: int) -> Any:
        self._called.append(code)
        return self._monitoring.DISABLE

    def end(self) -> Iterable[CodeType]:
        self._monitoring.set_events(self._TOOL, 0)
        self._monitoring.free_tool_id(self._TOOL)
        return self._called


def _kind() -> Callable[[Frames], Counted | _Monitored]:
    """What this Python tells calls by."""
    if sys.version_info >= (3, 12):
        return _Monitored
    if sys.implementation.name != "cpython":
        return _untold
    from lua_cli.child.counting import Counted

    return Counted


def _untold(_frames: Frames) -> Counted:
    raise RuntimeError(f"calls are not told by {sys.implementation.name}")


_KIND = _kind()  # loaded before there are forks
