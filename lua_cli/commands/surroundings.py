"""In which surroundings an agent is talked with: the flags that chat, prompt, gates and mcp share, as values. Without
typer, whose import costs more than an answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.errors import UsageError
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.runtime import RunOptions
    from lua_cli.runtime.state import EndUser, State

BUDGET = 30.0
STATES = ("local", "registry")


@record(frozen=True, slots=False)
class Where:
    """Flags that say in which surroundings an agent is talked with. `fresh`: with no data, and none is kept."""

    channel: str = "text"
    user: Path | None = None
    env_file: Path | None = None
    timeout: float = 30.0
    budget: float = BUDGET
    state: str = "local"
    sandbox: bool = False
    network: bool = False
    fresh: bool = False

    def checked(self) -> Where:
        """Itself. Raises UsageError for values that there are none of."""
        from lua_cli.runtime.agents.model import CHANNELS

        if self.channel not in CHANNELS:
            raise UsageError(
                f"--channel {self.channel}: there is no such channel", hint=f"one of {', '.join(CHANNELS)}"
            )
        if self.state not in STATES:
            raise UsageError(f"--state {self.state}: there is no such place", hint=f"one of {', '.join(STATES)}")
        if not 0 < self.budget <= 3600:
            raise UsageError(f"--gate-timeout {self.budget:g}: seconds must be more than 0, and at most 3600")
        return self


def read_state(target: Project, where: Where, user: EndUser | None = None) -> RunOptions:
    """How tools run in these surroundings: with the end user (`user` before that of a file), and the project's data, or
    what the registry keeps.
    """
    from lua_cli.commands.testing import run_options
    from lua_cli.records import replace
    from lua_cli.runtime.state import DATABASE, State, read_user

    options = run_options(target, where.env_file, where.timeout, where.sandbox, where.network)
    who = user if user is not None else read_user(where.user) if where.user is not None else None
    if where.state == "registry":
        return replace(options, state=state_on_registry(target, who))
    return replace(options, state=State(who, None if where.fresh else target.output / DATABASE))


def state_on_registry(target: Project, who: EndUser | None) -> State:
    """The state that the registry keeps for the project's agent. Raises UsageError without one over HTTP."""
    import os

    from lua_cli.commands.target import key_for, open_target
    from lua_cli.project.credentials import chosen_address
    from lua_cli.registry.api import Api
    from lua_cli.runtime.remote_state import RemoteState

    address = chosen_address(os.environ)
    if not address:
        raise UsageError(
            "--state registry needs a registry over HTTP, and none is named",
            hint="LUA_API_URL, or `lua auth configure`; without the flag, data is the project's own",
        )
    with open_target(target, None) as opened:
        agent = opened.agent
    return RemoteState(Api(address, key_for(address, target)), agent, who)
