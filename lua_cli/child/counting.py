"""Which code of an artifact ran, by the counts that Python 3.11 keeps: for each code object how often it began, until
it is specialised. In: the artifact's folder. Out: code objects. Not for another Python.

A profiler tells the same, and slows down all that is not the artifact's too: a quarter of a look at tools.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from types import CodeType
from typing import Any

from lua_cli.child.failure import Frames

_BRING_CODE = frozenset({"exec", "function.__new__", "object.__setattr__"})  # the last for a function's `__code__`


class _Head(ctypes.Structure):
    """What a code object of CPython 3.11 begins with."""

    _fields_ = (
        ("object", ctypes.c_char * object.__basicsize__), ("size", ctypes.c_ssize_t),
        ("constants", ctypes.c_void_p), ("names", ctypes.c_void_p), ("exceptions", ctypes.c_void_p),
        ("flags", ctypes.c_int), ("count", ctypes.c_short),
    )  # fmt: skip


_Heads = ctypes.POINTER(_Head)


class Counted:
    """The calls from now on. Raises RuntimeError where the counts cannot be read."""

    def __init__(self, frames: Frames) -> None:
        self._frames, self._brought = frames, list[CodeType]()  # two functions may have equal code
        self._place = ctypes.c_size_t()
        self._at_place = _Heads.from_buffer(
            self._place
        )  # set anew for each code: `from_address` is told to audit hooks
        example = compile("0", "", "eval")
        self._fresh = self._count(example)
        eval(example)  # noqa: S307
        if self._at_place[0].flags != example.co_flags or self._count(example) == self._fresh:
            raise RuntimeError("code objects of another kind")
        sys.addaudithook(self._hear)

    def _count(self, code: CodeType) -> int:
        self._place.value = id(code)
        return int(self._at_place[0].count)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        """Code that is to be run or becomes a function's; that of functions lies inside of their module's."""
        if event in _BRING_CODE:
            code = args[-1]
            if isinstance(code, CodeType) and self._frames.member(code.co_filename) is not None:
                self._brought.append(code)

    def end(self) -> Iterable[CodeType]:
        """The code that was called. What lies inside of code that did not run was not called from there."""
        waiting = list(self._brought)
        while waiting:
            code = waiting.pop()
            if self._count(code) != self._fresh:
                waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
                yield code
