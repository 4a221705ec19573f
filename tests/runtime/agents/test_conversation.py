"""Agents in Python, talked with: real artifacts in real children, the model played by a script."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from lua_cli.runtime.state import EndUser
from lua_cli.runtime.turns import Cancellation, Gate
from tests.runtime.agents.stage import Stage, call, results, say, staged

WriteProject = Callable[[Mapping[str, str]], Path]

AGENT = """\
from lua_cli import LuaAgent, LuaSkill
from counting import Count, Slow, Tick
from others import Count as OtherCount, Boom, Leave, Loop

counting = LuaSkill(name="counting", context={"base": "Count well.", "voice": "Speak slowly.", "text": "Use digits."},
                    tools=[Count(), Slow(), Tick()])
others = LuaSkill(name="others", context="Other things.", tools=[OtherCount(), Boom(), Leave(), Loop()])
policy = LuaSkill(name="policy", description="How refunds work.", instructions="policy.md")
agent = LuaAgent(name="acme", persona={"base": "You count.", "voice": "You are heard."}, skills=[counting, others, policy])
"""

COUNTING = """\
import asyncio
import time
from lua_cli import LuaTool
import shared

class Count(LuaTool):
    name = "count"
    description = "Count up by one. Use when the customer counts."

    def __init__(self):
        self.calls = 0

    async def execute(self, input: dict):
        self.calls += 1
        shared.total += 1
        print("counting")
        return {"calls": self.calls, "total": shared.total, "loop": id(asyncio.get_running_loop()) % 7 >= 0}

class Tick(LuaTool):
    name = "tick"
    description = "Read the shared total. Use when the customer asks for it."
    input_schema = {"type": "object", "properties": {"by": {"type": "integer"}}}

    def execute(self, input):
        return shared.total + input.get("by", 0)

class Slow(LuaTool):
    name = "slow"
    description = "Take a very long time. Use never."

    def execute(self, input: dict):
        time.sleep(600)
"""

OTHERS = """\
import asyncio
import os
from lua_cli import LuaTool
import shared

class Count(LuaTool):
    name = "other_count"
    description = "Read the total of the other skill. Use when in doubt."

    def execute(self, input: dict):
        return shared.total

class Boom(LuaTool):
    name = "boom"
    description = "Raise an exception. Use when asked to."

    def execute(self, input: dict):
        raise LookupError("no such order; ask for the number")

class Leave(LuaTool):
    name = "leave"
    description = "End the process. Use when asked to."

    def execute(self, input: dict):
        os._exit(3)

class Loop(LuaTool):
    name = "loop"
    description = "Keep something that belongs to an event loop. Use when asked to."

    def __init__(self):
        self.lock = None

    async def execute(self, input: dict):
        if self.lock is None:
            self.lock = asyncio.Lock()
            self.task = asyncio.create_task(asyncio.sleep(0))
        async with self.lock:
            await self.task
            return "same loop"
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    def write(files: Mapping[str, str]) -> Path:
        root = tmp_path_factory.mktemp("acme")
        for name, text in {"pyproject.toml": "[tool.lua]\n", "policy.md": "# Policy\n30 days.\n", **files}.items():
            (root / name).write_text(text, encoding="utf-8")
        return root

    return staged(write, AGENT, counting=COUNTING, others=OTHERS, shared="total = 0\n")


def test_an_instance_lives_as_long_as_the_conversation(stage: Stage) -> None:
    with stage.talk() as talk:
        first, _ = say(talk, call("count"), call("count"), {"text": "2"})
        second, script = say(talk, call("count"), call("tick", by=10), {"text": "3"})
        roles = [message["role"] for message in script.requests[0]["messages"]]
    assert [r["calls"] for r in results(first)] == [1, 2]
    assert results(second)[0]["calls"] == 3
    assert results(second)[1] == 13
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant", "user"]
    with stage.talk() as talk:
        assert results(say(talk, call("count"), {"text": "1"})[0])[0]["calls"] == 1


def test_skills_share_no_modules(stage: Stage) -> None:
    with stage.talk() as talk:
        outcome, _ = say(talk, call("count"), call("other_count"), {"text": "0"})
    assert results(outcome)[0]["total"] == 1
    assert results(outcome)[1] == 0


