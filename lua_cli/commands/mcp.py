"""`lua mcp`: serve skills to a client of the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lua_cli.commands.agents import BUDGET, Budget, Channel, Network, Sandboxed, StateAt, UserFile, Where
from lua_cli.commands.mcp_serving import serve

Skills = Annotated[list[str] | None, typer.Option("--skill", metavar="NAME", help="This skill alone; again for more.")]


def mcp_command(
    skills: Skills = None,
    user: UserFile = None,
    channel: Channel = "text",
    env_file: Annotated[
        Path | None, typer.Option("--env-file", help="More variables: NAME=value lines.", metavar="FILE")
    ] = None,
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds a tool may take.", metavar="SECONDS")] = 30.0,
    gate_timeout: Budget = BUDGET,
    state: StateAt = "local",
    sandbox: Sandboxed = False,
    network: Network = False,
) -> int:
    """Serve the project's skills as an MCP server over stdio."""
    return serve(skills or (), Where(channel, user, env_file, timeout, gate_timeout, state, sandbox, network))
