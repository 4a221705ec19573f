"""Shows what `lua test` and `lua fuzz` found: outputs, errors, cases, the JUnit report. In: results. Out: text on
stdout and stderr.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.errors import LuaError

if TYPE_CHECKING:
    from lua_cli.runtime import RunResult
    from lua_cli.runtime.cases import CaseResult


def show_result(result: RunResult, as_json: bool) -> int:
    """The output on stdout, everything else on stderr."""
    from lua_cli.commands.session import note, print_json

    for line in result.notes:
        note(f"note: {line}")
    if as_json:
        print_json(result.document())
        return result.exit_code
    if result.logs:
        note(result.logs.removesuffix("\n"))
    if result.error is None:
        print_json(result.output)
    else:
        note(error_text(result))
    return result.exit_code


def error_text(result: RunResult) -> str:
    """An error for a reader: what, where, every fault, the user's frames, the way out."""
    error = result.error
    if error is None:
        return ""
    lines = [f"{mark(False)} {error.type}: {error.message}"]
    if error.excerpt:
        lines.append(error.excerpt)
    if len(error.errors) > 1:
        width = max(len(fault.path) for fault in error.errors)
        lines += [f"    {fault.path:{width}}  {fault.message}" for fault in error.errors]
    if error.traceback:
        lines += ["  " + line for line in error.traceback.splitlines()]
    if error.hint:
        lines.append(f"  hint: {error.hint}")
    return "\n".join(lines)


def mark(good: bool) -> str:
    """A tick or a cross, in what the terminal can show."""
    sign, plain = ("✔", "ok") if good else ("✖", "x")
    try:
        sign.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return plain
    return sign


def case_line(result: CaseResult) -> str:
    """One line for a case, and one more for each thing that is not as expected."""
    line = f"  {mark(result.ok)} {result.case.name}"
    first, *more = (result.message or "").split("\n")
    place = f"{result.case.file}:{result.case.line}: "
    return line if result.ok else "\n".join([line, f"      {place}{first}", *(f"        {one}" for one in more)])


def explain_case(result: CaseResult) -> None:
    """What a failed case's tool said: its log and its traceback, on stderr."""
    from lua_cli.commands.session import note

    parts = [result.result.logs.rstrip(), (result.result.error.traceback or "") if result.result.error else ""]
    text = "\n".join(part for part in parts if part)
    if text:
        note(f"\n{result.case.name}:\n" + "\n".join("  " + line for line in text.splitlines()))


class _Tested:
    """A case as the JUnit report reads it."""

    def __init__(self, result: CaseResult) -> None:
        self.file, self.name, self.line = result.case.file, result.case.name, result.case.line
        self.message, self.seconds = result.message, result.result.duration_ms / 1000
        trace = (result.result.error.traceback or "") if result.result.error else ""
        self.detail = "\n".join(part for part in (result.message or "", trace, result.result.logs.rstrip()) if part)


def write_junit(path: Path, results: list[CaseResult]) -> None:
    """Write the JUnit report. Raises LuaError when it cannot be written."""
    from lua_cli.report.junit import junit

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(junit(_Tested(result) for result in results), encoding="utf-8")
    except OSError as error:
        raise LuaError(
            f"cannot write {path}: {error.strerror}", hint="--junit names a file that can be written"
        ) from error
