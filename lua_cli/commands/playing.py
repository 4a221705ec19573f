"""How `lua test` plays the conversations of cases. In: flags. Out: a function from a case to its result."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.errors import UsageError
from lua_cli.records import record, replace

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.runtime import RunOptions
    from lua_cli.runtime.agents import AgentFacts, PythonConversation
    from lua_cli.runtime.casefile import Case
    from lua_cli.runtime.cases import CaseResult
    from lua_cli.runtime.turns import Model


@record(frozen=True, slots=False)
class Playing:
    """The flags."""

    model: str | None = None
    runs: int = 1
    min_pass: float = 1.0
    record: bool = False

    def player(self, target: Project, options: RunOptions) -> Callable[[Case], CaseResult]:
        """Plays a case: its agent begins with no data but the case's user. Raises UsageError for flags' values that
        cannot be used.
        """
        if not 1 <= self.runs <= 1000:
            raise UsageError(f"--runs {self.runs}: a number from 1 to 1000", hint="--runs 10")
        if not 0 < self.min_pass <= 1:
            raise UsageError(
                f"--min-pass {self.min_pass:g}: a share of more than 0, and at most 1", hint="--min-pass 0.9"
            )
        from lua_cli.commands.agents import Agents
        from lua_cli.runtime.agents import Setting
        from lua_cli.runtime.cases import http_of
        from lua_cli.runtime.models.choosing import choose_model
        from lua_cli.runtime.state import State
        from lua_cli.runtime.turnnames import check_names
        from lua_cli.runtime.turnplay import Players, play_case

        agents = Agents(target)

        def talk(case: Case) -> PythonConversation:
            user = case.user or (options.state.user if options.state is not None else None)
            own = replace(
                options, env=case.env, timeout=case.timeout or options.timeout, state=State(user),
                http=http_of(case, self.record),
            )  # fmt: skip
            setting = Setting(own, case.turns.channel if case.turns else "text")
            return agents.opened(agent_of(case), setting)

        def agent_of(case: Case) -> AgentFacts:
            return agents.named(case.turns.agent if case.turns else None)

        def check(case: Case) -> None:
            check_names(case, agent_of(case), agents.artifacts_of(agent_of(case)))

        def model(agents_own: str | None) -> Model:
            return choose_model(self.model, agents_own, os.environ, Path.cwd())

        players = Players(talk, check, model, self.runs, self.min_pass, self.record)
        return lambda case: play_case(case, players)
