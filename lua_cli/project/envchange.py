"""Changes a file of NAME=value lines and leaves its other lines and comments as they are. In: a path, names, values.

python-dotenv writes the lines; what it could not read back as it was given is refused before anything is written.
"""

from __future__ import annotations

from pathlib import Path

from lua_cli.errors import LuaError, UsageError


def check_value(path: Path, name: str, value: str) -> None:
    """Raises UsageError for a value that a file cannot hold."""
    if "${" in value or "\r" in value or "\0" in value:
        raise UsageError(
            f"{path.name} cannot hold the value of {name}: it has a carriage return, a NUL or `${{` in it",
            hint="set it in the environment of the process instead",
        )


def set_variable(path: Path, name: str, value: str) -> None:
    """Set one variable; a new file is the user's alone (0600). Raises UsageError for a value that it cannot hold."""
    from dotenv import set_key

    check_value(path, name, value)
    try:
        set_key(path, name, value, follow_symlinks=True)
    except OSError as error:
        raise LuaError(f"{path.name} cannot be written: {error.strerror}") from error


def remove_variable(path: Path, name: str) -> None:
    """Remove every line that sets it."""
    from dotenv import unset_key

    try:
        unset_key(path, name, follow_symlinks=True)
    except OSError as error:
        raise LuaError(f"{path.name} cannot be written: {error.strerror}") from error