def test_what_a_tool_prints_is_its_entrys(stage: Stage) -> None:
    with stage.talk() as talk:
        outcome, _ = say(talk, call("count"), call("tick"), {"text": "1"})
    tools = [entry.facts for entry in outcome.transcript if entry.kind == "tool"]
    assert tools[0]["logs"] == "counting\n"
    assert "logs" not in tools[1]


def test_the_prompt_by_channel(stage: Stage) -> None:
    with stage.talk() as talk:
        _, script = say(talk, {"text": "hi"})
        assert script.requests[0]["system"].startswith(
            "You count.\n\nCount well.\n\nUse digits.\n\nOther things.\n\nSkills you can load."
        )
    with stage.talk(channel="voice") as talk:
        _, script = say(talk, {"text": "hi"})
        assert script.requests[0]["system"].startswith(
            "You count.\n\nYou are heard.\n\nCount well.\n\nSpeak slowly.\n\nOther things.\n\nSkills you can load."
        )


def test_tools_and_documents_are_offered(stage: Stage) -> None:
    with stage.talk() as talk:
        outcome, script = say(talk, call("load_skill", name="policy"), {"text": "30 days"})
    names = [tool["name"] for tool in script.requests[0]["tools"]]
    assert names == ["count", "slow", "tick", "other_count", "boom", "leave", "loop", "load_skill"]
    assert results(outcome) == ["# Policy\n30 days.\n"]


def test_no_child_is_started_for_a_turn_that_calls_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lua_cli.child.talk.Talk.__init__", None)
    with stage.talk() as talk:
        assert say(talk, {"text": "hi"})[0].answer == "hi"


def test_what_goes_wrong_is_a_result_and_the_conversation_goes_on(stage: Stage) -> None:
    with stage.talk() as talk:
        outcome, _ = say(
            talk, call("boom"), call("leave"), call("boom"), call("tick", by="x"), call("tick"), {"text": "ok"}
        )
    assert results(outcome) == [
        "LookupError: no such order; ask for the number",
        "leave ended the process with exit(3)",
        "LookupError: no such order; ask for the number",
        'the arguments do not fit tick: /by must be an integer, not "x"',
        0,
    ]
    boom = next(entry.facts for entry in outcome.transcript if entry.kind == "tool")
    assert 'File "others.py", line 18, in Boom.execute' in boom["logs"]


def test_a_tool_at_its_time_limit_loses_the_instances_of_its_skill(stage: Stage) -> None:
    with stage.talk(timeout=1.0) as talk:
        outcome, _ = say(talk, call("count"), call("slow"), call("count"), {"text": "ok"})
    first, slow, again = results(outcome)
    assert (first["calls"], again["calls"]) == (1, 1)
    assert slow.startswith("slow ran longer than 1 seconds and was stopped; it was at counting.py:")


def test_the_loop_is_the_same_in_every_call(stage: Stage) -> None:
    with stage.talk() as talk:
        outcome, _ = say(talk, call("loop"), call("loop"), {"text": "ok"})
        again, _ = say(talk, call("loop"), {"text": "ok"})
    assert [*results(outcome), *results(again)] == ["same loop"] * 3


def test_cancelling_stops_a_tool_that_runs(stage: Stage) -> None:
    cancellation = Cancellation()
    with stage.talk() as talk:

        def soon(entry: object) -> None:
            if getattr(entry, "kind", "") == "model":
                threading.Timer(0.3, cancellation.cancel).start()

        outcome, script = say(talk, call("slow"), {"text": "never"}, cancellation=cancellation, on_entry=soon)
        assert (outcome.status, len(script.requests)) == ("cancelled", 1)
        assert talk.messages == ()
        assert say(talk, call("tick"), {"text": "on"})[0].answer == "on"


GATES = """\
from lua_cli import LuaAgent, LuaSkill
from gates import Always, Broken, Empty, Gold, Late, Nothing, Quick, Stuck, closed

orders = LuaSkill(name="orders", context="Orders.", tools=[Always(), Gold(), Broken(), Nothing(), Empty()])
shut = LuaSkill(name="shut", context="Never seen.", description="d", instructions="shut.md", tools=[Quick()], condition=closed)
slow = LuaSkill(name="slow", context="Slow.", tools=[Late(), Stuck()])
agent = LuaAgent(name="acme", persona="P.", skills=[orders, shut, slow])
"""

