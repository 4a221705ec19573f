"""HTTP of flows that does not reach the network. In: a case's exchanges, or that there is no network. Out: a transport
for `rest`, and what was exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from lua_cli.child.exchanges import Exchanges


class Played(httpx.BaseTransport):
    """Answers from exchanges; with "record" it asks the network and writes down."""

    def __init__(self, http: Mapping[str, Any]) -> None:
        self._exchanges = Exchanges(http["exchanges"], http["record"])

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer. Raises httpx.ConnectError where no exchange fits."""
        try:
            found = self._exchanges.answer(request.method, str(request.url), dict(request.headers), request.read())
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        if found is None:
            raise httpx.ConnectError("no exchange of the case's `http` fits")
        status, headers, content = found
        return httpx.Response(status, headers=headers, content=content)

    def document(self) -> dict[str, Any]:
        """What was recorded, and what had no answer."""
        return {"recorded": self._exchanges.recorded, "unmatched": self._exchanges.unmatched}


class Closed(httpx.BaseTransport):
    """There is no network."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises httpx.ConnectError."""
        raise httpx.ConnectError("no network in the sandbox (--network allows it)")
