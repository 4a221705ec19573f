"""What all commands share: the global flags, the project, the current build, and how an error is printed.

`--ci` and `--project DIR` may stand before or after a command's own arguments, so they are taken out of the command
line here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import BrokenProjectError, LuaError, UsageError
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.pipeline import Compiled
    from lua_cli.project import Project


@record(frozen=True)
class Session:
    """The global flags of this run.

    ci        never prompt, no colour, no progress; a missing flag is an error that names it
    json      the command prints one JSON document on stdout (errors included)
    project   `--project DIR`, or None
    """

    ci: bool = False
    json: bool = False
    project: Path | None = None

    @property
    def interactive(self) -> bool:
        """A person is there to answer: not `--ci`, and a terminal on both sides."""
        return not self.ci and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()

    def colour(self, stream: Any) -> bool:
        """Whether `stream` gets colour: a terminal or FORCE_COLOR, no `--ci`, no NO_COLOR (https://no-color.org)."""
        if self.ci or os.environ.get("NO_COLOR"):
            return False
        return bool(os.environ.get("FORCE_COLOR")) or bool(stream.isatty())


_session = Session()


def current() -> Session:
    """The session of this run."""
    return _session


def begin(argv: list[str]) -> list[str]:
    """Take the global flags out of a command line and remember them; gives what is left."""
    global _session
    rest, ci, project, index = [], False, None, 0
    while index < len(argv):
        word = argv[index]
        if word == "--":
            rest += argv[index:]
            break
        if word == "--ci":
            ci = True
        elif word == "--project":
            index += 1
            if index == len(argv):
                raise UsageError("--project needs a folder", hint="lua compile --project path/to/project")
            project = argv[index]
        elif word.startswith("--project="):
            project = word.partition("=")[2]
        else:
            rest.append(word)
        index += 1
    as_json = "--json" in rest or "--format=json" in rest or ("--format", "json") in pairwise(rest)
    _session = Session(ci=ci, json=as_json, project=Path(project) if project is not None else None)
    return rest


def sign_of_failure() -> str:
    """What a line of an error begins with, as the terminal can show it."""
    return "✖" if _can_show("✖") else "x"


def fail(error: LuaError) -> int:
    """Print an error for the reader at hand (one JSON document, or a line and a hint on stderr); gives the exit
    code.
    """
    if _session.json:
        body: dict[str, Any] = {"type": error.kind.replace("_", "-"), "message": error.message, "hint": error.hint}
        if isinstance(error, BrokenProjectError):
            body["diagnostics"] = error.diagnostics
        print_json({"ok": False, "error": body})
    else:
        sys.stderr.write(f"{sign_of_failure()} {error.kind}: {error.message}\n")
        if error.hint:
            sys.stderr.write(f"  hint: {error.hint}\n")
    return error.exit_code


def facts_of_stdout() -> dict[str, Any]:
    """What stdout can show, as the renderers take it."""
    return {"colour": _session.colour(sys.stdout), "encoding": getattr(sys.stdout, "encoding", None) or "ascii"}


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    from lua_cli.commands.json_text import json_pieces

    sys.stdout.writelines(json_pieces(document))


def say(text: str = "") -> None:
    """A line of result on stdout."""
    sys.stdout.write(text + "\n")


def say_piece(text: str) -> None:
    """A piece of the result on stdout, at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def note(text: str) -> None:
    """A line of progress or explanation on stderr, after what was said on stdout before it: where both are one stream,
    the order is kept."""
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


def progress() -> Callable[[str], None]:
    """A reporter of long work: one line on stderr that is replaced, on a terminal only; silent otherwise."""
    if _session.ci or _session.json or not sys.stderr.isatty():
        return lambda _text: None

    def show(text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}" if text else "\r\x1b[2K")
        sys.stderr.flush()

    return show


def project() -> Project:
    """The project of this run: `--project DIR`, else the one that the working folder belongs to."""
    from lua_cli.project import open_project

    if _session.project is not None:
        return open_project(_session.project, explicit=True)
    return open_project(Path.cwd())


def build(project: Project) -> Compiled:
    """The project's build, compiled first when something changed.

    Warnings are not repeated here (`lua compile` shows them). With errors these go to stderr, or into the one document
    of `--json`, with a BrokenProjectError (exit 1): nothing of an earlier build is used in their place.
    """
    from lua_cli.pipeline import compile_project

    compiled = compile_project(project, ci=_session.ci, progress=progress())
    if not compiled.ok:
        from lua_cli.report import render

        errors = [d for d in compiled.document["diagnostics"] if d["severity"] == "error"]
        count = f"{len(errors)} error" + ("" if len(errors) == 1 else "s")
        if _session.json:
            first = f"{errors[0]['path']}:{errors[0]['line']}: {errors[0]['message']}"
            raise BrokenProjectError(f"the project does not compile ({count}; {first})", errors, hint="lua compile")
        note(render({**compiled.document, "diagnostics": errors}, "text", root=project.root).rstrip())
        raise BrokenProjectError(f"the project does not compile ({count}, above)", errors)
    return compiled


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stderr.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
