"""The entry point: argv → exit code. Answers `--version` and `--help` without importing anything heavy; everything
else goes through the typer application in `commands/`.

Here is the one place where errors become text and exit codes: a LuaError is one line and a hint, a usage error of
typer likewise, an interrupt is 130, and anything else is a bug of lua-cli (70) whose traceback goes to a file, never
to the terminal.
"""

from __future__ import annotations

import os
import sys

from lua_cli._version import __version__
from lua_cli.errors import EXIT_BUG, EXIT_FINDINGS, EXIT_INTERRUPTED, EXIT_OK, LuaError

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from typing import NoReturn

_HELP = os.path.join(os.path.dirname(__file__), "_help.txt")  # noqa: PTH118, PTH120  # pathlib costs half a bare Python


def run() -> None:
    """Console-script entry."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell (`>&-`): what is said goes nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        else:
            _write_all(name)
    argv = sys.argv[1:]
    if argv[:1] != ["compile"] or "--watch" in argv:
        code = main(argv)
        if _somebody_waits():  # Python would wait for the lock of what a thread reads, and end with an abort
            _end(code)
        sys.exit(code)
    import gc

    gc.disable()  # what a compile makes lives to its end
    _end(main(argv))  # and taking it down takes longer than some compiles


def _somebody_waits() -> bool:
    """Whether a thread is there that nobody ends: the one that reads what a client of `lua mcp` says."""
    threading = sys.modules.get("threading")
    return threading is not None and any(thread.daemon for thread in threading.enumerate())


def _end(code: int) -> NoReturn:
    try:
        sys.stderr.flush()
    except OSError:
        code = code or EXIT_FINDINGS  # what was to be said there is lost, and that must not look like success
    os._exit(code)


def _write_all(name: str) -> None:
    """With PYTHONUNBUFFERED a stream writes once, and forgets what a full disk or a reader that left did not take: an
    answer cut short would look like success.
    """
    import io

    stream = getattr(sys, name)
    raw = getattr(stream, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        whole = io.BufferedWriter(raw)
        setattr(sys, name, io.TextIOWrapper(whole, stream.encoding, stream.errors, line_buffering=True))


def main(argv: list[str]) -> int:
    """Run one command line. Returns the exit code; prints to stdout and stderr."""
    try:
        code = _answer(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader went away (`lua skills | head`): not an error, and Python must not complain at its own exit.
        _give_up_stdout()
        return 141
    except OSError as error:  # a full disk behind `>`: the result is not whole, and that must not look like success
        _give_up_stdout()
        sys.stderr.write(f"x error: cannot write the result: {error.strerror}\n")
        return EXIT_FINDINGS
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return EXIT_INTERRUPTED
    return code


def _give_up_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(argv: list[str]) -> int:
    if argv in (["--version"], ["-V"]):
        sys.stdout.write(f"lua-cli {__version__}\n")
        return EXIT_OK
    if argv in ([], ["--help"], ["-h"], ["help"]):
        with open(_HELP, encoding="utf-8") as file:  # noqa: PTH123
            sys.stdout.write(file.read())
        return EXIT_OK
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a character that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    return _dispatch(argv)


def _dispatch(argv: list[str]) -> int:
    from lua_cli.commands.at_once import answer_at_once

    try:
        known = answer_at_once(argv)
        if known is not None:
            return known
        from lua_cli.commands.session import begin

        rest = begin(argv)
        code = _short_way(rest)
        if code is not None:
            return code
        from lua_cli.commands.app import invoke

        return invoke(rest)
    except LuaError as error:
        return _fail(error)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except OSError as error:
        return _fail(_from_os(error)) if error.filename is not None or error.errno is not None else _bug(argv)
    except Exception:  # noqa: BLE001  # the last line of defence: no input may show a traceback
        return _bug(argv)


def _fail(error: LuaError) -> int:
    from lua_cli.commands.session import fail

    return fail(error)


def _short_way(rest: list[str]) -> int | None:
    """The exit code of a command line that can be answered without typer; None for all others."""
    if rest[:1] == ["mcp"]:
        from lua_cli.commands.mcp_serving import answer_mcp

        return answer_mcp(rest)
    if rest[:1] == ["compile"]:
        from lua_cli.commands.compiled import answer_plainly

        return answer_plainly(rest)
    from lua_cli.commands.testing import answer_directly

    return answer_directly(rest)


def _from_os(error: OSError) -> LuaError:
    """An operating-system error that no stage put into words: a full disk, a folder that cannot be written."""
    if isinstance(error, NotADirectoryError):
        hint = "something on this path is a file where a folder is needed: move it away"
        return LuaError(f"{error.strerror}: {error.filename}", hint=hint)
    where = f" {error.filename}" if error.filename else ""
    return LuaError(f"{error.strerror or error}:{where}", hint="check the permissions and the free space there")


def _without_value(word: str, before: str) -> str:
    """A word of the command line, without the value of a variable: the report is there to be sent to others."""
    joined = "--value=" if word.startswith("--value=") else "-v" if word.startswith("-v") else ""
    if before in ("-v", "--value") or (joined and word != joined):
        return f"{joined}..."
    return word


def _bug(argv: list[str]) -> int:
    import tempfile
    import traceback

    shown = [_without_value(word, before) for before, word in zip(["", *argv], argv, strict=False)]
    report = f"lua-cli {__version__}, Python {sys.version}\nlua {shown!r}\n\n{traceback.format_exc()}"
    try:
        handle, name = tempfile.mkstemp(prefix="lua-cli-crash-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report)
    except OSError:
        name = "(no temporary folder to write it to)"
    kind = sys.exc_info()[0]
    error = LuaError(
        f"this is a bug in lua-cli: {kind.__name__ if kind else 'error'}",
        hint=f"please report it with the traceback in {name}",
    )
    error.kind, error.exit_code = "bug", EXIT_BUG
    return _fail(error)
