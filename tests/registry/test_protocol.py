"""The protocol, held by each registry alike: what is kept, what is refused and in which words, what a reader gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.project.credentials import Key
from lua_cli.registry.embedded import EmbeddedRegistry
from lua_cli.registry.http import HttpRegistry
from lua_cli.registry.protocol import Registry, SkillFacts, Submission, ToolFacts
from lua_cli.registry.refusals import DeployedMeanwhileError, PushedMeanwhileError, VersionTakenError, YankedError
from tests.registry.api_server import KEY, ApiServer
from tests.registry.sample import AGENT, submission
from tests.server.serving import OwnAgent


@pytest.fixture(params=["embedded", "http", "serve", "serve_team"])
def registry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Registry]:
    if request.param == "embedded":
        with EmbeddedRegistry(tmp_path / "data" / "registry.db", author="mo") as embedded:
            yield embedded
        return
    if request.param.startswith("serve"):
        hosted, key = request.getfixturevalue(request.param)
        with hosted.client(key) as client:
            yield OwnAgent(client)
        return
    server = ApiServer(tmp_path)
    with HttpRegistry(server.address, Key(KEY, "the test")) as remote:
        yield remote
    server.close()


def test_nothing_is_there_before_the_first_push(registry: Registry) -> None:
    assert registry.skills(AGENT) == ()
    assert registry.skill(AGENT, "orders") is None
    assert registry.history(AGENT, "orders") == ()
    for call in (registry.artifact, registry.facts, registry.yank):
        with pytest.raises(NotFoundError, match="'orders' has no versions"):
            call(AGENT, "orders", "1.0.0")
    with pytest.raises(NotFoundError, match="'orders' has no versions"):
        registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="k")


def test_what_was_put_is_read_back(registry: Registry) -> None:
    about = SkillFacts(
        description="“Orders”",
        context={"base": "b", "voice": "v\n"},
        has_condition=True,
        tools=(ToolFacts("a", "ü", {"type": "object", "properties": {"x": {"enum": [1, 1.5, None]}}}, True),),
    )
    sent = submission(about=about)
    stored = registry.put(AGENT, sent)
    assert stored.created
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stored.record.created)
    (skill,) = registry.skills(AGENT)
    assert registry.skill(AGENT, "orders") == skill
    assert (skill.id, skill.name, skill.live, skill.versions) == (stored.skill_id, "orders", None, (stored.record,))
    record = stored.record
    assert (record.version, record.digest, record.size) == ("1.0.0", sent.digest, len(sent.content))
    assert (record.author, record.tools, record.yanked) == ("mo", ("a",), False)
    assert registry.artifact(AGENT, "orders", "1.0.0") == sent.content
    assert registry.facts(AGENT, "orders", "1.0.0") == about


def test_the_same_version_with_the_same_content_is_answered_as_before(registry: Registry) -> None:
    first = registry.put(AGENT, submission())
    again = registry.put(AGENT, submission())
    assert (again.created, again.skill_id, again.record) == (False, first.skill_id, first.record)
    assert len(registry.skills(AGENT)[0].versions) == 1


def test_the_same_version_with_other_content_is_refused_and_names_a_free_one(registry: Registry) -> None:
    registry.put(AGENT, submission("1.0.0"))
    registry.put(AGENT, submission("1.4.0", "two", base="1.0.0"))
    with pytest.raises(VersionTakenError) as refused:
        registry.put(AGENT, submission("1.0.0", "other", base="1.4.0", unchecked=True))
    assert re.fullmatch(
        r"orders 1\.0\.0 exists already with other content \(pushed by mo, .*Z\)", refused.value.message
    )
    assert refused.value.hint == "versions never change: push it as 1.4.1"
    assert registry.artifact(AGENT, "orders", "1.0.0") == submission("1.0.0").content


def test_build_metadata_does_not_make_another_version(registry: Registry) -> None:
    registry.put(AGENT, submission("1.0.0+linux"))
    assert registry.put(AGENT, submission("1.0.0+mac")).record.version == "1.0.0+linux"
    assert registry.artifact(AGENT, "orders", "1.0.0") == submission().content
    with pytest.raises(VersionTakenError, match=r"1\.0\.0 counts as 1\.0\.0\+linux, which exists already") as refused:
        registry.put(AGENT, submission("1.0.0", "other"))
    assert "push it as 1.0.1" in (refused.value.hint or "")


def test_versions_are_listed_in_the_order_of_semver(registry: Registry) -> None:
    for version in ("1.10.0", "1.9.0", "2.0.0-rc.1", "1.0.0", "2.0.0-rc.1.1"):
        registry.put(AGENT, submission(version, version, unchecked=True))
    skill = registry.skill(AGENT, "orders")
    assert skill is not None
    assert [r.version for r in skill.versions] == ["1.0.0", "1.9.0", "1.10.0", "2.0.0-rc.1", "2.0.0-rc.1.1"]
    assert skill.highest and skill.highest.version == "2.0.0-rc.1.1"
    assert skill.latest and skill.latest.version == "1.10.0", "`latest` is a release where there is one"


def test_latest_is_a_pre_release_only_where_there_is_nothing_else(registry: Registry) -> None:
    registry.put(AGENT, submission("1.0.0-rc.1"))
    skill = registry.skill(AGENT, "orders")
    assert skill and skill.latest and skill.latest.version == "1.0.0-rc.1"


def test_a_push_that_was_overtaken_is_refused(registry: Registry) -> None:
    registry.put(AGENT, submission("1.0.0"))
    registry.put(AGENT, submission("2.0.0", "two", base="1.0.0"))
    with pytest.raises(PushedMeanwhileError, match=r"orders 2\.0\.0 was pushed meanwhile .*: the plan knew 1\.0\.0"):
        registry.put(AGENT, submission("1.0.1", "three", base="1.0.0"))
    with pytest.raises(PushedMeanwhileError, match="the plan knew no version"):
        registry.put(AGENT, submission("1.0.1", "three"))
    assert registry.put(AGENT, submission("1.0.1", "three", base="2.0.0")).created, "known, and wanted all the same"
    assert registry.put(AGENT, submission("1.0.2", "four", unchecked=True)).created


def test_a_higher_number_than_what_came_meanwhile_is_accepted(registry: Registry) -> None:
    registry.put(AGENT, submission("1.0.0"))
    registry.put(AGENT, submission("1.0.1", "two", base="1.0.0"))
    assert registry.put(AGENT, submission("3.0.0", "three", base="1.0.0")).created


def test_deploying_appends_to_a_history_whose_last_entry_is_live(registry: Registry) -> None:
    for version, base in (("1.0.0", None), ("1.1.0", "1.0.0")):
        registry.put(AGENT, submission(version, version, base=base))
    first = registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="a")
    second = registry.deploy(AGENT, "orders", "1.1.0", seen=1, key="b")
    back = registry.deploy(AGENT, "orders", "1.0.0", seen=2, key="c")
    assert [(d.number, d.version, d.previous, d.author) for d in (first, second, back)] == [
        (1, "1.0.0", None, "mo"),
        (2, "1.1.0", "1.0.0", "mo"),
        (3, "1.0.0", "1.1.0", "mo"),
    ]
    assert registry.history(AGENT, "orders") == (first, second, back)
    skill = registry.skill(AGENT, "orders")
    assert skill and skill.live == back and skill.seen == 3


def test_a_deploy_that_has_not_seen_the_last_one_is_refused(registry: Registry) -> None:
    registry.put(AGENT, submission())
    with pytest.raises(DeployedMeanwhileError, match="orders was never deployed; the plan knew entry 4"):
        registry.deploy(AGENT, "orders", "1.0.0", seen=4, key="z")
    registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="a")
    with pytest.raises(DeployedMeanwhileError) as refused:
        registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="b")
    assert re.fullmatch(
        r"orders 1\.0\.0 was deployed meanwhile by mo, .*Z \(entry 1\); the plan knew of no entry",
        refused.value.message,
    )
    assert len(registry.history(AGENT, "orders")) == 1


def test_a_deploy_that_is_repeated_is_answered_with_its_first_entry(registry: Registry) -> None:
    registry.put(AGENT, submission())
    registry.put(AGENT, submission("1.1.0", "two", base="1.0.0"))
    first = registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="a")
    registry.deploy(AGENT, "orders", "1.1.0", seen=1, key="b")
    assert registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="a") == first
    assert len(registry.history(AGENT, "orders")) == 2


def test_a_version_that_is_not_there_is_not_found_with_those_that_are(registry: Registry) -> None:
    for patch in range(10):
        registry.put(AGENT, submission(f"1.0.{patch}", str(patch), unchecked=True))
    registry.yank(AGENT, "orders", "1.0.9")
    for call in (
        lambda: registry.artifact(AGENT, "orders", "2.0.0"),
        lambda: registry.facts(AGENT, "orders", "2.0.0"),
        lambda: registry.deploy(AGENT, "orders", "2.0.0", seen=0, key="a"),
        lambda: registry.yank(AGENT, "orders", "2.0.0"),
    ):
        with pytest.raises(NotFoundError, match=r"skill 'orders' has no version 2\.0\.0") as error:
            call()
        assert error.value.hint == "there are: 1.0.8, 1.0.7, 1.0.6, 1.0.5, 1.0.4, 1.0.3, 1.0.2, 1.0.1, …"


def test_a_withdrawn_version_stays_readable_taken_and_undeployable(registry: Registry) -> None:
    registry.put(AGENT, submission())
    registry.put(AGENT, submission("1.1.0", "two", base="1.0.0"))
    registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="a")
    assert registry.yank(AGENT, "orders", "1.1.0").yanked
    skill = registry.skill(AGENT, "orders")
    assert skill and skill.latest and skill.highest
    assert (skill.latest.version, skill.highest.version) == ("1.0.0", "1.1.0")
    assert registry.artifact(AGENT, "orders", "1.1.0") == submission(word="two").content
    with pytest.raises(YankedError, match="withdrawn"):
        registry.deploy(AGENT, "orders", "1.1.0", seen=1, key="b")
    with pytest.raises(VersionTakenError):
        registry.put(AGENT, submission("1.1.0", "other", unchecked=True))
    with pytest.raises(YankedError, match=r"1\.0\.0 is live"):
        registry.yank(AGENT, "orders", "1.0.0")
    assert not registry.yank(AGENT, "orders", "1.1.0", yanked=False).yanked
    assert registry.deploy(AGENT, "orders", "1.1.0", seen=1, key="b").number == 2


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201, "\ud800", "nul\x00"])
def test_names_that_could_not_be_shown_are_refused(registry: Registry, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a skill"):
        registry.put(AGENT, submission(skill=name) if name.isprintable() else _renamed(name))
    with pytest.raises(UsageError, match="cannot be the name of an agent"):
        registry.put(name, submission())
    assert registry.skills(AGENT) == ()


def _renamed(name: str) -> Submission:
    good = submission()
    return type(good)(name, good.version, good.content, good.digest, good.facts)
