"""What tools see of the end user and of data. In: a user file, a store. Out: a `State`, which answers children.

The user's file is where a conversation begins; what tools update holds until it ends. Data outlives it: SQLite in the
project's `.lua/`, or memory where a case wants to begin with nothing.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError, NotFoundError, UsageError
from lua_cli.records import field, record

if TYPE_CHECKING:
    from lua_cli.sdk.state import Ask
    from lua_cli.sdk.store import Store

DATABASE = "data.db"
_FORM = '{"id": "ada", "data": {"plan": "gold"}}'


@record(frozen=True)
class EndUser:
    """The end user: `id`, as the channel verified it, and what is known."""

    id: str
    data: Mapping[str, Any] = field(default_factory=dict)


class State:
    """The state of one conversation or run. `answer` may be called from several threads."""

    def __init__(self, user: EndUser | None = None, database: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._ask: Ask | None = None
        self._user, self._database = user, database

    @property
    def user(self) -> EndUser | None:
        """The end user, as tools have left what is known."""
        if self._user is None or self._ask is None:
            return self._user
        return EndUser(self._user.id, self._ask("user.get", {})["data"])

    @property
    def database(self) -> Path | None:
        """Where data is kept; None for memory."""
        return self._database

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a child's question: {"value"}, or {"error"}. Raises LuaError when the database cannot be used."""
        import sqlite3  # most tools ask nothing

        from lua_cli.sdk.state import StateError

        with self._lock:
            try:
                return {"value": self._opened()(asked["question"], asked["given"])}
            except StateError as error:
                return {"error": str(error)}
            except (KeyError, TypeError, AttributeError):
                return {"error": "this is no question"}  # not from the SDK: the tool wrote into the pipe itself
            except sqlite3.Error as error:
                raise LuaError(f"{self._database or 'the data'} cannot be used: {error}") from error

    def _opened(self) -> Ask:
        if self._ask is None:
            from lua_cli.sdk.state import memory
            from lua_cli.sdk.store import Store

            if self._database is not None:
                self._database.parent.mkdir(parents=True, exist_ok=True)
            self._store = Store(":memory:" if self._database is None else str(self._database))
            given = None if self._user is None else {"id": self._user.id, "data": self._user.data}
            self._ask = memory(self._store, given)
        return self._ask

    def close(self) -> None:
        """Close the database. Again and again."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store, self._ask = None, None


def read_user(path: Path) -> EndUser:
    """The end user in a file, `{"id", "data": {…}}`. Raises NotFoundError, UsageError."""
    try:
        given = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise NotFoundError(f"no such file: {path}", hint=f"a user file has {_FORM}") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{path}:{error.lineno}:{error.colno}: {error.msg[:1].lower()}{error.msg[1:]}",
            hint=f"a user file has {_FORM}",
        ) from None
    except (UnicodeDecodeError, RecursionError):
        raise UsageError(f"{path} is no JSON in UTF-8", hint=f"a user file has {_FORM}") from None
    problem = problem_of_user(given)
    if problem:
        raise UsageError(f"{path}: {problem}", hint=f"a user file has {_FORM}")
    return EndUser(given["id"], given.get("data", {}))


def problem_of_user(given: Any) -> str | None:
    """What is wrong with a user as JSON has it; None when nothing is."""
    if not isinstance(given, dict):
        return "a user is an object"
    unknown = [key for key in given if key not in ("id", "data")]
    if unknown:
        return f"there is no key {unknown[0]!r} in a user: id and data are known"
    if not isinstance(given.get("id"), str) or not given["id"]:
        return "a user has an `id`, which is a text"
    return None if isinstance(given.get("data", {}), dict) else "`data` of a user is an object"
