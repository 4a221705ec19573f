"""Exceptions → plain data that the parent can show. In: an exception, the artifact's folder. Out: type, message, the
user's frames.

Frames outside of the artifact (ours, the standard library's, packages') are left out; what they raised is still told.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any

_MESSAGE, _FRAMES, _CHAIN, _INNER = 4_000, 24, 4, 8


class Frames:
    """Knows which frames are the user's: those whose file lies in the artifact's folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder.rstrip(os.sep) + os.sep

    def member(self, file: str) -> str | None:
        """The name inside the artifact of a source file; None for one that is not in it."""
        if not file.startswith(self.folder):
            return None
        return file[len(self.folder) :].replace(os.sep, "/")

    def path(self, member: str) -> str:
        """Where a member lies."""
        return self.folder + member.replace("/", os.sep)

    def of_stack(self, stack: Iterable[tuple[FrameType, int]]) -> list[dict[str, Any]]:
        """The user's frames, the outermost first; long recursions lose their middle."""
        out = []
        for frame, line in stack:
            member = self.member(frame.f_code.co_filename)
            if member is not None:
                out.append({"file": member, "line": line, "name": frame.f_code.co_qualname})
        if len(out) > _FRAMES:
            half = _FRAMES // 2
            out = [*out[:half], {"file": "", "line": 0, "name": f"… {len(out) - _FRAMES} frames more …"}, *out[-half:]]
        return [{**frame, "text": self._line(frame)} for frame in out]

    def _line(self, frame: dict[str, Any]) -> str:
        import linecache

        return linecache.getline(self.path(frame["file"]), frame["line"]).strip() if frame["file"] else ""


def describe(error: BaseException, frames: Frames) -> dict[str, Any]:
    """What happened: {"type", "message", "path", "line", "column", "frames", "hint", "causes", "inner"}; `path` is a
    member or None, `inner` are the exceptions of an exception group.
    """
    own = frames.of_stack(_traceback(error.__traceback__))
    path, line = (own[-1]["file"], own[-1]["line"]) if own else (None, None)
    column = None
    if isinstance(error, SyntaxError) and error.filename and frames.member(error.filename):
        path, line, column = frames.member(error.filename), error.lineno, error.offset or None
    return {
        "type": _type_name(error),
        "message": message_of(error, frames),
        "path": path,
        "line": line,
        "column": column,
        "frames": own,
        "hint": _hint(error, frames),
        "causes": [_plainly(cause, frames) for cause in _causes(error)],
        "inner": list(_inner(error, frames)),
    }


def _plainly(error: BaseException, frames: Frames) -> dict[str, Any]:
    """An exception that stands behind another one."""
    own = frames.of_stack(_traceback(error.__traceback__))
    return {"type": _type_name(error), "message": message_of(error, frames), "frames": own}


def _inner(error: BaseException, frames: Frames) -> Iterator[dict[str, Any]]:
    """What a group holds, groups in it opened; the first few, and how many more there are. One that was never raised by
    itself stands where its group was.
    """
    found: list[tuple[BaseException, BaseException]] = []
    waiting = [error]
    while waiting:
        group = waiting.pop(0)
        for one in group.exceptions if isinstance(group, BaseExceptionGroup) else ():
            if isinstance(one, BaseExceptionGroup):
                waiting.append(one)
            else:
                found.append((one, group))
    for one, group in found[:_INNER]:
        told = _plainly(one, frames)
        yield told if told["frames"] or group is error else {**told, "frames": _plainly(group, frames)["frames"]}
    if len(found) > _INNER:
        yield {"type": f"… {len(found) - _INNER} exceptions more …", "message": "", "frames": []}


def message_of(error: BaseException, frames: Frames) -> str:
    """The exception's own words; an exception whose words cannot be had is named instead."""
    try:
        text = str(error)
        if (
            isinstance(error, KeyError)
            and len(error.args) == 1
            and isinstance(error.args[0], str)
            and " " in error.args[0]
        ):
            text = error.args[0]  # str() of a KeyError is the repr of its text
    except Exception as inner:  # noqa: BLE001  # user code: __str__ may raise anything
        text = f"(its __str__ raised {type(inner).__name__})"
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace(frames.folder, "")
    return text if len(text) <= _MESSAGE else text[:_MESSAGE] + " …"


