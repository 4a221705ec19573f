"""What push, deploy and rollback share: the plan is shown or carried out, and the receipt printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.errors import EXIT_INTERRUPTED, EXIT_OK, LuaError, UsageError

if TYPE_CHECKING:
    from lua_cli.commands.target import Target
    from lua_cli.project import Project
    from lua_cli.registry.execute import Pushed, Receipt
    from lua_cli.registry.plan import Plan

_REPLANS = 3
Mirror = Callable[["Pushed"], str]


def carry_out(
    plan: Plan,
    target: Target,
    project: Project,
    *,
    dry_run: bool,
    as_json: bool,
    question: str | None,
    doubt: str = "",
    must_ask: bool = True,
    again: Callable[[], Plan] | None = None,
    mirror: Mirror | None = None,
    contents: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    keep: Callable[[Receipt], None] | None = None,
) -> int:
    """Show the plan (`dry_run`) or do it. A `question` is put to the person at the terminal; where nobody is there,
    it is an error that names --force when `must_ask`, and else not asked. A `doubt` is put to a person alone. `again`
    plans anew when somebody else's push came first; `mirror` copies what the receipt has elsewhere; `contents` are the
    files of each skill, for a dry run. `keep` is given the receipt when nothing but it was said.
    """
    from lua_cli.commands.session import fail, note, print_json, progress
    from lua_cli.commands.target import remember
    from lua_cli.registry.execute import execute, joined, overtaken
    from lua_cli.report.registry import receipt_document

    if not as_json:
        note(target.describe())
    if dry_run:
        _show(plan, target, contents or {}, as_json=as_json)
        return EXIT_OK
    refused = question and not plan.idle and not _agreed(plan, question, as_json=as_json, must_ask=must_ask)
    if refused or (doubt and not plan.idle and not _agreed(plan, doubt, as_json=as_json, must_ask=False)):
        note("nothing was changed")
        return EXIT_INTERRUPTED
    show = progress()
    receipt = execute(plan, target.registry, show)
    for _ in range(_REPLANS):
        if again is None or not receipt.failure or not overtaken(receipt):
            break
        note(f"{receipt.failure.message}; planned again")
        receipt = joined(receipt, execute(again(), target.registry, show))
    copies: list[dict[str, str]] = []
    if mirror and not receipt.failure:
        receipt, copies = _mirrored(receipt, mirror, show)
    show("")
    told = remember(project, target, receipt)
    if told:
        note(told)
    if as_json:
        if receipt.failure and not receipt.results:
            raise receipt.failure
        print_json(receipt_document(receipt) | target.record() | ({"mirrors": copies} if mirror else {}))
    else:
        _say_receipt(receipt, copies)
    if keep is not None and not (told or mirror or receipt.failure):
        sys.stdout.flush()
        keep(receipt)
    if as_json:
        return receipt.failure.exit_code if receipt.failure else EXIT_OK
    return fail(receipt.failure) if receipt.failure else EXIT_OK


def _say_receipt(receipt: Receipt, copies: Sequence[Mapping[str, str]]) -> None:
    from lua_cli.commands.session import note, say
    from lua_cli.report.registry import receipt_lines

    if receipt.results:
        say("\n".join(receipt_lines(receipt)))
    for copy in copies:
        say(f"{copy['skill']} {copy['version']}  copied to {copy['reference']}")
    for command in receipt.next:
        note(f"next: {command}")


def _show(plan: Plan, target: Target, contents: Mapping[str, Sequence[Mapping[str, Any]]], *, as_json: bool) -> None:
    from lua_cli.commands.session import print_json, say
    from lua_cli.report.registry import content_lines, plan_document, plan_lines

    if as_json:
        print_json(plan_document(plan) | target.record() | ({"files": contents} if contents else {}))
    else:
        say("\n".join([*plan_lines(plan), *content_lines(contents)]))


def _agreed(plan: Plan, question: str, *, as_json: bool, must_ask: bool) -> bool:
    """Whether the person at the terminal agrees; where nobody is there, it goes on unless somebody must be asked."""
    from lua_cli.commands.choosing import confirm
    from lua_cli.commands.session import current, note
    from lua_cli.report.registry import plan_lines

    if current().interactive and not as_json:
        note("\n".join(plan_lines(plan)))
        return confirm(f"{question}. Go on?")
    if must_ask:
        raise UsageError(question, hint="add --force if that is meant")
    return True


def _mirrored(receipt: Receipt, mirror: Mirror, show: Callable[[str], None]) -> tuple[Receipt, list[dict[str, str]]]:
    """Copy what was pushed, or was there already; the receipt tells of a copy that failed."""
    from lua_cli.records import replace
    from lua_cli.registry.execute import Pushed

    copies: list[dict[str, str]] = []
    for result in receipt.results:
        if not isinstance(result, Pushed):
            continue
        show(f"copying {result.step.skill} {result.record.version}")
        try:
            reference = mirror(result)
        except LuaError as error:
            return replace(receipt, failure=error), copies
        copies.append({"skill": result.step.skill, "version": result.record.version, "reference": reference})
    return receipt, copies
