"""What a child came to → a RunResult, in words. In: an Ended. Out: the result; a success only when the child said so
itself.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lua_cli.child.launch import NO_CHANNEL, Ended, Limits
from lua_cli.probe.json_schema import pointer
from lua_cli.probe.naming import in_project
from lua_cli.records import record
from lua_cli.runtime.model import Fault, RunError, RunResult
from lua_cli.runtime.request import read_answer


@record(frozen=True)
class Wording:
    """What the words need: the tool, how secrets are masked, the names of files in the project, the limits, the
    artifact's folder, the input's value.
    """

    tool: str
    mask: Callable[[str], str]
    sources: Mapping[str, str]
    timeout: float
    limits: Limits
    folder: str
    value: Any = None

    def clean(self, text: str) -> str:
        """`text` as the user may see it: secrets masked, files named as in the project."""
        inside = re.compile(re.escape(self.folder) + r"/([\w./-]+)")
        return self.mask(inside.sub(lambda found: self.sources.get(found[1], found[1]), text))


def result_of(ended: Ended, wording: Wording) -> RunResult:
    """The result of a run."""
    logs = wording.clean(ended.logs)
    duration = round(ended.seconds * 1000)
    answer, http = ended.first("R"), ended.first("H") or {}
    if answer is not None and answer["ok"]:
        return RunResult(
            wording.tool,
            read_answer(answer["output"]),
            None,
            duration,
            logs,
            tuple(wording.mask(note) for note in answer["notes"]),
            http,
        )
    error = _refused(answer, wording) if answer is not None else _silent(ended, wording)
    return RunResult(wording.tool, None, error, duration, logs, http=http)


def _refused(answer: Mapping[str, Any], wording: Wording) -> RunError:
    kind = answer["kind"]
    if kind == "input":
        return _input(answer["faults"], wording)
    if kind == "output":
        return RunError(
            "output-not-json", f"{wording.tool} returned what is no JSON: {wording.mask(answer['message'])}",
            path=answer["path"], hint=answer["hint"],
        )  # fmt: skip
    if kind == "exit":
        return RunError(
            "crashed",
            f"{wording.tool} ended the process with exit({answer['status']})",
            hint="return, or raise an exception",
        )
    trace = traceback_text(answer, wording)
    if kind == "memory":
        message = f"{wording.tool} needs more memory than the limit of {wording.limits.memory // 1024**2} MiB"
        return RunError("crashed", message, traceback=trace)
    words = f"{answer['type']}: {answer['message']}" if answer["message"] else str(answer["type"])
    doing = {
        "import": "importing it failed: ", "instance": "building it failed: ", "schema": "its schema cannot be read: ",
        "validator": "its input model failed: ",
    }.get(kind, "")  # fmt: skip
    if kind in ("schema", "class"):
        words = answer["message"]
    hint = in_project(answer.get("hint") or "", wording.sources)
    message = wording.mask(f"{doing}{words}")
    exception = None if kind in ("schema", "class") else answer["type"]
    return RunError("tool-error", message, traceback=trace, hint=wording.mask(hint) or None, exception=exception)


def _input(faults: list[Mapping[str, Any]], wording: Wording) -> RunError:
    found = tuple(Fault(_real_path(fault["path"], wording.value), wording.mask(fault["message"])) for fault in faults)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    message = f"the input does not fit {wording.tool}: {found[0].path or 'it'}: {found[0].message}{more}"
    return RunError("input-invalid", message, path=found[0].path, errors=found)


def _real_path(path: list[Any], value: Any) -> str:
    """pydantic's location without the names of union members: what is in the input, and at the end a key that is
    missing in it.
    """
    out: list[str | int] = []
    for number, part in enumerate(path):
        known = part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
        if known:
            value = value[part]
        elif not (number == len(path) - 1 and isinstance(value, dict)):
            continue
        out.append(part)
    return pointer(out)


def _silent(ended: Ended, wording: Wording) -> RunError:
    """The child said nothing: it was stopped, or it went down."""
    if ended.timed_out:
        late = ended.first("T") or {}
        frames = late.get("frames") or _frames_of_trace(ended.trace, wording)
        where = f"; it was at {_place(frames[-1], wording)}" if frames else ""
        text = _stack_text(frames, wording) if frames else None
        message = f"{wording.tool} ran longer than {wording.timeout:g} seconds and was stopped{where}"
        return RunError("timeout", message, traceback=text, hint="a longer limit is --timeout SECONDS")
    frames = _frames_of_trace(ended.trace, wording)
    text = _stack_text(frames, wording) if frames else None
    return RunError("crashed", f"{wording.tool} {_ending(ended, wording)}", traceback=text)


def _ending(ended: Ended, wording: Wording) -> str:
    code, limits = ended.exit_code, wording.limits
    if ended.limit == "disk":
        return f"wrote more than the limit of {limits.disk // 1024**2} MiB into its folders"
    if code is None:
        return "ended its processes from outside"
    if code == NO_CHANNEL:
        return "closed the descriptor that its result goes through"
    if code >= 0:
        return f"ended the process with exit({code})"
    if code == -signal.SIGXFSZ:
        return f"wrote a file larger than the limit of {limits.file_size // 1024**2} MiB"
    if code == -signal.SIGXCPU:
        return f"used more CPU time than the limit of {limits.for_child(wording.timeout)['cpu']} seconds"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    return f"was killed by signal {-code} ({name})"


def traceback_text(answer: Mapping[str, Any], wording: Wording) -> str | None:
    """The exceptions with the user's frames, as Python prints them, the causes first; None without any frame."""
    causes, inner = answer.get("causes") or [], answer.get("inner") or []
    if not any(error.get("frames") for error in (answer, *causes, *inner)):
        return None
    parts = [_one(cause, wording) + "\n\nThe above exception led to the following one:\n" for cause in reversed(causes)]
    held = [f"\nin the group:\n{_indented(_one(one, wording))}" for one in inner]
    return "\n".join([*parts, _one(answer, wording), *held])


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def _one(error: Mapping[str, Any], wording: Wording) -> str:
    words = f"{error['type']}: {error['message']}" if error["message"] else str(error["type"])
    stack = _stack_text(error["frames"], wording) + "\n" if error["frames"] else ""
    return stack + wording.mask(words)


