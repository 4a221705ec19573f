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

    own = own_name(document)
    if not own:
        return ""
    try:
        names = [found.name for found in remote.me().agents if found.id == agent]
    except NotFoundError:  # a server that does not say whose a key is
        names = []
    return "" if _plain(own) in {_plain(name) for name in [agent, *names]} else own


def own_name(document: Mapping[str, Any] | None) -> str:
    """What the source calls its agent, "" where that cannot be read, or no build is at hand."""
    agents = document["agents"] if document else ()
    return next((found["name"] for found in agents if isinstance(found["name"], str)), "")


def only_agent(remote: HttpRegistry, document: Mapping[str, Any] | None, *, changing: bool) -> str:
    """The agent that the key is for, when it is for one alone. Raises UsageError otherwise, with what to type.

    A key for every agent is for none in particular: what others pushed there is read, and not changed.
    """
    from lua_cli.errors import UsageError

    me, address, own = remote.me(), remote.place.where, own_name(document)
    agents = [agent.id for agent in me.agents]
    if me.every_agent and own in agents:
        return own
    if len(agents) == 1 and not (me.every_agent and changing):
        return agents[0]
    hint = f"name one: --agent {own if own and (me.every_agent or own in agents) else (agents or ['ID'])[0]}"
    if me.every_agent:
        raise UsageError(f"the project has no agent on {address} yet, and the key is for every agent", hint=hint)
    if not agents:
        raise UsageError(f"the key for {address} is for no agent", hint="name one: --agent ID")
    shown = ", ".join(agents[:8]) + (", …" if len(agents) > 8 else "")
    raise UsageError(f"the project has no agent on {address} yet, and the key is for several: {shown}", hint=hint)


def own_skills(document: Mapping[str, Any], pushed: Iterable[str]) -> frozenset[str]:
    """The project's skills: those of its source, and those that it pushed before (`pushed`) where the source does not
    compile and so may not show all of them.
    """
    written = {skill["name"] for skill in document["skills"] if isinstance(skill["name"], str)}
    return frozenset(written if document["ok"] else written.union(pushed))


def _plain(name: str) -> str:
    """A name without what people write differently: case, spaces, `-` and `_`."""
    return "".join(c for c in name.casefold() if c.isalnum())
