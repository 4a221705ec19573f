"""User: the end user whom the agent talks with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lua_cli.sdk.state import ask


class User:
    """The end user. `User.get()` gives the one of this conversation::

        user = User.get()
        if user is None:
            return {"error": "ask the customer to sign in"}
        return orders_of(user.id)

    id    who it is, as the channel has verified it: a model cannot choose it
    data  what is known about the user, a dict of JSON values
    """

    def __init__(self, id: str, data: Mapping[str, Any]) -> None:
        self.id = id
        self.data: dict[str, Any] = dict(data)

    @classmethod
    def get(cls) -> User | None:
        """The end user; None when none is known."""
        found = ask("user.get")
        return None if found is None else cls(found["id"], found["data"])

    def update(self, changes: Mapping[str, Any] | None = None, /, **more: Any) -> dict[str, Any]:
        """Set keys of `data`, for all tools of this conversation; gives the whole of it. Values are JSON values."""
        found = ask("user.update", changes={**(changes or {}), **more})
        self.data = dict(found["data"])
        return self.data

    def __repr__(self) -> str:
        return f"User({self.id!r})"
