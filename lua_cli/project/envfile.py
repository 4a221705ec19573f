"""Files of NAME=value lines: `.env`, `--env-file`, and the list that `.env.example` is. In: a path. Out: values, or
names.

No value is ever shown; messages name files, lines and names.
"""

from __future__ import annotations

import io
from pathlib import Path

from lua_cli.errors import UsageError

EXAMPLES = (".env.example", ".env.sample", ".env.template")


def read_env_file(path: Path) -> dict[str, str]:
    """The values, as python-dotenv reads them (`export`, quotes, `# comments`, `${NAME}`). Raises UsageError for a file
    that cannot be read, and for a line that is none."""
    return {name: value for name, value in _values(path, interpolate=True).items() if value is not None}


def written_values(path: Path) -> dict[str, str]:
    """The values as they are written, `${NAME}` included: nothing of this machine comes into them. Raises UsageError as
    `read_env_file`, and for a name without a value."""
    values = _values(path, interpolate=False)
    bare = [name for name, value in values.items() if value is None]
    if bare:
        raise UsageError(f"{path.name}: {bare[0]} has no value", hint=f"write it as {bare[0]}=value, or leave it out")
    return {name: value for name, value in values.items() if value is not None}


def names_in(path: Path) -> frozenset[str]:
    """The names that have a value, if only an empty one; none without the file. Raises UsageError as
    `read_env_file`."""
    values = _values(path, interpolate=False) if path.is_file() else {}
    return frozenset(name for name, value in values.items() if value is not None)


def example_names(root: Path) -> frozenset[str]:
    """The names that the project's example files list: variables that are known to be needed, whose values are
    elsewhere."""
    there = [root / name for name in EXAMPLES if (root / name).is_file()]
    return frozenset[str]().union(*(_values(path, interpolate=False) for path in there))


def _values(path: Path, *, interpolate: bool) -> dict[str, str | None]:
    from dotenv.main import DotEnv
    from dotenv.parser import parse_stream

    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if "\0" in text:
        raise UsageError(f"{path.name} has a NUL character in it", hint="save it as plain UTF-8 text")
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            raise UsageError(
                f"{path.name}:{binding.original.line} is no NAME=value line",
                hint="write it as NAME=value, or begin it with #; quote a value that has quotes or # in it",
            )
    # `${NAME}` means the shell's value where there is one: the shell goes before a file everywhere else, too.
    return DotEnv(None, stream=io.StringIO(text), interpolate=interpolate, override=False).dict()
