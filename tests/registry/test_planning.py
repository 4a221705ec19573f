"""Plans and what comes of them: the version that is chosen, what is said, what is refused, and receipts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lua_cli.errors import LuaError, NotFoundError, UnavailableError
from lua_cli.records import replace
from lua_cli.registry.changes import Changes, Rename, Tokens, ToolChange, Wording
from lua_cli.registry.embedded import EmbeddedRegistry
from lua_cli.registry.execute import Deployed, Pushed, Receipt, execute
from lua_cli.registry.plan import DeployStep, Plan, PushStep
from lua_cli.registry.planning import Planner
from lua_cli.registry.protocol import Submission
from lua_cli.registry.refusals import DeployedMeanwhileError, PushedMeanwhileError, VersionTakenError, YankedError
from lua_cli.registry.schemas import SchemaChange
from lua_cli.registry.semver import Version
from lua_cli.report.registry import plan_lines, receipt_lines
from tests.registry.artifacts import build
from tests.registry.sample import AGENT


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[EmbeddedRegistry]:
    with EmbeddedRegistry(tmp_path / "registry.db", author="mo") as opened:
        yield opened


@pytest.fixture
def planner(registry: EmbeddedRegistry) -> Planner:
    return Planner(registry, AGENT)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / ".lua"


def pushed(planner: Planner, *artifacts: Any, version: str | None = None, deploy: bool = False) -> Receipt:
    plan = planner.push(artifacts, version=Version.parse(version) if version else None, deploy=deploy)
    receipt = execute(plan, planner.registry)
    assert receipt.failure is None
    return receipt


def only_push(plan: Plan) -> PushStep:
    (step,) = plan.steps
    assert isinstance(step, PushStep)
    return step


def only_deploy(plan: Plan) -> DeployStep:
    (step,) = plan.steps
    assert isinstance(step, DeployStep)
    return step


def test_a_plan_alone_changes_nothing(planner: Planner, registry: EmbeddedRegistry, out: Path) -> None:
    plan = planner.push([build(out)], deploy=True)
    assert not plan.idle
    assert not registry.path.exists()


def test_the_first_version_is_1_0_0_and_every_tool_is_new(planner: Planner, out: Path) -> None:
    built = build(out, {"get_order": "Look up.", "track": "Where is it?"})
    plan = planner.push([built])
    step = only_push(plan)
    assert (step.skill, step.version, step.previous, step.why) == ("orders", "1.0.0", None, "new skill")
    assert (step.action, step.lower, step.changes) == ("push", False, Changes(added=("get_order", "track")))
    assert plan_lines(plan) == [
        f"orders 1.0.0  would be pushed (new skill)  {built.digest[:19]}  {built.size} B",
        "  + get_order",
        "  + track",
    ]


@pytest.mark.parametrize(
    ("there", "next_version"), [("1.0.0", "1.0.1"), ("1.9.0", "1.9.1"), ("2.0.0-rc.1", "2.0.0"), ("0.3.0", "0.3.1")]
)
def test_the_next_version_is_a_patch_above_the_highest(
    planner: Planner, out: Path, there: str, next_version: str
) -> None:
    pushed(planner, build(out), version=there)
    step = only_push(planner.push([build(out, source="# two\n")]))
    assert (step.version, step.previous, step.why) == (next_version, there, "the content changed")


def test_the_highest_counts_not_the_last(planner: Planner, out: Path) -> None:
    pushed(planner, build(out), version="1.10.0")
    pushed(planner, build(out, source="# two\n"), version="1.9.0")
    assert only_push(planner.push([build(out, source="# three\n")])).version == "1.10.1"


def test_the_same_content_is_nothing_to_push(planner: Planner, out: Path) -> None:
    pushed(planner, build(out))
    plan = planner.push([build(out)])
    assert plan.idle
    assert plan_lines(plan) == ["orders: nothing to push, 1.0.0 has this content"]
    receipt = execute(plan, planner.registry)
    (result,) = receipt.results
    assert isinstance(result, Pushed)
    assert (result.action, result.record.version) == ("unchanged", "1.0.0")
    assert receipt.next == ()


def test_content_of_an_older_version_is_a_new_version_that_says_so(planner: Planner, out: Path) -> None:
    pushed(planner, build(out))
    pushed(planner, build(out, source="# two\n"))
    step = only_push(planner.push([build(out)]))
    assert (step.version, step.why) == ("1.0.2", "the content of 1.0.0 again")


def test_a_withdrawn_version_is_not_pushed_again_under_its_number(planner: Planner, out: Path) -> None:
    pushed(planner, build(out))
    planner.registry.yank(AGENT, "orders", "1.0.0")
    step = only_push(planner.push([build(out)]))
    assert (step.version, step.why) == ("1.0.1", "the content of 1.0.0 again, which was withdrawn")


def test_a_version_that_is_asked_for(planner: Planner, out: Path) -> None:
    pushed(planner, build(out))
    assert only_push(planner.push([build(out)], version=Version.parse("2.0.0"))).version == "2.0.0"
    same = only_push(planner.push([build(out)], version=Version.parse("1.0.0")))
    assert (same.action, same.why) == ("unchanged", "1.0.0 has this content")
    with pytest.raises(VersionTakenError) as refused:
        planner.push([build(out, source="# two\n")], version=Version.parse("1.0.0"))
    assert refused.value.hint == "versions never change: push it as 1.0.1"


def test_a_lower_version_is_marked(planner: Planner, out: Path) -> None:
    pushed(planner, build(out), version="2.0.0")
    plan = planner.push([build(out, source="# two\n")], version=Version.parse("1.5.0"))
    assert only_push(plan).lower
    assert "  ! 1.5.0 is lower than 2.0.0" in plan_lines(plan)
    assert execute(plan, planner.registry).failure is None, "consent is asked for by the command, not by the registry"


def test_what_the_model_sees_that_changes(planner: Planner, out: Path) -> None:
    old = {"get_order": "Look up one order.", "track": "Where is it?", "same": "Same."}
    new = {"find_order": "Look up one order.", "track": "Where is the parcel?", "same": "Same."}
    pushed(planner, build(out, old))
    plan = planner.push(
        [build(out, new, context="Use find_order.", schemas={"track": {"type": "object", "required": ["id"]}})]
    )
    assert only_push(plan).changes == Changes(
        added=("find_order",),
        removed=("get_order",),
        changed=(
            ToolChange("track", ("description", "input schema"), (SchemaChange("breaking", "/id", "is required now"),)),
        ),
        parts=("context",),
        renamed=(Rename("get_order", "find_order"),),
        tokens=Tokens(2, 4),
        wording=(
            Wording("track", "description", "Where is it?", "Where is the parcel?"),
            Wording("", "context", "Use it.", "Use find_order."),
        ),
    )
    assert plan_lines(plan)[1:] == [
        "  + find_order  (looks like get_order, renamed)",
        "  - get_order",
        "  ~ track (description, input schema)",
        "    ! /id is required now",
        "  ~ context of the skill (about 2 -> 4 tokens)",
    ]


def test_variables_that_are_needed_and_not_set_are_named(registry: EmbeddedRegistry, out: Path) -> None:
    planner = Planner(registry, AGENT, known={"SET"})
    built = build(out, env=("NEEDED", "SET"), optional=("WITH_DEFAULT",))
    plan = planner.push([built])
    assert only_push(plan).missing == ("NEEDED",)
    assert "  ! NEEDED is needed and not set here (read at agent.py:1)" in plan_lines(plan)
    execute(plan, registry)
    assert only_deploy(planner.deploy("orders", "1.0.0")).missing == ("NEEDED",)


def test_several_skills_and_their_deployment_in_one_plan(planner: Planner, out: Path, tmp_path: Path) -> None:
    receipt = pushed(planner, build(out), build(tmp_path / "other", skill="refunds"), deploy=True)
    assert [(type(r), r.action, r.step.skill) for r in receipt.results] == [
        (Pushed, "pushed", "orders"),
        (Deployed, "deployed", "orders"),
        (Pushed, "pushed", "refunds"),
        (Deployed, "deployed", "refunds"),
    ]
    assert [skill.live.version for skill in planner.registry.skills(AGENT) if skill.live] == ["1.0.0", "1.0.0"]
    assert receipt.next == ()


def test_what_comes_next_after_a_push_is_its_deployment(planner: Planner, out: Path) -> None:
    assert pushed(planner, build(out)).next == ("lua deploy skill --name orders --set-version 1.0.0",)


def test_deploying_the_latest_the_live_one_and_an_older_one(planner: Planner, out: Path) -> None:
    pushed(planner, build(out))
    pushed(planner, build(out, source="# two\n"), version="1.10.0")
    pushed(planner, build(out, source="# three\n"), version="2.0.0-rc.1")
    first = planner.deploy("orders", "latest")
    assert plan_lines(first)[0] == "orders 1.10.0  would go live"
    receipt = execute(first, planner.registry)
    assert receipt_lines(receipt)[0] == "orders 1.10.0  live (entry 1)"
    again = planner.deploy("orders", "1.10.0")
    assert again.idle
    assert plan_lines(again) == ["orders: nothing to deploy, 1.10.0 is live"]
    assert receipt_lines(execute(again, planner.registry)) == ["orders: nothing to deploy, 1.10.0 is live"]
    older = planner.deploy("orders", "1.0.0")
    assert only_deploy(older).lower
    assert receipt_lines(execute(older, planner.registry))[0] == "orders 1.10.0 -> 1.0.0  live (entry 2)"


def test_rolling_back_goes_to_what_was_live_before_as_a_new_entry(planner: Planner, out: Path) -> None:
    pushed(planner, build(out), deploy=True)
    pushed(planner, build(out, source="# two\n"), deploy=True)
    receipt = execute(planner.rollback("orders"), planner.registry)
    assert receipt_lines(receipt)[0] == "orders 1.0.1 -> 1.0.0  live (entry 3)"
    history = planner.registry.history(AGENT, "orders")
    assert [(entry.version, entry.previous) for entry in history] == [
        ("1.0.0", None),
        ("1.0.1", "1.0.0"),
        ("1.0.0", "1.0.1"),
    ]
    assert only_deploy(planner.rollback("orders", "1.0.1")).version == "1.0.1"


def test_there_may_be_nothing_to_roll_back_to(planner: Planner, out: Path) -> None:
    with pytest.raises(NotFoundError, match="no version was ever live"):
        planner.rollback("orders")
    pushed(planner, build(out))
    with pytest.raises(NotFoundError, match="no version was ever live"):
        planner.rollback("orders")
    execute(planner.deploy("orders", "latest"), planner.registry)
    with pytest.raises(NotFoundError, match=r"nothing was live before 1\.0\.0"):
        planner.rollback("orders")
    with pytest.raises(NotFoundError, match=r"no version 7\.0\.0"):
        planner.rollback("orders", "7.0.0")


def test_one_rollback_after_another_goes_further_back_and_never_forward(planner: Planner, out: Path) -> None:
    for word in ("one", "two", "three"):
        pushed(planner, build(out, source=f"# {word}\n"), deploy=True)
    for expected in ("1.0.1", "1.0.0"):
        execute(planner.rollback("orders"), planner.registry)
        skill = planner.registry.skill(AGENT, "orders")
        assert skill and skill.live and skill.live.version == expected
    with pytest.raises(NotFoundError, match=r"nothing was live before 1\.0\.0"):
        planner.rollback("orders")
    execute(planner.deploy("orders", "1.0.2"), planner.registry)
    (step,) = planner.rollback("orders").steps
    assert step.version == "1.0.0", "1.0.1 was rolled back"


def test_a_version_that_the_project_pushed_and_the_registry_lost_is_named(planner: Planner, out: Path) -> None:
    knowing = replace(planner, remembered={"orders": "1.4.0"})
    (step,) = knowing.push([build(out)]).steps
    assert step.why == "new skill; lua.skill.toml knows 1.4.0, which is not in this registry"


def test_the_latest_of_all_own_skills_at_once(planner: Planner, out: Path) -> None:
    with pytest.raises(NotFoundError, match="has no versions to deploy"):
        planner.deploy_all({"orders", "refunds"})
    for skill in ("orders", "refunds", "theirs"):
        pushed(planner, build(out / skill, skill=skill))
    plan = planner.deploy_all({"orders", "refunds", "unpushed"})
    assert [(step.skill, step.version, step.action) for step in plan.steps] == [
        ("orders", "1.0.0", "deploy"),
        ("refunds", "1.0.0", "deploy"),
    ]
    execute(plan, planner.registry)
    assert planner.deploy_all({"orders", "refunds"}).idle
    with pytest.raises(
        NotFoundError, match="has no versions of this project's skills: there is orders, refunds, theirs"
    ):
        planner.deploy_all({"unpushed"})


def test_a_withdrawn_version_is_not_rolled_back_to(planner: Planner, out: Path) -> None:
    pushed(planner, build(out), deploy=True)
    pushed(planner, build(out, source="# two\n"), deploy=True)
    planner.registry.yank(AGENT, "orders", "1.0.0")
    for plan in (lambda: planner.rollback("orders"), lambda: planner.deploy("orders", "1.0.0")):
        with pytest.raises(YankedError) as refused:
            plan()
        assert refused.value.hint == "name another with --set-version"
    assert len(planner.registry.history(AGENT, "orders")) == 2


def test_latest_where_everything_was_withdrawn(planner: Planner, out: Path) -> None:
    pushed(planner, build(out))
    planner.registry.yank(AGENT, "orders", "1.0.0")
    with pytest.raises(YankedError, match="all versions of orders were withdrawn"):
        planner.deploy("orders", "latest")


def test_executing_a_plan_twice_gives_the_same_receipt(planner: Planner, out: Path) -> None:
    plan = planner.push([build(out)], deploy=True)
    first, second = (execute(plan, planner.registry) for _ in range(2))
    assert [r.action for r in first.results] == ["pushed", "deployed"]
    assert [r.action for r in second.results] == ["unchanged", "deployed"]
    assert first.results[1] == second.results[1]
    assert len(planner.registry.history(AGENT, "orders")) == 1


def test_two_plans_for_the_same_content_both_succeed(planner: Planner, out: Path) -> None:
    plans = [planner.push([build(out)], deploy=True) for _ in range(2)]
    receipts = [execute(plan, planner.registry) for plan in plans]
    assert [[r.action for r in receipt.results] for receipt in receipts] == [
        ["pushed", "deployed"],
        ["unchanged", "unchanged"],
    ]
    assert [receipt.failure for receipt in receipts] == [None, None]


def test_two_plans_for_different_content_one_wins(planner: Planner, out: Path, tmp_path: Path) -> None:
    other = build(tmp_path / "other", source="# two\n")
    plans = [planner.push([built], deploy=True) for built in (build(out), other)]
    first, second = (execute(plan, planner.registry) for plan in plans)
    assert first.failure is None
    assert isinstance(second.failure, VersionTakenError)
    assert second.results == (), "what failed was not deployed either"


def test_a_plan_that_was_overtaken_is_refused(planner: Planner, out: Path, tmp_path: Path) -> None:
    pushed(planner, build(out))
    late = planner.push([build(tmp_path / "other", source="# two\n")])
    pushed(planner, build(out, source="# three\n"), version="3.0.0")
    assert isinstance(execute(late, planner.registry).failure, PushedMeanwhileError)


def test_a_deployment_that_was_overtaken_is_refused(planner: Planner, out: Path) -> None:
    pushed(planner, build(out))
    pushed(planner, build(out, source="# two\n"))
    late = planner.deploy("orders", "1.0.0")
    execute(planner.deploy("orders", "1.0.1"), planner.registry)
    failure = execute(late, planner.registry).failure
    assert isinstance(failure, DeployedMeanwhileError)
    assert "orders 1.0.1 was deployed meanwhile by mo" in failure.message


def test_a_receipt_says_what_was_done_before_the_failure(planner: Planner, out: Path, tmp_path: Path) -> None:
    class Failing(EmbeddedRegistry):
        """The connection goes away before the second skill."""

        def put(self, agent: str, submission: Submission) -> Any:
            if submission.skill == "refunds":
                raise UnavailableError("gone")
            return super().put(agent, submission)

    with Failing(tmp_path / "registry.db") as failing:
        plan = planner.push([build(out), build(tmp_path / "other", skill="refunds")], deploy=True)
        receipt = execute(plan, failing)
    assert isinstance(receipt.failure, UnavailableError)
    assert [r.step.skill for r in receipt.results] == ["orders", "orders"]
    assert receipt_lines(receipt)[0].startswith("orders 1.0.0  pushed")


def test_an_artifact_that_was_tampered_with_is_not_pushed(planner: Planner, out: Path) -> None:
    built = build(out)
    plan = planner.push([built])
    data = bytearray(built.stored.read_bytes())
    data[len(data) // 2] ^= 1
    built.stored.write_bytes(data)
    failure = execute(plan, planner.registry).failure
    assert isinstance(failure, LuaError)
    assert planner.registry.skills(AGENT) == ()
