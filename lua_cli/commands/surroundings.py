"""In which surroundings an agent is talked with: the flags that chat, prompt, gates and mcp share, as values. Without
typer, whose import costs more than an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.errors import UsageError

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.runtime import RunOptions
    from lua_cli.runtime.state import EndUser

BUDGET = 30.0


@dataclass(frozen=True)
class Where:
    """Flags that say in which surroundings an agent is talked with."""

    channel: str = "text"
    user: Path | None = None
    env_file: Path | None = None
    timeout: float = 30.0
    budget: float = BUDGET

    def checked(self) -> Where:
        """Itself. Raises UsageError for values that there are none of."""
        from lua_cli.runtime.agents.model import CHANNELS

        if self.channel not in CHANNELS:
            raise UsageError(
                f"--channel {self.channel}: there is no such channel", hint=f"one of {', '.join(CHANNELS)}"
            )
        if not 0 < self.budget <= 3600:
            raise UsageError(f"--gate-timeout {self.budget:g}: seconds must be more than 0, and at most 3600")
        return self


def read_state(target: Project, where: Where, user: EndUser | None = None) -> RunOptions:
    """How tools run in these surroundings: with the end user (`user` before that of a file), and the project's data."""
    from dataclasses import replace

    from lua_cli.commands.testing import run_options
    from lua_cli.runtime.state import DATABASE, State, read_user

    who = user if user is not None else read_user(where.user) if where.user is not None else None
    return replace(run_options(target, where.env_file, where.timeout), state=State(who, target.output / DATABASE))
