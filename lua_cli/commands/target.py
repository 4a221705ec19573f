"""Which registry a command works on and which agent there, and what a push leaves in lua.skill.toml."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError, UsageError
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.project.credentials import Key
    from lua_cli.registry.execute import Receipt
    from lua_cli.registry.http import HttpRegistry
    from lua_cli.registry.protocol import Registry

STATE_LOCK = "state.lock"
_BAR = 24


@record(frozen=True)
class Target:
    """An open registry, and the id of the project's agent in it.

    own    what the project calls its agent, where nobody chose this one and the registry calls it otherwise; else ""
    named  somebody chose this agent with --agent, now or for an earlier push
    """

    registry: Registry
    agent: str
    own: str = ""
    named: bool = False

    def describe(self) -> str:
        place = self.registry.place
        said = f"agent {self.agent} on " + (
            place.where if place.kind == "http" else f"the embedded registry ({place.where})"
        )
        return f"{said}\n! {self.doubt}: --agent {self.agent} says that it is meant" if self.own else said

    @property
    def doubt(self) -> str:
        """That this may be another project's agent, in words; "" where nothing speaks for that."""
        return f"this project's agent is called {self.own}, and this is agent {self.agent}" if self.own else ""

    def record(self) -> dict[str, Any]:
        """That the registry's agent may be another project's, for plans and receipts: `otherAgent` is null or has
        both names.
        """
        return {"otherAgent": {"project": self.own, "registry": self.agent} if self.own else None}


@contextmanager
def open_target(
    project: Project, agent: str | None, document: Mapping[str, Any] | None = None, *, changing: bool = False
) -> Iterator[Target]:
    """The target of the project: the registry that `LUA_API_URL` or `lua auth configure` names, else the embedded
    one. `agent` is `--agent`; `document` is that of the project's build, where there is one; `changing` says that the
    command changes something there, which is not done for an agent that was only found.
    """
    from lua_cli.project.credentials import chosen_address

    address = chosen_address(os.environ)
    if address:
        with open_remote(address, project) as remote:
            yield _remote_target(remote, project, agent, document, changing=changing)
        return
    from lua_cli.registry.embedded import EmbeddedRegistry
    from lua_cli.registry.place import registry_file

    named = agent or _agent_in_source(project, document)
    with EmbeddedRegistry(registry_file(os.environ), author=_author()) as registry:
        yield Target(registry, named)


def _remote_target(
    remote: HttpRegistry, project: Project, agent: str | None, document: Mapping[str, Any] | None, *, changing: bool
) -> Target:
    """The agent that was chosen with --agent, that of a push before, or the only one of the key."""
    from lua_cli.commands.ownership import only_agent, other_name
    from lua_cli.project.state import read_state

    before = read_state(project.root).registries.get(remote.place.key)
    if agent or (before and before.named):
        return Target(remote, agent or (before.agent if before else ""), named=True)
    if changing and document is None:
        from lua_cli.pipeline import compile_project

        document = compile_project(project, until="analysis").document
    found = before.agent if before else only_agent(remote, document, changing=changing)
    return Target(remote, found, other_name(remote, found, document))


def open_remote(address: str, project: Project | None) -> HttpRegistry:
    """The registry at an address, with the key for it."""
    from lua_cli.commands.session import progress
    from lua_cli.registry.http import HttpRegistry

    return HttpRegistry(address, key_for(address, project), progress=_bar(progress()))


def key_for(address: str, project: Project | None) -> Key | None:
    """The key for the registry at an address; None without one."""
    from lua_cli.project.credentials import find_key

    return find_key(address, os.environ, _dotenv(project) if project else {})


def known_variables(project: Project) -> frozenset[str]:
    """Names of the environment variables that a run here would find: those that are set, and those in `.env`."""
    return frozenset(os.environ) | {name for name, value in _dotenv(project).items() if value is not None}


def remembered(project: Project, target: Target) -> Mapping[str, str] | None:
    """The versions, by skill, that lua.skill.toml has of the target; None when the project was never pushed there."""
    from lua_cli.project.state import read_state

    state = read_state(project.root)
    entry = state.registries.get(target.registry.place.key)
    if entry is None or entry.agent != target.agent:
        return {} if state.damaged else None
    return {name: skill.version for name, skill in entry.skills.items()}


