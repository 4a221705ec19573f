"""What a command line names, and what a person at the terminal is asked for instead."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from lua_cli.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.commands.target import Target
    from lua_cli.registry.protocol import SkillRecord


def skill_kind(kind: str | None, allowed: tuple[str, ...]) -> str | None:
    """What the first argument says. Raises UsageError for kinds that this release does not have."""
    if kind is None or kind in allowed:
        return kind
    by_name = f"; a skill goes by its name: skill --name {shlex.quote(kind)}" if "skill" in allowed else ""
    raise UsageError(f"cannot do that with {kind!r}", hint=f"one of: {', '.join(allowed)}{by_name}")


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


def pushed_skill(target: Target, name: str) -> SkillRecord | None:
    """What the registry has of a skill; None where it has nothing like it. Raises NotFoundError for a name that is
    nearly that of another one.
    """
    record = target.registry.skill(target.agent, name)
    if record is None:
        near = difflib.get_close_matches(
            name, [skill.name for skill in target.registry.skills(target.agent)], cutoff=0.5
        )
        if near:
            raise NotFoundError(
                f"skill {name!r} has no versions in the registry", hint=f"did you mean {' or '.join(near)}?"
            )
    return record


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


def choose(what: str, options: list[str]) -> str:
    """Ask for one of `options`, by number or by name; the first is the default."""
    import typer

    from lua_cli.commands.session import note

    for number, option in enumerate(options, start=1):
        note(f"  {number}  {option}")
    answers = {key: option for number, option in enumerate(options, start=1) for key in (str(number), option)}
    while True:
        answer = typer.prompt(what, default=options[0], err=True).strip()
        if answer in answers:
            return answers[answer]
        note(f"a name, or a number from 1 to {len(options)}")


def confirm(question: str) -> bool:
    """Ask for consent; only on a terminal."""
    import typer

    return typer.confirm(question, default=False, err=True)