GATES_MODULE = """\
import asyncio
import time
from lua_cli import LuaTool, User

class Always(LuaTool):
    name = "always"
    description = "Be there. Use always."
    def execute(self, input: dict):
        return "here"

class Gold(Always):
    name = "gold"
    async def condition(self):
        await asyncio.sleep(0)
        user = User.get()
        return user is not None and user.data.get("plan") == "gold"

class Broken(Always):
    name = "broken"
    def condition(self):
        raise ValueError("no connection")

class Nothing(Always):
    name = "nothing"
    async def condition(self):
        pass

class Empty(Always):
    name = "empty"
    def condition(self):
        return []

class Quick(Always):
    name = "quick"
    def condition(self):
        return True

class Late(Always):
    name = "late"
    async def condition(self):
        await asyncio.sleep(600)

class Stuck(Always):
    name = "stuck"
    def condition(self):
        time.sleep(600)

def closed():
    return False
"""


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    def write(files: Mapping[str, str]) -> Path:
        root = tmp_path_factory.mktemp("gated")
        for name, text in {"pyproject.toml": "[tool.lua]\n", "shut.md": "# Shut\n", **files}.items():
            (root / name).write_text(text, encoding="utf-8")
        return root

    return staged(write, GATES, gates=GATES_MODULE)


def facts(gates: tuple[Gate, ...]) -> Iterator[tuple[str, bool, str]]:
    return ((gate.name, gate.open, gate.reason) for gate in gates)


def test_what_conditions_say(gated: Stage) -> None:
    with gated.talk(budget=1.0, user=EndUser("ada", {"plan": "gold"})) as talk:
        assert list(facts(talk.gates())) == [
            ("orders", True, ""),
            ("always", True, ""),
            ("gold", True, ""),
            ("broken", False, "ValueError: no connection"),
            ("nothing", False, "it returned None"),
            ("empty", False, "it returned an empty list"),
            ("shut", False, "it said no"),
            ("quick", False, "skill shut is left out"),
            ("slow", True, ""),
            ("late", False, "no answer within 1 seconds"),
            ("stuck", False, "no answer within 1 seconds"),
        ]


def test_a_gate_that_hangs_is_asked_once_and_the_turn_goes_on(gated: Stage) -> None:
    with gated.talk(budget=1.0) as talk:
        outcome, script = say(talk, call("gold"), call("always"), {"text": "ok"})
        again = {gate.name: gate.reason for gate in talk.gates()}
    script.assert_shown("always")
    script.assert_not_shown("gold", "broken", "nothing", "empty", "quick", "late", "stuck", "load_skill")
    assert script.requests[0]["system"] == "P.\n\nOrders.\n\nSlow."
    assert results(outcome) == ["there is no tool 'gold'; there are: always", "here"]
    told = {e.facts["name"]: (e.facts["open"], e.facts["reason"]) for e in outcome.transcript if e.kind == "gate"}
    assert told["gold"] == (False, "it said no")
    assert "always" not in told
    assert again["stuck"] == "has not come back since an earlier turn"
    assert again["late"] == "no answer within 1 seconds"


BLOCKING = """\
import asyncio
import time
from lua_cli import LuaAgent, LuaSkill, LuaTool

class Blocks(LuaTool):
    name = "blocks"
    description = "Hold the event loop. Use never."
    async def condition(self):
        time.sleep(600)
    async def execute(self, input: dict):
        return 1

class Fine(LuaTool):
    name = "fine"
    description = "Be fine. Use always."
    async def condition(self):
        await asyncio.sleep(0.01)
        return True
    async def execute(self, input: dict):
        return "fine"

class Kills(LuaTool):
    name = "kills"
    description = "End the process. Use never."
    def condition(self):
        import os
        os._exit(4)
    def execute(self, input: dict):
        return 1

skill = LuaSkill(name="skill", context="C.", tools=[Blocks(), Fine()])
ending = LuaSkill(name="ending", context="E.", tools=[Kills()])
agent = LuaAgent(name="acme", persona="P.", skills=[skill, ending])
"""


