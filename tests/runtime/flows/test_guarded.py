"""What would run away is ended, with words; what is light is not forked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from lua_cli.flows import cel_values
from lua_cli.flows.cel import CelError, Expression, Scope, compile_cel, message_of
from lua_cli.flows.cel_values import Converted
from lua_cli.flows.disk import load_members
from lua_cli.runtime.flows.around import MAX_LINES, Around, LogLine
from lua_cli.runtime.flows.engine import Engine
from lua_cli.runtime.flows.guarded import PATIENCE, SECONDS, evaluate
from lua_cli.runtime.flows.invoking import run
from lua_cli.runtime.flows.message import Message
from tests.conftest import REPOSITORY

SCOPE = Scope(
    {
        "many": list(range(100_000)), "long": "a" * 100_000, "few": [3, 1, 2],
        "twice": "a" * 2_000_000, "once": "a" * 1_000_000 + "b",
    }
)  # fmt: skip
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
        "regexExtract // a comment before the bracket\n('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(a+)+b')",
        "[" + ", ".join(["body.many"] * 300) + "]",
        "body.twice.indexOf(body.once)",
        "body.twice.lastIndexOf(body.once)",
        "size(body.twice.split(body.once))",
        "body.twice.matches('(a?a?a?a?a?a?a?a?a?a?){99}y')",
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


def test_the_words_that_count_are_those_of_the_expression() -> None:
    given = message_of(SCOPE)
    assert not compile_cel("'lists.range(9)' + body.long // body.many.map(x, x)").heavy(given)
    assert not compile_cel("size(body.many) > 0 && has(vars.body)").heavy(message_of(SMALL))
    assert compile_cel("[body, body, body, body, body, body, body, body, body, body, body]").heavy(given)


def test_a_message_that_is_too_large_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel_values, "MAX_NODES", 10_000)
    with pytest.raises(CelError, match="the message is too large: it has more than 10,000 values"):
        evaluate(compile_cel("1"), Scope([[1] * 1000] * 10))
    with pytest.raises(CelError, match="its texts have more than 100,000,000 characters"):
        evaluate(compile_cel("1"), Scope(["a" * 10_000_001] * 10))


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

    def heavy(self, given: Converted) -> bool:
        return True

    def evaluate(self, scope: Scope, given: Converted | None = None) -> object:
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


def test_templates_that_render_one_another_twice_are_ended() -> None:
    """Thirty documents of a line each: 2^30 renderings of nothing at all."""
    count = 30
    documents = {f"t{n}.md": b"{{ templateResource('t%d') }}" % (n + 1) * 2 for n in range(count)}
    listed = ", ".join(f"{{resource: t{n}.md, as: t{n}}}" for n in range(count + 1))
    head = f"resources: {{templates: [{listed}]}}\n"
    flow = b"flows: [{name: f, process: [{type: template-resource, settings: {resource: t0}}]}]\n"
    flows = load_members({"a.yaml": head.encode() + flow, **documents, f"t{count}.md": b""})
    assert flows.findings == ()
    result = run(Engine(flows, Around()), "f", Message())
    assert result.error is not None
    assert "takes too long with the others that it renders" in result.error.message


def test_a_message_that_doubles_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel_values, "MAX_NODES", 200_000)
    document = """\
flows:
  - name: f
    process:
      - type: foreach
        items: lists.range(60)
        body: [{type: set-payload, settings: {value: body + body}}]
"""
    for body in ("abcdefgh", [1, 2, 3]):
        result = run(Engine(load_members({"a.yaml": document.encode()}), Around()), "f", Message(body))
        assert result.error is not None
        assert any(words in result.error.message for words in ("too large", "too much memory", "too long"))


def test_what_a_loop_gathers_is_bounded() -> None:
    document = """\
flows:
  - name: f
    process:
      - {type: set-payload, settings: {value: '"abcdefgh".replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")'}}
      - {type: foreach, items: lists.range(1000), mode: map, body: [{type: set-variable, settings: {name: x, value: '1'}}]}
"""
    engine = Engine(load_members({"a.yaml": document.encode()}), Around())
    assert run(engine, "f", Message()).error is None
    result = run(Engine(load_members({"a.yaml": MANY.encode()}), Around()), "f", Message("a" * 1_000_000))
    assert result.error is not None
    assert result.error.message == "the bodies of the loop have more than 100,000,000 characters"


MANY = "flows: [{name: f, process: [{type: foreach, items: lists.range(1000), mode: map, body: [{type: filter, condition: 'true'}]}]}]"


def test_a_log_line_is_cut() -> None:
    flows = load_members({"a.yaml": b"flows: [{name: f, process: [{type: log}]}]"})
    (line,) = run(Engine(flows, Around()), "f", Message("ab" * 10_000)).logs
    assert line.text == "ab" * 5_000 + "… (20,000 characters)"


def test_logs_end_with_a_word_about_the_rest() -> None:
    around = Around()
    for number in range(MAX_LINES + 5):
        around.log(LogLine("info", str(number)))
    assert (len(around.logs), around.logs[-2].text, around.logs[-1].text) == (
        MAX_LINES + 1, "9999", "more than 10,000 lines were logged: the rest is left out",
    )  # fmt: skip
