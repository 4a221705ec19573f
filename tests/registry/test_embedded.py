"""What is the embedded registry's own, beyond the protocol (test_protocol.py): its file."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lua_cli.errors import LuaError, NotFoundError
from lua_cli.records import replace
from lua_cli.registry import rows
from lua_cli.registry.embedded import EmbeddedRegistry
from lua_cli.registry.protocol import Registry, SkillFacts, ToolFacts
from tests.registry.sample import AGENT, facts, submission


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "registry.db"


@pytest.fixture
def registry(path: Path) -> Iterator[Registry]:
    with EmbeddedRegistry(path, author="mo") as opened:
        yield opened


def test_looking_at_an_empty_registry_creates_nothing(registry: Registry, path: Path) -> None:
    assert registry.agents() == ()
    assert registry.skills(AGENT) == ()
    assert registry.skill(AGENT, "orders") is None
    assert registry.history(AGENT, "orders") == ()
    with pytest.raises(NotFoundError, match="'orders' has no versions"):
        registry.artifact(AGENT, "orders", "1.0.0")
    with pytest.raises(NotFoundError, match="'orders' has no versions"):
        registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="k")
    assert not path.parent.exists()


def test_what_was_put_is_read_back_by_another_process_of_the_user(registry: Registry, path: Path) -> None:
    sent = submission(about=facts("get_order", "track", env=("TOKEN",), instructions="sha256:ab"))
    stored = registry.put(AGENT, sent)

    assert stored.created
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stored.record.created)
    registry.close()
    with EmbeddedRegistry(path) as again:
        assert again.agents() == (AGENT,)
        (skill,) = again.skills(AGENT)
        assert again.skill(AGENT, "orders") == skill
        assert (skill.id, skill.name, skill.live) == (stored.skill_id, "orders", None)
        (record,) = skill.versions
        assert record == stored.record
        assert (record.version, record.digest, record.size) == ("1.0.0", sent.digest, len(sent.content))
        assert (record.author, record.tools, record.yanked) == ("mo", ("get_order", "track"), False)
        assert again.artifact(AGENT, "orders", "1.0.0") == sent.content
        assert again.facts(AGENT, "orders", "1.0.0") == sent.facts


def test_facts_survive_whatever_text_is_in_them(registry: Registry) -> None:
    odd = SkillFacts(
        description="“quoted” \x00 \ud800 \N{PILE OF POO}",
        context={"base": "b", "voice": "v\n"},
        has_condition=True,
        tools=(ToolFacts("a", "", {"type": "object", "properties": {"ü": {"enum": [1, 1.5, None]}}}, True, ("x",)),),
        env=("A", "B"),
        defaults=("B",),
    )
    registry.put(AGENT, replace(submission(), facts=odd))
    assert registry.facts(AGENT, "orders", "1.0.0") == odd


def test_agents_and_skills_do_not_mix(registry: Registry) -> None:
    registry.put("acme", submission())
    registry.put("other", submission(word="theirs"))
    registry.put("acme", submission(skill="refunds"))
    assert registry.agents() == ("acme", "other")
    assert [skill.name for skill in registry.skills("acme")] == ["orders", "refunds"]
    assert registry.artifact("other", "orders", "1.0.0") == submission(word="theirs").content
    registry.deploy("acme", "orders", "1.0.0", seen=0, key="k")
    assert registry.history("other", "orders") == ()


def test_equal_content_is_kept_once(registry: Registry, path: Path) -> None:
    big = submission(word="x" * 20_000)
    registry.put(AGENT, big)
    registry.close()
    size = path.stat().st_size
    again = EmbeddedRegistry(path)
    again.put(AGENT, submission("1.0.1", "x" * 20_000, base="1.0.0"))
    again.close()
    assert path.stat().st_size - size < len(big.content) / 2


def test_content_that_is_not_what_its_digest_says_is_not_kept(registry: Registry, path: Path) -> None:
    good = submission()
    bad = type(good)(good.skill, good.version, good.content + b"x", good.digest, good.facts)
    with pytest.raises(LuaError, match="does not match its digest"):
        registry.put(AGENT, bad)
    assert not path.exists()


def test_a_failed_write_leaves_nothing_behind(registry: Registry, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise LuaError("in the middle, after the content was kept")

    with monkeypatch.context() as patch:
        patch.setattr(rows, "add_version", fails)
        with pytest.raises(LuaError, match="in the middle"):
            registry.put(AGENT, submission())
    assert registry.agents() == ()
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT count(*) FROM blobs").fetchone() == (0,)
    other.close()
    assert registry.put(AGENT, submission()).created, "no transaction is left open"
