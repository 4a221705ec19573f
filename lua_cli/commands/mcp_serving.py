"""The serving of `lua mcp`, and the short way to it: a client waits for the first answer, and the import of typer alone
would cost it as much again.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from lua_cli.commands.surroundings import Where
from lua_cli.errors import EXIT_OK, NotFoundError


def answer_mcp(args: list[str]) -> int | None:
    """The exit code of `lua mcp [--skill NAME]… [--user FILE]`; None for every other command line."""
    if args[:1] != ["mcp"]:
        return None
    skills: list[str] = []
    user: Path | None = None
    rest = iter(args[1:])
    for word in rest:
        flag, equals, value = word.partition("=")
        given = value if equals else next(rest, "")
        if not given or given.startswith("-"):
            return None
        if flag == "--skill":
            skills.append(given)
        elif flag == "--user" and user is None:
            user = Path(given)
        else:
            return None
    return serve(skills, Where(user=user))


def serve(names: Sequence[str], where: Where) -> int:
    """Serve until stdin ends. stdout is the client's alone; what tools print goes to stderr."""
    from lua_cli.commands.session import build, note, project
    from lua_cli.commands.surroundings import read_state
    from lua_cli.runtime.agents import AgentFacts, PythonConversation, Setting
    from lua_cli.runtime.mcp.serving import McpServer, Offering

    target = project()
    options = read_state(target, where.checked())
    artifacts = build(target).artifacts
    for name in names:
        if name not in artifacts:
            raise NotFoundError(f"no skill {name!r}", hint="there are: " + ", ".join(sorted(artifacts)))
    chosen = {name: artifacts[name].open() for name in names or artifacts}
    out = sys.stdout

    def write(text: str) -> None:
        out.write(text)
        out.flush()

    if sys.stdin.isatty():
        note("waiting for a client to speak MCP on stdin; Ctrl-C ends it")
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(encoding="utf-8")
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    setting = Setting(options, where.channel, where.budget)
    of_flows = [name for name, artifact in chosen.items() if "flow" in artifact.manifest]
    facts = AgentFacts("mcp", skills=tuple(name for name in chosen if name not in of_flows))
    with ExitStack() as stack:
        own = stack.enter_context(PythonConversation(facts, chosen, setting))
        talks: list[Offering] = [own]
        for name in of_flows:
            from lua_cli.runtime.flows.conversation import FlowConversation

            talks.append(stack.enter_context(FlowConversation(AgentFacts(name, skills=(name,)), chosen, setting)))
        McpServer(talks, own.context(), write, lambda text: note(text.rstrip())).serve(lines)
    return EXIT_OK
