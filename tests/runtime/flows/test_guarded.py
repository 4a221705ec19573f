"""What would run away is ended, with words; what is light is not forked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from lua_cli.flows.cel import CelError, Expression, Scope, compile_cel
from lua_cli.runtime.flows.guarded import PATIENCE, SECONDS, evaluate
from tests.conftest import REPOSITORY

SCOPE = Scope({"many": list(range(100_000)), "long": "a" * 100_000, "few": [3, 1, 2]})
SMALL = Scope({"few": [3, 1, 2]})


@pytest.mark.parametrize(
    "source",
    [
        "size(body.many.distinct())",
        "size(body.many.map(x, x))",
        "lists.range(1000).map(a, lists.range(1000).map(b, lists.range(1000).map(c, a * b * c)))",
        "size(lists.range(1000000000))",
        "body.long.replace('a', body.long).size()",
        "lists.range(9000).map(x, body.long.upperAscii()).size()",
        "regexExtract('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(a+)+b')",
        "sets.contains(body.many, body.many)",
    ],
)
def test_a_runaway_ends_with_words(source: str) -> None:
    with pytest.raises(CelError, match=r"takes too long|too much memory"):
        evaluate(compile_cel(source), SCOPE)


@pytest.mark.parametrize(
    ("source", "value"),
    [("lists.range(3)", [0, 1, 2]), ("size(lists.range(3) + body.few)", 6), ("regexExtract('a7', '[0-9]')", "7")],
)
def test_the_value_is_the_same_in_a_fork(source: str, value: object) -> None:
    assert evaluate(compile_cel(source), SMALL) == value


def test_an_error_in_a_fork_keeps_its_words() -> None:
    with pytest.raises(CelError) as raised:
        evaluate(compile_cel("lists.range(3).map(x, body.missing)"), SMALL)
    assert raised.value.message == "there is no key 'missing' (ask with has(…) first)"


def test_what_is_light_needs_no_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise AssertionError("forked")

    monkeypatch.setattr(os, "fork", fail)
    light = Scope({"items": [{"a": 1}, {"a": 2}]})
    assert evaluate(compile_cel("body.items.filter(i, i.a > 1.0).map(i, i.a)"), light) == [2]


class Sleeping(Expression):
    """Waits for ever without any work: no limit of the processor's time ends it."""

    def heavy(self, scope: Scope) -> bool:
        return True

    def evaluate(self, scope: Scope) -> object:
        while True:
            signal.pause()


def test_what_does_no_work_is_ended_by_the_clock() -> None:
    """Bounded on a machine whose processor is busy with other things, too; and the fork is gone."""
    assert SECONDS < PATIENCE < 1
    done = subprocess.run(
        [sys.executable, "-c", "from tests.runtime.flows import test_guarded; test_guarded.leaves_no_child()"],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def leaves_no_child() -> None:
    """In a process of its own, whose only child the fork is."""
    with pytest.raises(CelError, match="it takes too long"):
        evaluate(Sleeping("sleep()", None), SCOPE)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_no_patience_is_no_answer() -> None:
    with pytest.raises(CelError, match="it takes too long"):
        evaluate(compile_cel("lists.range(3)"), SCOPE, patience=0)
