"""What the server refuses: errors → a status, a code and words in the API's envelope. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lua_cli.errors import AuthError, ForbiddenError, LuaError, NotFoundError, UnavailableError, UsageError
from lua_cli.records import field, record
from lua_cli.registry.database import DamageError
from lua_cli.registry.refusals import (
    DeployedMeanwhileError,
    PushedMeanwhileError,
    VersionTakenError,
    YankedError,
)
from lua_cli.server.database import FullError

RETRY_SECONDS = 1


class RefusedError(LuaError):
    """A request that the server does not carry out, with the status and the code that say why."""

    def __init__(
        self, status: int, code: str, message: str, *, hint: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})


@record(frozen=True)
class Refusal:
    """An error as it is answered. `hidden` says that the cause belongs into the log alone."""

    status: int
    code: str
    message: str
    hint: str | None = None
    details: Any = None
    hidden: bool = False
    headers: dict[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        error: dict[str, Any] = {"message": self.message, "statusCode": self.status, "code": self.code}
        if self.hint:
            error["hint"] = self.hint
        if self.details is not None:
            error["details"] = self.details
        if "Retry-After" in self.headers:
            error["retryAfterSeconds"] = int(self.headers["Retry-After"])
        return {"success": False, "error": error}


_STATUSES: tuple[tuple[type[LuaError], int, str], ...] = (
    (VersionTakenError, 409, "version-taken"),
    (PushedMeanwhileError, 409, "pushed-meanwhile"),
    (DeployedMeanwhileError, 412, "deployed-meanwhile"),
    (YankedError, 409, "yanked"),
    (NotFoundError, 404, "not-found"),
    (UsageError, 422, "invalid"),
    (AuthError, 401, "unauthorised"),
    (ForbiddenError, 403, "forbidden"),
    (FullError, 507, "no-space"),
    (UnavailableError, 503, "unavailable"),
)


def refusal_of(error: Exception) -> Refusal:
    """How an error of the registry, of the database, or of this program itself is answered."""
    if isinstance(error, RefusedError):
        return with_pause(Refusal(error.status, error.code, error.message, error.hint, headers=dict(error.headers)))
    if isinstance(error, DamageError):
        return Refusal(500, "damaged", "what is stored is not what was written", hidden=True)
    for kind, status, code in _STATUSES:
        if isinstance(error, kind):
            message = "the server cannot do that now" if status == 503 else error.message
            return with_pause(Refusal(status, code, message, error.hint, _details(error), hidden=status >= 500))
    return Refusal(500, "internal", "the server failed", hidden=True)


def with_pause(refusal: Refusal) -> Refusal:
    """Tell a client that may come back when to do so."""
    if refusal.status in (429, 503):
        refusal.headers["Retry-After"] = str(RETRY_SECONDS)
    return refusal


def _details(error: LuaError) -> Any:
    if isinstance(error, VersionTakenError):
        return {"version": error.taken.version, "digest": error.taken.digest}
    if isinstance(error, PushedMeanwhileError):
        return {"version": error.highest.version, "digest": error.highest.digest}
    if isinstance(error, DeployedMeanwhileError) and error.last:
        return {"entry": error.last.number, "version": error.last.version}
    return None