def _stack_text(frames: Sequence[Mapping[str, Any]], wording: Wording) -> str:
    lines = ["Traceback (most recent call last):"]
    for frame in frames:
        if not frame["file"]:
            lines.append(f"  {frame['name']}")
            continue
        lines.append(f'  File "{_file(frame, wording)}", line {frame["line"]}, in {frame["name"]}')
        if frame.get("text"):
            lines.append(f"    {wording.mask(frame['text'])}")
    return "\n".join(lines)


def _file(frame: Mapping[str, Any], wording: Wording) -> str:
    return wording.sources.get(frame["file"], frame["file"])


def _place(frame: Mapping[str, Any], wording: Wording) -> str:
    return f"{_file(frame, wording)}:{frame['line']}"


_TRACE_LINE = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.+)$', re.MULTILINE)


def _frames_of_trace(trace: str, wording: Wording) -> list[dict[str, Any]]:
    """The user's frames in what faulthandler wrote: the innermost first, thread by thread. The first thread that has
    any counts.
    """
    for thread in re.split(r"^(?:Current thread|Thread) ", trace, flags=re.MULTILINE):
        found = []
        for match in _TRACE_LINE.finditer(thread):
            if match["file"].startswith(wording.folder + "/"):
                member = match["file"].removeprefix(wording.folder + "/")
                found.append({"file": member, "line": int(match["line"]), "name": match["name"], "text": ""})
        if found:
            return found[::-1]
    return []
