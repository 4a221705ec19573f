"""Which Python runs the user's tools and holds their third-party packages. Found by looking at files: nothing is
started.

`[tool.lua] python`, else the active virtual environment, else the project's `.venv`, else the Python that runs the CLI.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from pathlib import Path

from lua_cli.errors import NotFoundError
from lua_cli.records import record


@record(frozen=True)
class Interpreter:
    """A Python.

    executable   the file to start
    version      (major, minor)
    packages     its third-party folders, in the order of its path, `.pth` entries included
    why          "[tool.lua] python", "VIRTUAL_ENV", "the project's .venv", "the CLI's own"
    own          it is the one that runs the CLI
    """

    executable: Path
    version: tuple[int, int]
    packages: tuple[Path, ...]
    why: str
    own: bool


def find_interpreter(root: Path, setting: str | None, environ: dict[str, str] | None = None) -> Interpreter:
    """The interpreter for a project rooted at `root`. Raises NotFoundError when the one that is set is not there."""
    environ = dict(os.environ) if environ is None else environ
    if setting:
        chosen = (root / Path(setting).expanduser()).absolute()
        if not chosen.exists():
            raise NotFoundError(f"[tool.lua] python = {setting!r} does not exist", hint=f"looked for {chosen}")
        executable = _executable_in(chosen) if chosen.is_dir() else chosen
        if executable is None:
            raise NotFoundError(f"no python in {chosen}", hint="name a virtual environment or the interpreter itself")
        return _describe(executable, "[tool.lua] python")
    active = environ.get("VIRTUAL_ENV")
    for folder, why in ((active and Path(active), "VIRTUAL_ENV"), (root / ".venv", "the project's .venv")):
        executable = _executable_in(folder) if folder else None
        if executable:
            return _describe(executable, why)
    return _own("the CLI's own")


def _executable_in(environment: Path) -> Path | None:
    for name in ("bin/python", "Scripts/python.exe"):
        if (environment / name).exists():
            return environment / name
    return None


def _own(why: str) -> Interpreter:
    paths = sysconfig.get_paths()
    sites = dict.fromkeys(Path(paths[key]) for key in ("purelib", "platlib"))
    return Interpreter(Path(sys.executable), sys.version_info[:2], _with_pth(list(sites)), why, own=True)


def _describe(executable: Path, why: str) -> Interpreter:
    prefix = executable.parent.parent
    if prefix.resolve() == Path(sys.prefix).resolve():
        return _own(why)
    sites = sorted(prefix.glob("lib/python3.*/site-packages")) or [prefix / "Lib" / "site-packages"]
    version = _version_of(prefix, sites[-1])
    matching = [site for site in sites if site.parent.name == f"python{version[0]}.{version[1]}"]
    return Interpreter(executable, version, _with_pth(matching or [sites[-1]]), why, own=False)


def _version_of(prefix: Path, site: Path) -> tuple[int, int]:
    try:
        found = re.search(
            r"^version(?:_info)?\s*=\s*(\d+)\.(\d+)", (prefix / "pyvenv.cfg").read_text("utf-8"), re.MULTILINE
        )
    except (OSError, UnicodeDecodeError):
        found = None
    found = found or re.match(r"python(\d+)\.(\d+)", site.parent.name)
    return (int(found[1]), int(found[2])) if found else sys.version_info[:2]


def _with_pth(sites: list[Path]) -> tuple[Path, ...]:
    """The folders, each followed by those that its `.pth` files name (lines that start with `import` are code: not run
    here)."""
    out: dict[Path, None] = {}
    for site in sites:
        out[site] = None
        for pth in sorted(site.glob("*.pth")):
            try:
                lines = pth.read_text("utf-8", errors="replace").splitlines()
            except OSError:
                continue
            for line in lines:
                entry = line.strip()
                if entry and not entry.startswith(("#", "import ", "import\t")) and (site / entry).is_dir():
                    out[site / entry] = None
    return tuple(out)
