"""What a source file is to the stages after this one: text, digest, places and plain facts."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from lua_cli.diagnostics import Place
from lua_cli.errors import LuaError
from lua_cli.records import record
from lua_cli.source.spans import Span

Origin = Literal["first-party", "third-party", "stdlib", "builtin", "sdk"]


@record(frozen=True)
class ModuleLocation:
    """Where Python's import system would find a module.

    path        the .py file, or the package's `__init__.py`; None for a namespace package, a builtin or a native
    extension
    root        the folder of the search path under which it lies (portions of a namespace package: `portions`)
    native      a compiled extension module (.so, .pyd)
    """

    dotted: str
    origin: Origin
    path: Path | None
    is_package: bool
    root: Path | None = None
    portions: tuple[Path, ...] = ()
    native: Path | None = None


@record(frozen=True)
class ImportFact:
    """One imported thing, wherever in the module it stands.

    `import a.b` → module "a.b", name None; `from .x import y` → level 1, module "x", name "y"; star → name "*".
    `importlib.import_module("a.b")` with a literal → kind "importlib"; with an expression → kind "importlib-dynamic",
    module = its source.
    guard: "type-checking" when only a type checker runs it, "optional" inside try/except ImportError, "function"
    inside a function, else "".
    """

    kind: Literal["import", "from", "importlib", "importlib-dynamic"]
    module: str
    name: str | None
    level: int
    place: Place
    guard: Literal["", "type-checking", "optional", "function"] = ""


# How much a read needs its variable. needs: it raises without it · asks: it gets a default, or None · handles: what to
# do without it stands beside it (`"X" in os.environ`, `except KeyError`)
Need = Literal["needs", "asks", "handles"]


@record(frozen=True)
class EnvRead:
    """An environment variable read by a literal name: os.environ["X"], os.environ.get("X"), os.getenv("X"),
    lua_cli.env("X"), and each field of a class of pydantic-settings."""

    name: str
    place: Place
    has_default: bool
    need: Need = "asks"


@record(frozen=True)
class ComputedRead:
    """An environment variable read by a name that is no literal: `os.environ[self.token_env]`. `expression` is the
    name's source, `span` that of the whole read."""

    expression: str
    span: Span
    place: Place
    has_default: bool
    need: Need = "asks"


@record(frozen=True)
class LocalThing:
    """A text that names what only this machine has. kind: "address" (`http://localhost`), "path" (`/Users/me`), "file"
    (a relative path that is read from the working folder)."""

    kind: Literal["address", "path", "file"]
    text: str
    place: Place


@record(frozen=True)
class DataRead:
    """A data file read by a literal path beside the module (`Path(__file__).parent / "x"`,
    `open(join(dirname(__file__), …))`)
    or in a package (`importlib.resources.files("pkg") / "x"`). `target` is relative to the module's folder or to the
    package."""

    target: str
    package: str | None
    place: Place


class SourceError(LuaError):
    """A file that cannot be read as Python: not there, not text, or with a syntax error. `needs` is the Python version
    ("3.12") that would read it, where that is the trouble."""

    def __init__(self, place: Place, message: str, needs: str | None = None) -> None:
        hint = f"run lua-cli under Python {needs} or newer" if needs else None
        super().__init__(f"{place.path}:{place.line}: {message}", hint=hint)
        self.place = place
        self.reason = message
        self.needs = needs
