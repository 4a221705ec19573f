"""What tools see of the end user and of data when both are kept on a server. In: the API of a registry, an agent, an
end user. Out: a `State`, which answers children.

The key stays with this process: a child asks through its pipe, as it does for a project's own data. What is refused is
said in the words of the local store; a server that does not answer ends the turn.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lua_cli.errors import UnavailableError
from lua_cli.runtime.state import EndUser, State
from lua_cli.sdk.state import Ask, StateError
from lua_cli.sdk.store import json_of

if TYPE_CHECKING:
    from lua_cli.registry.api import Api, Reply


class RemoteState(State):
    """The state of one conversation or run, on a server. What a user's file says is behind what the server knows."""

    def __init__(self, api: Api, agent: str, user: EndUser | None = None) -> None:
        super().__init__(user)
        self._api, self._path = api, f"/developer/agents/{quote(agent, safe='')}"

    def _opened(self) -> Ask:
        if self._ask is None:
            self._ask = self._answer
        return self._ask

    def _answer(self, question: str, given: Mapping[str, Any]) -> Any:
        if question == "user.get":
            return None if self._user is None else self._known(self._call("GET", self._of_user(self._user)).data)
        if question == "user.update":
            if self._user is None:
                raise StateError("no end user is known")
            json_of(given["changes"])
            return self._known(self._call("PUT", self._of_user(self._user), {"changes": given["changes"]}).data)
        questions: dict[str, Callable[[str, Mapping[str, Any]], Any]] = {
            "data.create": self._create,
            "data.get": self._get,
            "data.update": self._update,
            "data.delete": self._delete,
            "data.search": self._search,
        }
        if question not in questions:
            raise StateError(f"there is no question {question!r}")
        if not isinstance(given.get("collection"), str) or not given["collection"]:
            raise StateError("a collection goes by a name")
        return questions[question](f"{self._path}/data/{quote(given['collection'], safe='')}", given)

    def _of_user(self, user: EndUser) -> str:
        return f"{self._path}/users/{quote(user.id, safe='')}"

    def _known(self, kept: Mapping[str, Any]) -> dict[str, Any]:
        assert self._user is not None  # noqa: S101  # asked for with a user alone
        return {"id": self._user.id, "data": {**self._user.data, **kept["data"]}}

    def _create(self, path: str, given: Mapping[str, Any]) -> Any:
        return _record(self._call("POST", path, _body(given)).data)

    def _get(self, path: str, given: Mapping[str, Any]) -> Any:
        reply = self._call("GET", f"{path}/{_id(given)}", allow=(404,))
        return None if reply.code == "no-record" else _record(self._checked(reply).data)

    def _update(self, path: str, given: Mapping[str, Any]) -> Any:
        return _record(self._call("PUT", f"{path}/{_id(given)}", _body(given)).data)

    def _delete(self, path: str, given: Mapping[str, Any]) -> Any:
        return self._call("DELETE", f"{path}/{_id(given)}").data["deleted"]

    def _search(self, path: str, given: Mapping[str, Any]) -> Any:
        limit = given.get("limit", 10)
        asked = {"text": str(given.get("text") or ""), "limit": limit if type(limit) is int else 0}
        return [_record(record) for record in self._call("POST", f"{path}/search", asked).data["records"]]

    def _call(self, method: str, path: str, body: object = None, allow: tuple[int, ...] = ()) -> Reply:
        key = str(uuid.uuid4()) if method != "GET" else ""
        reply = self._api.call(method, path, body, idempotency=key, allow=(404, 422))
        return reply if reply.status in allow else self._checked(reply)

    def _checked(self, reply: Reply) -> Reply:
        """The reply, when it is one. Raises StateError for what the store refuses, else UnavailableError."""
        if reply.code in ("state", "state-full", "no-record"):
            raise StateError(reply.message)
        if reply.status in (404, 422):
            where = self._api.address
            raise UnavailableError(
                f"{where} keeps no data of tools: {reply.message or reply.status}",
                hint="lua serve does, from this release",
            )
        return reply

    def close(self) -> None:
        """Close the connection. Again and again."""
        super().close()
        self._api.close()


def _record(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {key: kept[key] for key in ("id", "data", "score") if kept.get(key) is not None}


def _id(given: Mapping[str, Any]) -> str:
    return quote(str(given["id"]), safe="") or "%20"  # no record has an empty id


def _body(given: Mapping[str, Any]) -> dict[str, Any]:
    json_of(given["data"])
    text = given.get("text")
    return {"data": given["data"], **({"text": text} if isinstance(text, str) else {})}
