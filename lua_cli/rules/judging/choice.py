"""What the command line asks of the rules."""

from __future__ import annotations

from lua_cli.records import record


@record(frozen=True)
class Choice:
    """select: only these warnings · ignore: not these warnings · providers: `--for`, whose limits to judge by · ci: a
    stale lock is an error.

    Codes go with or without `lua/`. Errors are always said.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    ci: bool = False