def test_a_condition_that_holds_the_event_loop_holds_no_other_gate(write_project: WriteProject) -> None:
    stage = staged(write_project, BLOCKING)
    with stage.talk(budget=1.0) as talk:
        outcome, _ = say(talk, call("fine"), {"text": "ok"})
    told = {e.facts["name"]: (e.facts["open"], e.facts["reason"]) for e in outcome.transcript if e.kind == "gate"}
    assert told["blocks"] == (False, "no answer within 1 seconds")
    assert told["fine"] == (True, "")
    assert told["kills"] == (False, "the skill's process ended with exit(4) meanwhile")
    assert results(outcome) == ["fine"]


VOICES = """\
from lua_cli import LuaAgent, LuaSkill, LuaTool, ToolContext, VoiceSession

class Look(LuaTool):
    name = "look"
    description = "Look something up. Use when the caller asks."

    async def execute(self, input: dict, ctx: ToolContext | None = None):
        if ctx is None:
            return "no session"
        assert isinstance(ctx.voice, VoiceSession)
        ctx.voice.say("One moment, " + input.get("name", "please") + ".")
        ctx.voice.say("Still looking.")
        self.kept = ctx.voice
        if input.get("fails"):
            raise LookupError("nothing found")
        return ctx.tool_call_id

class Wrong(LuaTool):
    name = "wrong"
    description = "Say what cannot be said. Use when asked to."

    def execute(self, input: dict, ctx=None):
        said = []
        for text in (5, "", "a" * 10_001, "\\ud800"):
            try:
                ctx.voice.say(text)
            except (TypeError, ValueError) as error:
                said.append(f"{type(error).__name__}: {error}")
        return said

class Late(LuaTool):
    name = "late"
    description = "Say something when the call is over. Use when asked to."

    def __init__(self):
        self.before = None

    def execute(self, input: dict, ctx=None):
        before, self.before = self.before, ctx.voice
        if before is not None:
            before.say("too late")

agent = LuaAgent(name="acme", skills=[LuaSkill(name="v", context="Be heard.", tools=[Look(), Wrong(), Late()])])
"""


@pytest.fixture(scope="module")
def voices(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    root = tmp_path_factory.mktemp("voices")
    (root / "agent.py").write_text(VOICES)
    return Stage(root)


def test_a_tool_on_a_voice_session_has_it_and_elsewhere_none(voices: Stage) -> None:
    with voices.talk() as talk:
        outcome, _ = say(talk, call("look"), {"text": "done"})
        assert results(outcome) == ["no session"]
        assert "said" not in outcome.transcript[-3].facts
    with voices.talk(channel="voice") as talk:
        outcome, _ = say(talk, call("look", name="Ada"), {"text": "done"})
        (entry,) = [entry for entry in outcome.transcript if entry.kind == "tool"]
        assert entry.facts["said"] == ["One moment, Ada.", "Still looking."]
        assert entry.facts["result"] == entry.facts["id"] == "call_1"


def test_what_was_said_is_kept_when_the_tool_fails_then(voices: Stage) -> None:
    with voices.talk(channel="voice") as talk:
        outcome, _ = say(talk, call("look", fails=True), {"text": "sorry"})
        (entry,) = [entry for entry in outcome.transcript if entry.kind == "tool"]
        assert (entry.facts["said"], entry.facts["error"]["message"]) == (
            ["One moment, please.", "Still looking."], "LookupError: nothing found",
        )  # fmt: skip


def test_what_cannot_be_said_is_refused_to_the_tool(voices: Stage) -> None:
    with voices.talk(channel="voice") as talk:
        outcome, _ = say(talk, call("wrong"), call("late"), call("late"), {"text": "done"})
    assert results(outcome) == [
        [
            "TypeError: say() takes a text, and got a int",
            "ValueError: say() takes 1 to 10,000 characters, and got 0",
            "ValueError: say() takes 1 to 10,000 characters, and got 10,001",
            "ValueError: say() takes whole characters, and got half of one (a lone surrogate)",
        ],
        None,
        "RuntimeError: the call is over: what it returns is all that it can say now",
    ]
