"""Kills and races on the embedded registry: what was acknowledged is there, nothing half is visible, one of many wins.

`LUA_FAULT_ROUNDS` sets how many rounds of kills are run (the default suits a quick check; docs/registry.md has a long
run's figures).
"""

from __future__ import annotations

import os
import random
import select
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lua_cli.bundle.canonical import digest_of
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.conftest import REPOSITORY
from tests.registry.sample import AGENT, submission
from tests.registry.writer import version

ROUNDS = int(os.environ.get("LUA_FAULT_ROUNDS", "4"))
WRITERS = 4
RACERS = 8


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "registry.db"


def start(*args: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *map(str, args)], cwd=REPOSITORY, stdout=subprocess.PIPE, bufsize=0)


def acknowledged(writer: subprocess.Popen[bytes], lines: int, wait: float) -> None:
    """Let the writer acknowledge that much and then work on for a part of its next call."""
    assert writer.stdout is not None
    for _ in range(lines):
        assert os.read(writer.stdout.fileno(), 1), "the writer ended on its own"
    select.select([], [], [], wait)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_kill_loses_nothing_that_was_acknowledged(path: Path, seed: int) -> None:
    """Four writers, two of them killed at a random moment of a push or a deploy; three times over on the same file."""
    chance = random.Random(seed)
    said: dict[str, list[str]] = {f"skill{n}": [] for n in range(WRITERS)}
    for _ in range(3):
        writers = {name: start("-m", "tests.registry.writer", path, name, 8) for name in said}
        for name in list(writers)[:2]:
            acknowledged(writers[name], chance.randrange(1, 200), chance.random() / 100)
            writers[name].kill()
        for name, writer in writers.items():
            rest, _ = writer.communicate(timeout=60)
            said[name] += [line for line in rest.decode().splitlines() if line.startswith(("pushed", "live"))]
    check_everything(path, said)


def check_everything(path: Path, said: dict[str, list[str]]) -> None:
    """Reopen as a new process would: what was said is there, and what is there is whole and is what a writer made."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
    with EmbeddedRegistry(path) as registry:
        for name, lines in said.items():
            skill = registry.skill(AGENT, name)
            assert skill is not None, f"{name} is gone"
            for number, record in enumerate(skill.versions):
                content = registry.artifact(AGENT, name, record.version)
                assert (record.version, content) == (f"1.0.{number}", version(name, number).content)
                assert digest_of(content) == record.digest
                assert registry.facts(AGENT, name, record.version) == version(name, number).facts
            history = {entry.number: entry.version for entry in registry.history(AGENT, name)}
            assert list(history) == list(range(1, len(history) + 1))
            for line in lines:
                kind, label, detail = line.split()
                if kind == "pushed":
                    found = skill.find(label)
                    assert found is not None and found.digest == detail, f"acknowledged and lost: {name} {line}"
                elif kind == "live":
                    assert history.get(int(detail)) == label, f"acknowledged and lost: {name} {line}"


RACE = """
import sys, pathlib
from lua_cli.errors import LuaError
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.registry.sample import AGENT, submission
path, task, word = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
with EmbeddedRegistry(path) as registry:
    if task == "deploy":
        registry.skill(AGENT, "orders")
    sys.stdout.write("ready\\n"); sys.stdout.flush()
    sys.stdin.readline()
    try:
        if task == "push":
            stored = registry.put(AGENT, submission("1.0.0", word))
            print("created" if stored.created else "same", stored.skill_id)
        else:
            entry = registry.deploy(AGENT, "orders", word, seen=1, key=word)
            print("live", entry.number)
    except LuaError as error:
        print("refused", type(error).__name__)
"""


def race(path: Path, task: str, words: list[str]) -> list[str]:
    """All at once: each process stands ready before the first is let go."""
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(path), task, word],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for word in words
    ]
    for racer in racers:
        assert racer.stdout is not None and racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    return [racer.communicate(timeout=60)[0].strip() for racer in racers]


def test_equal_pushes_at_once_are_one_version_and_all_succeed(path: Path) -> None:
    answers = race(path, "push", ["equal"] * RACERS)
    assert sorted(answer.split()[0] for answer in answers) == ["created"] + ["same"] * (RACERS - 1)
    assert len({answer.split()[1] for answer in answers}) == 1, "all got the same skill"
    with EmbeddedRegistry(path) as registry:
        (skill,) = registry.skills(AGENT)
        assert [record.version for record in skill.versions] == ["1.0.0"]


def test_of_different_pushes_at_once_one_wins(path: Path) -> None:
    words = [f"content {n}" for n in range(RACERS)]
    answers = race(path, "push", words)
    assert sorted(answer.split()[0] for answer in answers) == ["created"] + ["refused"] * (RACERS - 1)
    assert {answer for answer in answers if answer.startswith("refused")} == {"refused VersionTakenError"}
    winner = next(word for word, answer in zip(words, answers, strict=True) if answer.startswith("created"))
    with EmbeddedRegistry(path) as registry:
        assert registry.artifact(AGENT, "orders", "1.0.0") == submission("1.0.0", winner).content


def test_of_deploys_that_saw_the_same_one_wins(path: Path) -> None:
    versions = [f"1.0.{n}" for n in range(RACERS + 1)]
    with EmbeddedRegistry(path) as registry:
        for label in versions:
            registry.put(AGENT, submission(label, label, unchecked=True))
        registry.deploy(AGENT, "orders", versions[0], seen=0, key="first")
    answers = race(path, "deploy", versions[1:])
    assert sorted(answers) == ["live 2"] + ["refused DeployedMeanwhileError"] * (RACERS - 1)
    winner = versions[1:][answers.index("live 2")]
    with EmbeddedRegistry(path) as registry:
        assert [entry.version for entry in registry.history(AGENT, "orders")] == ["1.0.0", winner]
