"""`lua explain`: a rule's page, or where a tool's members come from."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.errors import EXIT_OK, LuaError, NotFoundError

if TYPE_CHECKING:
    from lua_cli.analysis.model import Analysis
    from lua_cli.bundle import Draft
    from lua_cli.project import Project
    from lua_cli.source import SourceIndex


def explain_command(
    subject: Annotated[
        str | None, typer.Argument(metavar="[CODE|TOOL]", help="A rule, or a tool or class.", show_default=False)
    ] = None,
) -> int:
    """Print a rule's page, or say who gives a tool its members. Without a subject: list the rules."""
    from lua_cli.commands.session import say
    from lua_cli.report.explain import rule_list
    from lua_cli.rules import find_rule
    from lua_cli.rules.judging.pages import markdown_of

    if subject is None:
        say(rule_list().rstrip("\n"))
        return EXIT_OK
    rule = find_rule(subject)
    say((markdown_of(rule) if rule is not None else _explained(subject)).rstrip("\n"))
    return EXIT_OK


def _explained(subject: str) -> str:
    """A tool or class of the project at hand. Raises NotFoundError with the names that are near."""
    from lua_cli.commands.session import project
    from lua_cli.report.explain import explain_class, found_classes
    from lua_cli.rules.judging.catalogue import codes

    if subject.startswith("lua/"):
        raise _unknown(subject, "rule", codes())
    try:
        target = project()
    except LuaError as error:
        raise _unknown(subject, "rule", [code.removeprefix("lua/") for code in codes()]) from error
    from lua_cli.analysis import analyse
    from lua_cli.source import SourceIndex

    index = SourceIndex(target)
    analysis = analyse(target, index)
    found = found_classes(analysis, subject)
    if not found:
        raise _unknown(
            subject, "rule, tool or class", [*(code.removeprefix("lua/") for code in codes()), *_names(analysis)]
        )
    drafts = _drafts(analysis, index, target)
    return "\n\n".join(explain_class(analysis, info, drafts) for info in found)


def _drafts(analysis: Analysis, index: SourceIndex, project: Project) -> tuple[Draft, ...]:
    """What would be bundled; nothing while the project has errors."""
    from lua_cli.bundle import collect
    from lua_cli.rules import judge

    if any(diagnostic.severity == "error" for diagnostic in judge(analysis, index, project)):
        return ()
    return collect(analysis, index, project).drafts


def _names(analysis: Analysis) -> list[str]:
    own = [info for info in analysis.classes.values() if info.module in analysis.modules]
    return [name for info in own for name in (info.name, info.qualname) if name]


def _unknown(subject: str, what: str, names: list[str] | tuple[str, ...]) -> NotFoundError:
    near = difflib.get_close_matches(subject, list(dict.fromkeys(names)), n=3, cutoff=0.5)
    hint = (
        "did you mean " + " or ".join(f"`{name}`" for name in near) + "?" if near else "`lua explain` lists the rules"
    )
    return NotFoundError(f"no {what} is called {subject!r}", hint=hint)
