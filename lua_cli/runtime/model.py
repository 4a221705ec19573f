"""What a run is asked for and what it came to, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.child.launch import Limits, Watch
from lua_cli.errors import EXIT_FINDINGS, EXIT_OK
from lua_cli.records import field, record
from lua_cli.runtime.request import success

if TYPE_CHECKING:
    from lua_cli.runtime.state import State

TIMEOUT = 30.0
_EXIT_CODES = {"input-invalid": 2, "not-found": 3, "timeout": 124}


@record(frozen=True)
class RunOptions:
    """How to run.

    interpreter  the Python of the tool
    cache        where artifacts are unpacked
    project      the project's root: its `.env` is read, and nothing is imported from it
    roots        further folders that nothing is imported from, and where the user's files are looked up for tracebacks
    env_file     `--env-file`
    env          values that count before all others (a case's)
    http         {"exchanges": […], "record": bool}: HTTP is answered from these, or recorded; None: as it is
    sandbox      inside of bubblewrap; `network`: with the network all the same
    packages     the interpreter's third-party folders, for the sandbox
    state        the end user and the data that tools see; None: nobody, and memory
    watch        who is told how the run can be ended before its time
    """

    interpreter: Path
    cache: Path
    project: Path | None = None
    roots: tuple[Path, ...] = ()
    timeout: float = TIMEOUT
    env_file: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    http: Mapping[str, Any] | None = None
    sandbox: bool = False
    network: bool = False
    packages: tuple[Path, ...] = ()
    state: State | None = None
    watch: Watch | None = None


@record(frozen=True)
class Fault:
    """One thing that is wrong with the input. `path` is a JSON Pointer."""

    path: str
    message: str


@record(frozen=True)
class RunError:
    """Why there is no output.

    type       input-invalid, tool-error, timeout, crashed, output-not-json, not-found
    path       where in the input or output, as JSON Pointer; None where that makes no sense
    errors     every fault of the input
    traceback  the user's own frames, secrets masked
    hint       what to do about it
    excerpt    the place in the input's text, with a caret
    exception  the type of what the tool raised: "ValueError", "requests.exceptions.Timeout"
    """

    type: str
    message: str
    path: str | None = None
    errors: tuple[Fault, ...] = ()
    traceback: str | None = None
    hint: str | None = None
    excerpt: str | None = None
    exception: str | None = None


@record(frozen=True)
class RunResult:
    """What a run came to. `output` counts when `error` is None; `notes` are worth a line on stderr; `http`
    has what was recorded and what had no answer.
    """

    tool: str
    output: Any = None
    error: RunError | None = None
    duration_ms: int = 0
    logs: str = ""
    notes: tuple[str, ...] = ()
    http: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def exit_code(self) -> int:
        """The process's exit code: 0, 1 for what the tool did, 2 for the input, 3 for an unknown tool, 124 for the
        time limit.
        """
        return EXIT_OK if self.error is None else _EXIT_CODES.get(self.error.type, EXIT_FINDINGS)

    def document(self) -> dict[str, Any]:
        """What `lua test --json` prints."""
        if self.error is None:
            return success(self.tool, self.output, self.duration_ms, self.logs)
        error: dict[str, Any] = {"type": self.error.type, "message": self.error.message}
        if self.error.exception is not None:
            error["exception"] = self.error.exception
        if self.error.path is not None:
            error["path"] = self.error.path
        if self.error.errors:
            error["errors"] = [{"path": fault.path, "message": fault.message} for fault in self.error.errors]
        if self.error.traceback is not None:
            error["traceback"] = self.error.traceback
        if self.error.hint is not None:
            error["hint"] = self.error.hint
        return {"ok": False, "tool": self.tool, "error": error, "durationMs": self.duration_ms, "logs": self.logs}
