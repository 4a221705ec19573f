"""What goes wrong for the user, as one tree of exceptions. Imports nothing.

    LuaError (1)
    ├── BrokenProjectError (1)  a project with errors, where a build is needed
    ├── UsageError (2)          a flag, an argument or an input that cannot be used
    ├── NotFoundError (3)       a project, tool, skill, version or file that is not there
    ├── AuthError (9)           no key, or a key that is not accepted
    ├── ForbiddenError (10)     a key that may not do this
    ├── UnavailableError (11)   a server or network that does not answer
    ├── ProviderError (12)      a model provider that refused
    └── TimedOutError (124)     a tool that was stopped at its time limit

A LuaError is the user's to mend and is printed in one line with a hint; anything else is a bug of lua-cli (exit 70).
Raise one with what happened, with what, and (hint) what to type next.
"""

from __future__ import annotations


class LuaError(Exception):
    """An error of the user's making or surroundings.

    `message` is one sentence without a full stop; `hint` says what to type next; `exit_code` is the process's.
    """

    kind = "error"
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BrokenProjectError(LuaError):
    """A project with errors, where a build is needed (exit 1). `diagnostics` are those errors, as `lua compile --json`
    has them.
    """

    kind = "does_not_compile"

    def __init__(self, message: str, diagnostics: list[dict[str, object]], *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.diagnostics = diagnostics


class UsageError(LuaError):
    """A flag, an argument or an input that cannot be used (exit 2)."""

    kind = "usage"
    exit_code = 2


class NotFoundError(LuaError):
    """Something named does not exist (exit 3)."""

    kind = "not_found"
    exit_code = 3


class AuthError(LuaError):
    """No key, or one that the server does not accept (exit 9)."""

    kind = "auth"
    exit_code = 9


class ForbiddenError(LuaError):
    """The key may not do this (exit 10)."""

    kind = "forbidden"
    exit_code = 10


class UnavailableError(LuaError):
    """A server or the network does not answer (exit 11)."""

    kind = "unavailable"
    exit_code = 11


class ProviderError(LuaError):
    """A model provider refused the request (exit 12)."""

    kind = "provider"
    exit_code = 12


class TimedOutError(LuaError):
    """Something ran into its time limit and was stopped (exit 124)."""

    kind = "timeout"
    exit_code = 124


EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
