"""Which registry and which agent there a command works on, and what both need to know of the surroundings."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lua_cli.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.registry.execute import Receipt
    from lua_cli.registry.protocol import Registry


@dataclass(frozen=True, slots=True)
class Target:
    """An open registry, and the id of the project's agent in it."""

    registry: Registry
    agent: str

    def describe(self) -> str:
        place = self.registry.place
        return f"agent {self.agent} on the {place.kind} registry ({place.where})"


@contextmanager
def open_target(project: Project, document: Mapping[str, Any] | None = None) -> Iterator[Target]:
    """The target of the project; `document` is that of its build where there is one, else the source is read for it."""
    from lua_cli.registry.embedded import EmbeddedRegistry
    from lua_cli.registry.place import registry_file

    agent = _agent_name(project, document)
    with EmbeddedRegistry(registry_file(os.environ), author=_author()) as registry:
        yield Target(registry, agent)


def known_variables(project: Project) -> frozenset[str]:
    """Names of the environment variables that a run here would find: those that are set, and those in `.env`."""
    from dotenv import dotenv_values

    try:
        file = dotenv_values(project.root / ".env", interpolate=False)
    except (OSError, UnicodeDecodeError):
        file = {}
    return frozenset(os.environ) | {name for name, value in file.items() if value is not None}


def find_skill(name: str, skills: Mapping[str, Iterable[str]], verb: str, absent: str) -> str:
    """`name`, when it is one of `skills` (name → its tools). Otherwise a NotFoundError that knows what was meant:
    `verb` is what a tool is never done alone ("pushed"), `absent` says what to do where there is nothing like it.
    """
    if name in skills:
        return name
    for skill, tools in skills.items():
        if name in tools:
            raise NotFoundError(
                f'"{name}" is a tool of the skill {skill}: tools are never {verb} alone', hint=f"use --name {skill}"
            )
    near = difflib.get_close_matches(name, skills, n=3, cutoff=0.5)
    there = f"; there are: {', '.join(sorted(skills))}" if skills else ""
    raise NotFoundError(
        f'skill "{name}" not found', hint=f"did you mean {' or '.join(near)}?" if near else f"{absent}{there}"
    )


def chosen_skill(skills: Iterable[str], command: str) -> str:
    """The skill that the person at the terminal picks. Raises UsageError where nobody can be asked."""
    from lua_cli.commands.session import current

    names = sorted(skills)
    if not current().interactive:
        example = names[0] if names else "NAME"
        raise UsageError("missing --name", hint=f"{command} skill --name {example}")
    if not names:
        raise NotFoundError("there are no skills to choose from", hint="register one on the agent: `skills=[...]`")
    return choose("Skill", names)


def choose(what: str, options: list[str], default: int = 0) -> str:
    """Ask for one of `options`, by number or by name."""
    import typer

    from lua_cli.commands.session import note

    for number, option in enumerate(options, start=1):
        note(f"  {number}  {option}")
    answers = {key: option for number, option in enumerate(options, start=1) for key in (str(number), option)}
    while True:
        answer = typer.prompt(what, default=options[default], err=True).strip()
        if answer in answers:
            return answers[answer]
        note(f"a name, or a number from 1 to {len(options)}")


def confirm(question: str) -> bool:
    """Ask for consent; only on a terminal."""
    import typer

    return typer.confirm(question, default=False, err=True)


def skill_kind(kind: str | None, allowed: tuple[str, ...]) -> str | None:
    """What the first argument says. Raises UsageError for kinds that this release does not have."""
    if kind is None or kind in allowed:
        return kind
    raise UsageError(f"cannot do that with {kind!r}", hint="one of: " + ", ".join(allowed))


def remember(project: Project, target: Target, receipt: Receipt) -> str:
    """Write what was pushed into lua.skill.toml; gives what to tell the user about it, "" when there is nothing to
    tell.
    """
    from lua_cli.bundle.exclusive import locked
    from lua_cli.project.state import STATE_FILE, SkillState, State, update_state
    from lua_cli.registry.execute import Pushed

    pushed = {
        result.step.skill: SkillState(result.skill_id, result.record.version, result.record.digest)
        for result in receipt.results
        if isinstance(result, Pushed)
    }
    key, damaged = receipt.place.key, ""

    def change(state: State) -> State:
        nonlocal damaged
        damaged = state.damaged
        before = {} if key in state.registries else _recovered(target)
        return state.with_skills(key, receipt.agent, {**before, **pushed})

    if not pushed:
        return ""
    try:
        update_state(project.root, change, locked(project.output / "state.lock"))
    except OSError as error:
        return f"{STATE_FILE} was not written ({error.strerror}): the push is complete all the same"
    return f"{STATE_FILE} was damaged ({damaged}) and was made anew from the registry" if damaged else ""


def _recovered(target: Target) -> dict[str, Any]:
    """What the registry knows of the agent's skills, where the state file knows nothing."""
    from lua_cli.project.state import SkillState

    skills = target.registry.skills(target.agent)
    return {s.name: SkillState(s.id, s.highest.version, s.highest.digest) for s in skills if s.highest}


def _agent_name(project: Project, document: Mapping[str, Any] | None) -> str:
    """The name of the agent as the source has it. Reading the source also works where it does not compile, so that a
    rollback never waits for a repair; where not even the agent is found, the last push knows it.
    """
    from lua_cli.project.state import read_state

    if document is None:
        from lua_cli.pipeline import compile_project

        document = compile_project(project, check=True).document
    names = [agent["name"] for agent in document["agents"] if isinstance(agent["name"], str)]
    if names:
        return str(names[0])
    remembered = read_state(project.root).registries.get("embedded")
    if remembered is not None:
        return remembered.agent
    raise UsageError(
        f"the name of the agent cannot be read from {project.relative(project.entry)}",
        hint='write it as a string: `agent = LuaAgent(name="my-agent", ...)`',
    )


def _author() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name (some containers)
        return ""
