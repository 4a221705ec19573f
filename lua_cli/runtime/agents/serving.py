"""The MCP servers of an agent, in an offer. In: their facts, an offer. Out: the offer with their tools; a server that
cannot be used is a closed gate.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.child.environment import declared_values
from lua_cli.records import replace
from lua_cli.runtime.mcp.servers import ServerFacts
from lua_cli.runtime.turns.model import Gate, Offer, Tool

if TYPE_CHECKING:
    from lua_cli.runtime.mcp.attached import AttachedServer
    from lua_cli.runtime.model import RunOptions


def servers_of(facts: Sequence[ServerFacts], options: RunOptions) -> list[AttachedServer]:
    """The servers, not yet connected."""
    if not facts:
        return []
    from lua_cli.runtime.mcp.attached import AttachedServer

    return [
        AttachedServer(
            server,
            declared_values(server.env, options.project, env_file=options.env_file, first=options.env),
            options.timeout,
        )
        for server in facts
    ]


def with_servers(offer: Offer, servers: Sequence[AttachedServer], budget: float) -> Offer:
    """The offer with the servers' tools behind its own. Raises LuaError without the extra."""
    from lua_cli.runtime.mcp.attached import UnreachableError

    tools: list[Tool] = []
    gates: list[Gate] = []
    for server in servers:
        begun = time.monotonic()
        try:
            tools += server.tools(budget)
        except UnreachableError as error:
            spent = round((time.monotonic() - begun) * 1000)
            gates.append(Gate("server", server.facts.name, False, str(error), duration_ms=spent))
    return replace(offer, tools=(*offer.tools, *tools), gates=(*offer.gates, *gates))