def remember(project: Project, target: Target, receipt: Receipt) -> str:
    """Write what was pushed into lua.skill.toml; gives what to tell the user about it, "" when there is nothing to
    tell.
    """
    from lua_cli.bundle.exclusive import locked
    from lua_cli.project.state import STATE_FILE, State, update_state

    pushed = _pushed(receipt)
    key, damaged = receipt.place.key, ""

    def change(state: State) -> State:
        nonlocal damaged
        damaged = state.damaged
        before = {} if key in state.registries else _recovered(target)
        return state.with_skills(
            key, receipt.agent, {**before, **pushed}, named=target.named and receipt.place.kind == "http"
        )

    if not pushed:
        return ""
    try:
        update_state(project.root, change, locked(project.output / STATE_LOCK))
    except (OSError, LuaError) as error:
        why = error.message if isinstance(error, LuaError) else error.strerror
        return f"{STATE_FILE} was not written ({why}): the push is complete all the same"
    return f"{STATE_FILE} was damaged ({damaged}) and was made anew from the registry" if damaged else ""


def remembered_as(project: Project, receipt: Receipt) -> bytes | None:
    """The content of lua.skill.toml, when it says of the embedded registry what this receipt does: then `remember`
    leaves it as it is."""
    from lua_cli.project.state import settled

    return settled(project.root, lambda state: state.with_skills(receipt.place.key, receipt.agent, _pushed(receipt)))


def _pushed(receipt: Receipt) -> dict[str, Any]:
    """What the state file says of the skills that were pushed, or were there."""
    from lua_cli.project.state import SkillState
    from lua_cli.registry.execute import Pushed

    return {
        result.step.skill: SkillState(result.skill_id, result.record.version, result.record.digest)
        for result in receipt.results
        if isinstance(result, Pushed)
    }


def _recovered(target: Target) -> dict[str, Any]:
    """What the registry knows of the agent's skills, where the state file knows nothing."""
    from lua_cli.project.state import SkillState

    skills = target.registry.skills(target.agent)
    return {s.name: SkillState(s.id, s.highest.version, s.highest.digest) for s in skills if s.highest}


def _remembered_agent(project: Project, registry: str) -> str:
    from lua_cli.project.state import read_state

    state = read_state(project.root).registries.get(registry)
    return state.agent if state else ""


def _agent_in_source(project: Project, document: Mapping[str, Any] | None) -> str:
    """The name of the agent as the source has it. Reading the source also works where it does not compile, so that a
    rollback never waits for a repair; where not even the agent is found, the last push knows it.
    """
    if document is None:
        from lua_cli.pipeline import compile_project

        document = compile_project(project, until="analysis").document
    names = [agent["name"] for agent in document["agents"] if isinstance(agent["name"], str)]
    if names:
        return str(names[0])
    if remembered := _remembered_agent(project, "embedded"):
        return remembered
    entry = project.relative(project.entry)
    if not document["ok"]:
        raise UsageError(f"no agent can be read from {entry}: it does not compile", hint="lua compile")
    raise UsageError(
        f"the name of the agent cannot be read from {entry}",
        hint='write it as a string: `agent = LuaAgent(name="my-agent", ...)`, or name it: --agent NAME',
    )


def _dotenv(project: Project) -> Mapping[str, str | None]:
    from dotenv import dotenv_values

    try:
        return dotenv_values(project.root / ".env", interpolate=False)
    except (OSError, UnicodeDecodeError):  # `lua test` says so; nothing of it is needed here
        return {}


def _author() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name (some containers)
        return ""


def _bar(show: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """A progress bar out of a line that is replaced."""

    def moved(what: str, done: int, size: int) -> None:
        part = min(done / size, 1.0) if size else 1.0
        full = int(part * _BAR)
        show(f"{what}  [{'=' * full}{' ' * (_BAR - full)}] {part:4.0%}")

    return moved
