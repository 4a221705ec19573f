"""The API of a registry over HTTP: calls in, the envelope's data or one error in words out. Knows statuses, not what
is in the data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lua_cli.errors import AuthError, ForbiddenError, LuaError, NotFoundError, UnavailableError
from lua_cli.project.credentials import KEY_VARIABLE, Key
from lua_cli.records import record
from lua_cli.registry.network import TRY_AGAIN, host_of, is_address, one_line
from lua_cli.registry.sending import Answer, Policy, Request, Sender

JSON_LIMIT = 32 * 1024 * 1024


@record(frozen=True)
class Reply:
    """An answer: `data` of the envelope and the ETag beside it; `code`, `message` and `hint` of its error, where there
    is one.
    """

    status: int
    data: Any = None
    code: str = ""
    message: str = ""
    hint: str = ""
    etag: str = ""


class Api:
    """The API at one address, with one key."""

    def __init__(self, address: str, key: Key | None, policy: Policy | None = None) -> None:
        self.address = address
        self._key = key
        self._sender = Sender(address, key, policy)

    def close(self) -> None:
        self._sender.close()

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        idempotency: str = "",
        headers: Mapping[str, str] | None = None,
        allow: tuple[int, ...] = (),
    ) -> Reply:
        """One call of the API. Statuses in `allow` are answers; any other that is no success is raised as an error."""
        sent = dict(headers or {})
        content = None
        if body is not None:
            content = json.dumps(body, separators=(",", ":")).encode("utf-8", "surrogatepass")
            sent["Content-Type"] = "application/json"
        if idempotency:
            sent["X-Idempotency-Key"] = idempotency
        answer = self._sender.send(Request(method, self.address + path, JSON_LIMIT, sent, content))
        if answer.status in (200, 201, 204) or answer.status in allow:
            return self._parsed(answer)
        raise self._refusal(answer)

    def download(self, path: str, limit: int, progress: Callable[[int], None] | None = None) -> bytes:
        """The bytes at `path`, at most `limit`."""
        accept = {"Accept": "application/octet-stream"}
        answer = self._sender.send(Request("GET", self.address + path, limit, accept, progress=progress))
        if answer.status != 200:
            raise self._refusal(answer)
        if "text/html" in answer.headers.get("content-type", ""):
            raise self._not_the_api(answer)
        return answer.body

    def upload(
        self, url: str, content: bytes, headers: Mapping[str, str], progress: Callable[[int], None] | None = None
    ) -> None:
        """Put bytes at a place that the API named, which may be another server: that one gets no key of ours."""
        sent = {"Content-Type": "application/octet-stream", **headers}
        place = url if "://" in url else self.address + url
        if not is_address(place):
            raise UnavailableError(
                f"{self.address} names a place for contents that is no address", hint="tell who runs it"
            )
        answer = self._sender.send(Request("PUT", place, JSON_LIMIT, sent, content, progress))
        if answer.status in (200, 201, 204):
            return
        if host_of(place) == host_of(self.address):
            raise self._refusal(answer)
        raise UnavailableError(
            f"{host_of(place)}, where {self.address} keeps contents, did not take one (status {answer.status})",
            hint=TRY_AGAIN,
        )

    def _parsed(self, answer: Answer) -> Reply:
        """The envelope. Raises UnavailableError for what is not an answer of the API."""
        if answer.status == 204 or not answer.body:
            return Reply(answer.status)
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise UnavailableError(
                f"{self.address} answered in an encoding that was not asked for", hint="is a proxy in between?"
            )
        try:
            document = json.loads(answer.body)
        except (ValueError, RecursionError):
            raise self._not_the_api(answer) from None
        if not isinstance(document, dict):
            raise self._not_the_api(answer)
        if document.get("success") is True:
            return Reply(answer.status, document.get("data"), etag=answer.headers.get("etag", ""))
        error = document.get("error")
        if not isinstance(error, dict):
            raise self._not_the_api(answer)
        code, message, hint = (str(error.get(name) or "") for name in ("code", "message", "hint"))
        return Reply(answer.status, error.get("details"), code, message, hint)

    def _not_the_api(self, answer: Answer) -> UnavailableError:
        html = answer.body.lstrip()[:1] == b"<"
        what = "a web page" if html else "something else"
        return UnavailableError(
            f"{self.address} is not the Lua API: it answered with {what} (status {answer.status})",
            hint="a proxy or a captive portal? check the address and the network",
        )

    def _refusal(self, answer: Answer) -> LuaError:
        """What a status means to the user."""
        if 300 <= answer.status < 400:
            to = host_of(answer.headers.get("location", "")) or "somewhere else"
            return UnavailableError(
                f"{self.address} sends us to {to}: a key is not sent on",
                hint="use that address itself, if you trust it",
            )
        if answer.status == 407:
            return UnavailableError("the proxy asks for a log-in", hint="put user and password into HTTPS_PROXY")
        reply = self._parsed(answer)
        said = one_line(reply.message) or f"status {answer.status}"
        if answer.status == 401:
            return self._unauthorised(said)
        if answer.status == 403:
            return ForbiddenError(
                f"{self.address} does not allow that: {said}", hint="`lua auth whoami` says what the key may do"
            )
        if answer.status == 404:
            return NotFoundError(f"{self.address}: {said}")
        if answer.status == 413:
            return LuaError(
                f"{self.address} takes no artifact of this size: {said}", hint="leave data out of the bundle"
            )
        if reply.code == "damaged":  # that call alone: the server itself is well, and asking again changes nothing
            return LuaError(
                f"what {self.address} holds of that is damaged: {said}",
                hint="the same content under another number mends it (`lua push --set-version V`); tell who runs it",
            )
        if answer.status == 429 or (answer.status >= 500 and answer.status != 507):
            return UnavailableError(
                f"{self.address} does not answer the call: {said} (status {answer.status})", hint=TRY_AGAIN
            )
        if answer.status == 507:
            return LuaError(f"{self.address} has no space left: {said}", hint="tell who runs it; nothing was stored")
        return LuaError(
            f"{self.address} refused: {said} (status {answer.status}{f', {reply.code}' if reply.code else ''})",
            hint=one_line(reply.hint) or None,
        )

    def _unauthorised(self, said: str) -> AuthError:
        if self._key is None:
            return AuthError(
                f"no key for {self.address}", hint=f"`lua auth configure --url {self.address}`, or set LUA_API_KEY"
            )
        mend = f"`lua auth configure --url {self.address}`"
        if self._key.where == KEY_VARIABLE:
            mend = f"set another {KEY_VARIABLE}, or unset it and {mend}: the variable goes before a stored key"
        return AuthError(f"{self.address} does not accept the key from {self._key.where}: {said}", hint=mend)
