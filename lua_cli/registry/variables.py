"""The environment variables that runs of an agent have at a registry over HTTP.

In: the API and an agent's id. Out: values by name, which go to the user alone: no message holds one.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from urllib.parse import quote

from pydantic import ValidationError

from lua_cli.errors import UnavailableError
from lua_cli.records import field, record
from lua_cli.registry.api import Api, Reply
from lua_cli.registry.refusals import ConflictError
from lua_cli.registry.wire import VariablesWire


@record(frozen=True)
class StoredVariables:
    """Values by name, as they were read; `tag` stands for them in a replacement, "" where the server gives none."""

    values: Mapping[str, str] = field(repr=False)
    tag: str = ""


class AgentVariables:
    """Those of one agent."""

    def __init__(self, api: Api, agent: str) -> None:
        self._api = api
        self._agent = agent
        self._path = f"/developer/agents/{quote(agent, safe='')}/env"

    def names(self) -> frozenset[str]:
        """The names alone; none where the key may not look at variables, or the server has no such call."""
        reply = self._api.call("GET", self._path, allow=(403, 404))
        return frozenset(self._stored(reply).values) if reply.status == 200 else frozenset()

    def read(self) -> StoredVariables:
        """Names and values. Raises ForbiddenError for a key without the scope."""
        return self._stored(self._api.call("GET", self._path))

    def replace(self, values: Mapping[str, str], seen: StoredVariables) -> None:
        """All values, in place of those that were `seen`. Raises ConflictError when somebody changed them since, as far
        as the server tells that.
        """
        headers = {"If-Match": seen.tag} if seen.tag else {}
        key = str(uuid.uuid4())
        reply = self._api.call("POST", self._path, dict(values), idempotency=key, headers=headers, allow=(412,))
        if reply.status == 412:
            raise ConflictError(
                f"the variables of agent {self._agent} were changed meanwhile: nothing was written", hint="run it again"
            )

    def remove(self, name: str) -> None:
        """One variable less. Raises NotFoundError for one that is not there."""
        self._api.call("DELETE", f"{self._path}/{quote(name, safe='')}", idempotency=str(uuid.uuid4()))

    def _stored(self, reply: Reply) -> StoredVariables:
        try:
            return StoredVariables(VariablesWire.model_validate(reply.data).data, reply.etag)
        except ValidationError:
            raise UnavailableError(
                f"{self._api.address} answered with variables in a form that is not understood",
                hint="is this lua-cli older than the server?",
            ) from None