def _type_name(error: BaseException) -> str:
    kind = type(error)
    return (
        kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    )


def _traceback(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen = {id(error)}
    for _ in range(_CHAIN):
        following = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if following is None or id(following) in seen:
            return
        seen.add(id(following))
        yield following
        error = following


def _hint(error: BaseException, frames: Frames) -> str | None:
    if isinstance(error, ModuleNotFoundError) and error.name and error.name.split(".")[0] == "lua_cli":
        return "inside a tool only `from lua_cli import …` (the SDK) is there"
    if isinstance(error, ModuleNotFoundError) and error.name:
        return (
            f"is `{error.name}` a module of the project? Then [tool.lua] include-modules bundles it; "
            f"a package must be installed for {sys.executable}"
        )
    if isinstance(error, ImportError) and "partially initialized module" in str(error):
        return f"{_cycle(error, frames)}: move one of these imports into the function that needs it"
    if isinstance(error, KeyError) and _from_environment(error):
        return f"the variable {error.args[0]} is not set: put it into .env, or pass --env-file"
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
        return _no_program(error.filename) if _from_starting(error) else _no_file(error.filename, frames)
    if type(error).__name__ == "PydanticSchemaGenerationError":
        return _plain_class(error, frames)
    if isinstance(error, NameError) and error.name:
        from lua_cli.child.annotations import type_checking_hint

        for frame in reversed(frames.of_stack(_traceback(error.__traceback__))):
            hint = type_checking_hint(frames.path(frame["file"]), error.name, frames) if frame["file"] else None
            if hint:
                return hint
    return None


def _from_starting(error: FileNotFoundError) -> bool:
    """Whether a program was to be started: `subprocess` says what it lacks as `open` does."""
    innermost = list(_traceback(error.__traceback__))[-1:]
    return bool(innermost) and innermost[0][0].f_code.co_name == "_execute_child"


def _no_program(name: str) -> str | None:
    if os.sep in name:
        return None  # a path says itself what is missing, and may be the folder to start in
    return f"there is no program {name!r} on the PATH of the run: install it, or do without one"


def _no_file(path: str, frames: Frames) -> str | None:
    """What the run has instead of the project's folder: the artifact, and an empty working folder."""
    if not os.path.isabs(path):  # noqa: PTH117
        return 'a run begins in an empty folder: a file of the tool is read by `Path(__file__).parent / "…"`'
    beside = os.path.dirname(frames.folder.rstrip(os.sep)) + os.sep  # noqa: PTH120
    if not os.path.normpath(path).startswith(beside):
        return None
    return (
        "it is not bundled: `lua compile` says why, where the path is a literal; name others in `include` of [tool.lua]"
    )


def _plain_class(error: BaseException, frames: Frames) -> str | None:
    """A model has a field of a class of the user's own that is no model."""
    import re

    found = re.search(r"<class '([\w.]+)\.(\w+)'>", str(error))
    module = frames.path(found[1].replace(".", "/")) if found else ""
    if found is None or not (os.path.isfile(f"{module}.py") or os.path.isfile(f"{module}/__init__.py")):  # noqa: PTH113
        return None
    return f"derive `{found[2]}` from pydantic's BaseModel, or make it a dataclass or a TypedDict"


def _cycle(error: ImportError, frames: Frames) -> str:
    """The way around: a.py:3 -> b.py:1 -> a.py."""
    own = [frame for frame in frames.of_stack(_traceback(error.__traceback__)) if frame["file"]]
    last = frames.member(error.path or "") or error.name or "the first"
    start = next((number for number, frame in enumerate(own) if frame["file"] == last), 0)
    return " -> ".join([*(f"{frame['file']}:{frame['line']}" for frame in own[start:]), last])


def _from_environment(error: KeyError) -> bool:
    """Whether `os.environ` raised it: the innermost frame is the one of its lookup."""
    innermost = list(_traceback(error.__traceback__))[-1:]
    return bool(innermost) and innermost[0][0].f_code is type(os.environ).__getitem__.__code__
