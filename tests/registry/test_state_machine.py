"""The embedded registry against a dictionary, under any order of pushes, deployments, withdrawals, crashes and
reopenings.

A crash is a copy of the file and its write-ahead log, taken while a call is at one of its statements; work goes on in
the copy, as after a kill of the process at that moment.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lua_cli.registry.embedded import EmbeddedRegistry
from lua_cli.registry.refusals import ConflictError, DeployedMeanwhileError, VersionTakenError, YankedError
from lua_cli.registry.semver import Version
from tests.registry.sample import AGENT, submission

SKILLS = st.sampled_from(["orders", "refunds"])
VERSIONS = st.sampled_from(["0.9.0", "1.0.0-rc.1", "1.0.0", "1.0.0+build", "1.0.1", "1.9.0", "1.10.0", "2.0.0"])
WORDS = st.sampled_from(["one", "two", "three"])


@dataclass
class Skill:
    """What the model knows of a skill: version → word, the versions that were live, those withdrawn, and keys of
    deployments.
    """

    versions: dict[str, str] = field(default_factory=dict)
    history: list[str] = field(default_factory=list)
    yanked: set[str] = field(default_factory=set)
    keys: dict[str, int] = field(default_factory=dict)

    def taken(self, version: str) -> str | None:
        same = Version.parse(version).precedence
        return next((known for known in self.versions if Version.parse(known).precedence == same), None)


class RegistryMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.copies = 0
        self.model: dict[str, Skill] = {}

    @initialize()
    def open(self) -> None:
        self.registry = EmbeddedRegistry(self.folder / "0" / "registry.db")

    def teardown(self) -> None:
        self.registry.close()
        shutil.rmtree(self.folder)

    def skill(self, name: str) -> Skill:
        return self.model.setdefault(name, Skill())

    @rule(name=SKILLS, version=VERSIONS, word=WORDS)
    def push(self, name: str, version: str, word: str) -> None:
        skill = self.skill(name)
        taken = skill.taken(version)
        sent = submission(version, word, skill=name, unchecked=True)
        if taken and skill.versions[taken] != word:
            with pytest.raises(VersionTakenError):
                self.registry.put(AGENT, sent)
            return
        stored = self.registry.put(AGENT, sent)
        assert (stored.created, stored.record.version) == (taken is None, taken or version)
        skill.versions.setdefault(stored.record.version, word)

    @rule(name=SKILLS, version=VERSIONS, stale=st.booleans(), key=st.sampled_from("abcdef"))
    def deploy(self, name: str, version: str, stale: bool, key: str) -> None:
        skill = self.skill(name)
        taken = skill.taken(version)
        if taken is None:
            return
        seen = len(skill.history) + stale
        call: Callable[[], Any] = lambda: self.registry.deploy(AGENT, name, version, seen=seen, key=key)  # noqa: E731
        if key in skill.keys:
            assert call().number == skill.keys[key]
        elif stale:
            with pytest.raises(DeployedMeanwhileError):
                call()
        elif taken in skill.yanked:
            with pytest.raises(YankedError):
                call()
        else:
            entry = call()
            assert (entry.number, entry.version) == (seen + 1, taken)
            assert entry.previous == (skill.history[-1] if skill.history else None)
            skill.history.append(taken)
            skill.keys[key] = entry.number

    @rule(name=SKILLS, version=VERSIONS, yanked=st.booleans())
    def yank(self, name: str, version: str, yanked: bool) -> None:
        skill = self.skill(name)
        taken = skill.taken(version)
        if taken is None:
            return
        if yanked and skill.history[-1:] == [taken]:
            with pytest.raises(YankedError):
                self.registry.yank(AGENT, name, version, yanked=yanked)
            return
        assert self.registry.yank(AGENT, name, version, yanked=yanked).yanked is yanked
        (skill.yanked.add if yanked else skill.yanked.discard)(taken)

    @rule()
    def reopen(self) -> None:
        self.registry.close()
        self.registry = EmbeddedRegistry(self.registry.path)

    @precondition(lambda self: self.registry.path.exists())
    @rule(name=SKILLS, word=WORDS, statement=st.integers(1, 14), deploy=st.booleans())
    def crash(self, name: str, word: str, statement: int, deploy: bool) -> None:
        """The process dies before it runs the n-th statement of a push or a deploy: that call never was."""
        self.registry.close()
        self.copies += 1
        copy = self.folder / str(self.copies)
        dying = EmbeddedRegistry(self.registry.path)
        dying.skills(AGENT)
        seen = 0

        def at_statement(_text: str) -> None:
            nonlocal seen
            seen += 1
            if seen == statement:
                shutil.copytree(self.registry.path.parent, copy)

        connection: sqlite3.Connection = dying._open(create=False)
        connection.set_trace_callback(at_statement)
        skill = self.skill(name)
        try:
            if deploy and skill.versions:
                dying.deploy(AGENT, name, next(iter(skill.versions)), seen=len(skill.history), key="crash")
            else:
                dying.put(AGENT, submission("3.0.0", word, skill=name))
        except (ConflictError, YankedError):
            pass
        connection.set_trace_callback(None)
        if not copy.exists():  # the call was over before: it happened, and the file is as it left it
            shutil.copytree(self.registry.path.parent, copy)
            self.learn(dying, name)
        dying.close()
        self.registry = EmbeddedRegistry(copy / "registry.db")

    def learn(self, registry: EmbeddedRegistry, name: str) -> None:
        """Take over what a call did that ran to its end."""
        skill, found = self.skill(name), registry.skill(AGENT, name)
        if found is None:
            return
        for record in found.versions:
            word = next(w for w in ("one", "two", "three") if submission(word=w, skill=name).digest == record.digest)
            assert skill.versions.setdefault(record.version, word) == word
        skill.history[:] = [entry.version for entry in registry.history(AGENT, name)]

    @invariant()
    def the_registry_is_what_the_model_is(self) -> None:
        for name, model in self.model.items():
            skill = self.registry.skill(AGENT, name)
            if skill is None:
                assert not model.versions
                continue
            assert {r.version for r in skill.versions} == set(model.versions)
            assert [r.parsed.key for r in skill.versions] == sorted(r.parsed.key for r in skill.versions)
            assert {r.version for r in skill.versions if r.yanked} == model.yanked
            for version, word in model.versions.items():
                sent = submission(version, word, skill=name)
                assert self.registry.artifact(AGENT, name, version) == sent.content
                assert self.registry.facts(AGENT, name, version) == sent.facts
            assert [entry.version for entry in self.registry.history(AGENT, name)] == model.history
            assert (skill.live.version if skill.live else None) == (model.history[-1] if model.history else None)


TestRegistry = RegistryMachine.TestCase
TestRegistry.settings = settings(
    max_examples=30, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
