"""`lua push`: put a version of a skill into the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.options import Agent, AsJson, DryRun, Force, Format, Name, wants_json
from lua_cli.errors import UsageError

if TYPE_CHECKING:
    from lua_cli.commands.acting import Mirror
    from lua_cli.project import Project
    from lua_cli.registry.execute import Pushed, Receipt
    from lua_cli.registry.plan import Plan
    from lua_cli.registry.semver import Version


def push_command(
    kind: Annotated[
        str | None, typer.Argument(metavar="skill|all", help="One skill, or all of the agent.", show_default=False)
    ] = None,
    name: Name = None,
    set_version: Annotated[
        str | None, typer.Option("--set-version", metavar="V", help="The version, such as 1.2.0; else the next patch.")
    ] = None,
    agent: Agent = None,
    dry_run: DryRun = False,
    force: Force = False,
    allow_secret: Annotated[
        list[str] | None,
        typer.Option("--allow-secret", metavar="FINGERPRINT", help="This find is no secret (repeatable)."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="URL", help="Copy it to oci://host/repository, too.", show_default=False),
    ] = None,
    auto_deploy: Annotated[bool, typer.Option("--auto-deploy", help="Make it live, too.")] = False,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Compile and upload a version of a skill."""
    from lua_cli.commands.acting import carry_out
    from lua_cli.commands.choosing import skill_kind
    from lua_cli.commands.session import build, note, project
    from lua_cli.commands.target import known_variables, open_target, remembered
    from lua_cli.registry.planning import Planner
    from lua_cli.registry.secrecy import refuse_secrets

    json_wanted = wants_json(output_format, as_json)
    chosen_kind = skill_kind(kind, ("skill", "all"))
    if chosen_kind == "all" and name is not None:
        raise UsageError("`all` takes no --name", hint=f"lua push skill --name {name}")
    version = _version(set_version)
    target_project = project()
    built = build(target_project)
    skills = _skills(built.document, chosen_kind, name)
    allowed = allow_secret or []
    refuse_secrets([built.artifacts[skill] for skill in skills], allowed)
    with _mirror(to) as mirror, open_target(target_project, agent, built.document, changing=True) as target:
        known = remembered(target_project, target)
        planner = Planner(target.registry, target.agent, known_variables(target_project), known or {}, tuple(allowed))

        def make_plan() -> Plan:
            return planner.push([built.artifacts[skill] for skill in skills], version=version, deploy=auto_deploy)

        def keep(receipt: Receipt) -> None:
            from lua_cli.commands.pushing_ahead import answer_name
            from lua_cli.commands.pushing_kept import keep_push

            about = answer_name(chosen_kind or "skill", name, as_json=json_wanted)
            if about is not None and (chosen_kind == "all" or name):
                keep_push(about, target_project, built, target, receipt)

        plan = make_plan()
        if known is None and (strange := _of_others(plan)):
            note(strange)
        question = None if force else _question(plan)
        # A number that was asked for is not changed, and what somebody just deployed is not replaced unseen.
        again = None if version or auto_deploy else make_plan
        return carry_out(
            plan,
            target,
            target_project,
            dry_run=dry_run,
            as_json=json_wanted,
            question=question,
            doubt="" if force else target.doubt,
            again=again,
            mirror=mirror,
            contents=_contents(target_project, plan) if dry_run else None,
            keep=None if set_version or auto_deploy or allowed or agent else keep,
        )


def _contents(target_project: Project, plan: Plan) -> dict[str, list[dict[str, Any]]]:
    """The files of the skills that would be sent: path, kind, size, and why each is in."""
    from lua_cli.pipeline import explain_bundles

    sent = {step.skill for step in plan.steps if step.action == "push"}
    if not sent:
        return {}
    keys = ("path", "kind", "size", "reason")
    bundles = explain_bundles(target_project)
    return {
        b["skill"]: [{key: file[key] for key in keys} for file in b["files"]] for b in bundles if b["skill"] in sent
    }


@contextmanager
def _mirror(to: str | None) -> Iterator[Mirror | None]:
    """What copies a pushed version to `--to`; None without it."""
    if to is None:
        yield None
        return
    from lua_cli.registry.oci import OciMirror

    with closing(OciMirror(to)) as mirror:

        def copy(pushed: Pushed) -> str:
            opened = pushed.step.artifact.open()
            title = {"org.opencontainers.image.title": opened.skill}
            return mirror.copy(opened.content, {**title, "org.opencontainers.image.version": pushed.record.version})

        yield copy


def _version(text: str | None) -> Version | None:
    from lua_cli.registry.planning import LATEST
    from lua_cli.registry.semver import Version

    if text == LATEST:
        raise UsageError("`latest` is no version to push", hint="leave --set-version out for the next patch number")
    return Version.parse(text) if text is not None else None


def _skills(document: Mapping[str, Any], kind: str | None, name: str | None) -> list[str]:
    """The names of the skills to push."""
    from lua_cli.commands.choosing import chosen_skill, find_skill

    tools = {skill["name"]: skill["tools"] for skill in document["skills"]}
    if kind == "all":
        return list(tools)
    if name is None:
        name = chosen_skill(tools, "lua push")
    return [find_skill(name, tools, "pushed", "register it on the agent: `skills=[...]`")]


def _of_others(plan: Plan) -> str:
    """What to say when a project that has pushed nothing yet finds versions that it does not have: perhaps those of
    another project.
    """
    from lua_cli.registry.plan import PushStep

    strange = [step for step in plan.steps if isinstance(step, PushStep) and step.previous and not step.there]
    if not strange:
        return ""
    there = ", ".join(f"{step.skill} {step.previous}" for step in strange)
    return (
        f"this project has not pushed to agent {plan.agent} here before, and there is {there}: "
        "if that is another project's, give this one's agent another name"
    )


def _question(plan: Plan) -> str | None:
    """What consent is asked for: a version lower than the highest one."""
    from lua_cli.registry.plan import PushStep

    lower = [step for step in plan.steps if isinstance(step, PushStep) and step.lower]
    if not lower:
        return None
    return "; ".join(f"{step.skill} {step.version} is lower than {step.previous}" for step in lower)
