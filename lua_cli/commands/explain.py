"""`lua explain`: a rule's page, or where a tool's members come from."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.errors import EXIT_OK, LuaError, NotFoundError

if TYPE_CHECKING:
    from lua_cli.bundle import Draft
    from lua_cli.pipeline.reading import Read
    from lua_cli.project import Project


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
    from lua_cli.report.explain_flows import explain_chain, explain_flow, found_chains
    from lua_cli.rules.judging.catalogue import codes

    if subject.startswith("lua/"):
        raise _unknown(subject, "rule", codes())
    try:
        target = project()
    except LuaError as error:
        raise _unknown(subject, "rule", [code.removeprefix("lua/") for code in codes()]) from error
    read, drafts = _read(target)
    classes, chains = found_classes(read.analysis, subject), found_chains(read.flows, subject)
    if not classes and not chains:
        names = [*(code.removeprefix("lua/") for code in codes()), *_names(read)]
        raise _unknown(subject, "rule, tool or class", names)
    texts = [explain_class(read.analysis, info, drafts) for info in classes]
    if read.flows is not None:
        texts += [explain_flow(read.flows, info.flow.text or "") for info in classes if info.flow is not None]
        texts += [explain_chain(read.flows, chain, drafts) for chain in chains]
    return "\n\n".join(text for text in texts if text)


def _read(project: Project) -> tuple[Read, tuple[Draft, ...]]:
    """The project, and what would be bundled: nothing while it has errors."""
    from lua_cli.bundle import collect
    from lua_cli.pipeline.reading import read
    from lua_cli.rules import Choice
    from lua_cli.source import SourceIndex

    index = SourceIndex(project)
    found = read(project, index, Choice())
    if any(diagnostic.severity == "error" for diagnostic in found.diagnostics):
        return found, ()
    return found, collect(found.analysis, index, project, found.flows).drafts


def _names(read: Read) -> list[str]:
    from lua_cli.report.explain_flows import chain_tools

    own = [info for info in read.analysis.classes.values() if info.module in read.analysis.modules]
    chains = [one.tool.name for one in chain_tools(read.flows)]
    return [name for info in own for name in (info.name, info.qualname) if name] + chains


def _unknown(subject: str, what: str, names: list[str] | tuple[str, ...]) -> NotFoundError:
    near = difflib.get_close_matches(subject, list(dict.fromkeys(names)), n=3, cutoff=0.5)
    hint = (
        "did you mean " + " or ".join(f"`{name}`" for name in near) + "?" if near else "`lua explain` lists the rules"
    )
    return NotFoundError(f"no {what} is called {subject!r}", hint=hint)
