"""Who answers what `User` and `Data` ask. In: a question by name. Out: a JSON value.

In a run of lua-cli that is the process that started the tool (`connect`). In any other Python process, a unit test for
example, nobody is known as the end user, and data lives in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Ask = Callable[[str, Mapping[str, Any]], Any]
_ask: Ask | None = None


class StateError(Exception):
    """A question that cannot be answered: a record that is not there, a value that is no JSON."""


def connect(ask: Ask | None) -> None:
    """From here on `ask` answers; None: memory again, empty."""
    global _ask
    _ask = ask


def ask(question: str, **given: Any) -> Any:
    """The answer. Raises StateError."""
    global _ask
    if _ask is None:
        from lua_cli.sdk.store import Store

        _ask = memory(Store(":memory:"))
    return _ask(question, given)


def memory(store: Any, user: Mapping[str, Any] | None = None) -> Ask:
    """An `Ask` over a store and one end user ({"id", "data"}), whose data may change."""
    current = None if user is None else {"id": user["id"], "data": dict(user.get("data") or {})}

    def answer(question: str, given: Mapping[str, Any]) -> Any:
        if question == "user.get":
            return current
        if question == "user.update":
            if current is None:
                raise StateError("no end user is known")
            current["data"] |= given["changes"]
            return current
        return store.answer(question, given)

    return answer
