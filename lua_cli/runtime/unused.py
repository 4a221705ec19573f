"""What a case says in vain: variables that nobody reads, names that an agent does not have, turns of a model that
nobody asked for. In: the case's words, and what there is. Out: a LuaError, or words. Runs nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from lua_cli.errors import LuaError

if TYPE_CHECKING:
    from lua_cli.sdk.scripted import ScriptedModel

DECLARING = "Python reads it by a name that can be told, or [tool.lua] env lists it; flows declare it: env: [{name: …}]"


def undeclared(given: Iterable[str], declared: Iterable[str], who: str) -> None:
    """Raises LuaError for the first variable of a case that `who` does not read."""
    known = sorted(set(declared))
    for name in sorted(set(given) - set(known)):
        message = f"{who} does not read the variable {name}, so nothing would see it"
        near = difflib.get_close_matches(name, known, n=1)
        raise LuaError(message, hint=f"did you mean {near[0]}?" if near else DECLARING)


def unknown_name(name: str, known: Collection[str], who: str, what: str) -> None:
    """Raises LuaError for a name in a case's expectations that nothing of the agent is called by."""
    if name in known:
        return
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known)) or 'none'}"
    raise LuaError(f"{who} has no {what} {name!r}", hint=hint)


def turns_left(script: ScriptedModel) -> Iterator[str]:
    """Says that a script has turns which were not played."""
    left = len(script.turns) - len(script.requests)
    if left > 0:
        yield f"the script has {left} turn{'' if left == 1 else 's'} that the model was not asked for"
