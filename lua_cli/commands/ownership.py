"""Whose is what a registry holds for an agent. In: the project, what its source says, and the registry. Out: the name
that the project has for an agent that the registry calls otherwise, and the names of the skills that are the
project's. It only reads; whether to go on is for the commands and for the person to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lua_cli.registry.http import HttpRegistry


def other_name(remote: HttpRegistry, agent: str, document: Mapping[str, Any] | None) -> str:
    """What the source calls its agent, where the registry has neither that id nor that name for `agent`; else "".

    `document` is that of a build, None where no build is at hand: nothing is known then.
    """
    from lua_cli.errors import NotFoundError

    agents = document["agents"] if document else ()
    own = next((found["name"] for found in agents if isinstance(found["name"], str)), "")
    if not own:
        return ""
    try:
        names = [found.name for found in remote.me().agents if found.id == agent]
    except NotFoundError:  # a server that does not say whose a key is
        names = []
    return "" if _plain(own) in {_plain(name) for name in [agent, *names]} else own


def own_skills(document: Mapping[str, Any], pushed: Iterable[str]) -> frozenset[str]:
    """The project's skills: those of its source, and those that it pushed before (`pushed`) where the source does not
    compile and so may not show all of them.
    """
    written = {skill["name"] for skill in document["skills"] if isinstance(skill["name"], str)}
    return frozenset(written if document["ok"] else written.union(pushed))


def _plain(name: str) -> str:
    """A name without what people write differently: case, spaces, `-` and `_`."""
    return "".join(c for c in name.casefold() if c.isalnum())
