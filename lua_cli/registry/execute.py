"""Does what a plan says. In: a `Plan` and its registry. Out: a `Receipt` of what was acknowledged, also when a step
failed.

Executing a plan twice gives the same receipt: a version that is there with the same content is answered as before,
and a deployment is known by its key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from lua_cli.errors import LuaError
from lua_cli.records import record
from lua_cli.registry.plan import DeployStep, Plan, PushStep
from lua_cli.registry.protocol import Registry, RegistryPlace, Submission, VersionRecord
from lua_cli.registry.refusals import DeployedMeanwhileError, PushedMeanwhileError, VersionTakenError


@record(frozen=True)
class Pushed:
    """The registry has the version. With action "unchanged" it had it before."""

    step: PushStep
    action: Literal["pushed", "unchanged"]
    skill_id: str
    record: VersionRecord


@record(frozen=True)
class Deployed:
    """The version is live, as entry `number` of the history; `previous` was live before. With action "unchanged" it
    was live already.
    """

    step: DeployStep
    action: Literal["deployed", "unchanged"]
    version: str
    previous: str | None
    number: int


@record(frozen=True)
class Receipt:
    """What was done, step by step. `failure` is what the step after them met: it and those after it were not done."""

    place: RegistryPlace
    agent: str
    results: tuple[Pushed | Deployed, ...]
    failure: LuaError | None = None

    @property
    def next(self) -> tuple[str, ...]:
        """The commands that make live what was pushed and is not."""
        live = {result.step.skill for result in self.results if isinstance(result, Deployed)}
        pushed = [result for result in self.results if isinstance(result, Pushed) and result.action == "pushed"]
        return tuple(
            f"lua deploy skill --name {result.step.skill} --set-version {result.record.version}"
            for result in pushed
            if result.step.skill not in live
        )


def execute(plan: Plan, registry: Registry, progress: Callable[[str], None] = lambda _text: None) -> Receipt:
    """Do the steps in order, up to the first that fails."""
    results: list[Pushed | Deployed] = []
    for step in plan.steps:
        progress(f"{step.skill} {step.version}")
        try:
            done = (
                _push(step, registry, plan.agent) if isinstance(step, PushStep) else _deploy(step, registry, plan.agent)
            )
        except LuaError as error:
            return Receipt(plan.place, plan.agent, tuple(results), error)
        results.append(done)
    return Receipt(plan.place, plan.agent, tuple(results))


def overtaken(receipt: Receipt) -> bool:
    """Whether a push lost against another one, so that a plan made anew takes the next number."""
    return isinstance(receipt.failure, VersionTakenError | PushedMeanwhileError)


def joined(earlier: Receipt, later: Receipt) -> Receipt:
    """The receipt of a plan and of the one that was made anew after it: what the first did, the second finds done."""
    done = {result.step.skill for result in earlier.results}
    fresh = tuple(result for result in later.results if result.step.skill not in done)
    return Receipt(later.place, later.agent, (*earlier.results, *fresh), later.failure)


def _push(step: PushStep, registry: Registry, agent: str) -> Pushed:
    if step.there:
        return Pushed(step, "unchanged", step.skill_id, step.there)
    opened = step.artifact.open()  # read once: what is checked is what is sent
    submission = Submission(
        step.skill,
        step.version,
        opened.content,
        opened.digest,
        step.facts,
        base=step.previous,
        allowed_secrets=step.allowed_secrets,
    )
    stored = registry.put(agent, submission)
    return Pushed(step, "pushed" if stored.created else "unchanged", stored.skill_id, stored.record)


def _deploy(step: DeployStep, registry: Registry, agent: str) -> Deployed:
    if step.action == "unchanged":
        return Deployed(step, "unchanged", step.version, step.previous, step.seen)
    try:
        entry = registry.deploy(agent, step.skill, step.version, seen=step.seen, key=step.key)
    except DeployedMeanwhileError as error:
        if error.last is None or error.last.version != step.version:
            raise
        return Deployed(step, "unchanged", error.last.version, error.last.previous, error.last.number)
    return Deployed(step, "deployed", entry.version, entry.previous, entry.number)
