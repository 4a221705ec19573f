"""`lua chat`, `lua prompt` and `lua gates`, as typed; a script plays the model."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY, Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The orders template."""
    root = tmp_path_factory.mktemp("shop") / "orders"
    shutil.copytree(REPOSITORY / "templates/orders", root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    return root


def script(root: Path, *turns: Any, name: str = "script.json") -> str:
    (root / name).write_text(json.dumps(turns), encoding="utf-8")
    return f"scripted:{name}"


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"toolCalls": [{"name": tool, "arguments": arguments}]}


CONVERSATION = (
    call("load_skill", name="refunds"),
    call("lookup_order", order_number="A-1002"),
    {"text": "It was shipped."},
)


def test_loads_the_refunds_skill_looks_up_the_order_answers(lua: Lua, shop: Path) -> None:
    model = script(shop, *CONVERSATION)
    done = lua(
        "chat", "--ci", "--agent", "orders-agent", "--model", model, "-m", "Where is A-1002?", "--json", cwd=shop
    )
    assert (done.exit_code, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert list(document) == ["ok", "answer", "transcript", "usage"]
    assert (document["ok"], document["answer"]) == (True, "It was shipped.")
    kinds = [entry["type"] for entry in document["transcript"]]
    assert kinds == ["conversation", "user", "prompt", "model", "tool", "model", "tool", "model", "answer"]
    loaded, looked_up = (entry for entry in document["transcript"] if entry["type"] == "tool")
    assert loaded["result"].startswith("# Refunds, returns and exchanges\n")
    assert looked_up["result"]["status"] == "shipped"
    assert document["usage"] == {"inputTokens": 0, "outputTokens": 0}


def test_as_text_the_answer_alone_is_the_result(lua: Lua, shop: Path) -> None:
    done = lua("chat", "--ci", "--model", script(shop, *CONVERSATION[1:]), "-m", "Where is A-1002?", cwd=shop)
    assert (done.exit_code, done.stdout) == (0, "It was shipped.\n")
    assert done.stderr.startswith('→ lookup_order {"order_number": "A-1002"}\n← {"order_number": "A-1002", "status": ')


def test_several_messages_are_one_conversation(lua: Lua, shop: Path) -> None:
    model = script(shop, {"text": "one"}, {"text": "two"})
    done = lua("chat", "--ci", "--model", model, "-m", "1", "-m", "2", cwd=shop)
    assert done.stdout == "one\ntwo\n"


def test_a_thread_goes_on(lua: Lua, shop: Path) -> None:
    for text in ("one", "two"):
        model = script(shop, call("lookup_order", order_number="A-1002"), {"text": text})
        done = lua("chat", "--ci", "--model", model, "--thread", "t", "-m", f"say {text}", cwd=shop)
        assert done.stdout == f"{text}\n"
    with contextlib.closing(sqlite3.connect(shop / ".lua/chat.db")) as opened:
        (messages,) = opened.execute("SELECT messages FROM thread").fetchone()
    roles = [message["role"] for message in json.loads(messages)]
    assert roles == ["user", "assistant", "tool", "assistant"] * 2


def test_out_of_iterations_says_so(lua: Lua, write_project: WriteProject) -> None:
    agent = (
        "from lua_cli import LuaAgent, LuaSkill\nfrom tools import Ping\n\n"
        'skill = LuaSkill(name="s", context="c", tools=[Ping()])\nagent = LuaAgent(name="a", skills=[skill], max_iterations=2)\n'
    )
    tools = (
        "from lua_cli import LuaTool\n\n\nclass Ping(LuaTool):\n    name = 'ping_server'\n"
        "    description = 'Ping the server. Use when it may be down.'\n\n    def execute(self, input: dict):\n        return 1\n"
    )
    root = write_project({"agent.py": agent, "tools.py": tools})
    model = script(root, *[call("ping_server")] * 9)
    done = lua("chat", "--ci", "--model", model, "-m", "hi", "--json", cwd=root)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["ok"], document["answer"]) == (1, False, None)
    assert document["error"]["type"] == "exhausted"
    assert document["error"]["message"] == "no answer after 2 model calls: the agent ran out of iterations"
    assert [entry["type"] for entry in document["transcript"]].count("model") == 2
    done = lua("chat", "--ci", "--model", model, "-m", "hi", cwd=root)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "exhausted: no answer after 2 model calls: the agent ran out of iterations" in done.stderr


def test_a_refusal_is_12(lua: Lua, shop: Path) -> None:
    model = script(shop, {"refusal": True})
    done = lua("chat", "--ci", "--model", model, "-m", "hi", "--json", cwd=shop)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["ok"], document["error"]["type"]) == (12, False, "refused")
    assert document["transcript"][-1] == {"type": "refused", "text": ""}


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (None, 3, "no such script: "),
        ("[{", 2, ":1:3: expecting property name enclosed in double quotes"),
        ("{}", 2, ": the script is not a list"),
        ('[{"txt": "x"}]', 2, ": /0/txt: there is no such key: text, toolCalls and refusal are known"),
        ('[{"text": 1}]', 2, ": /0/text: text is a string"),
        ("[1]", 2, ": /0: a turn is an object"),
        ("[{}]", 2, ": /0: a turn has text, toolCalls (and text), or refusal"),
        ('[{"text": "a"}, {"toolCalls": []}]', 2, ': /1/toolCalls: toolCalls is a list of {"name", "arguments"}'),
        ('[{"toolCalls": [{"name": 1}]}]', 2, ": /0/toolCalls/0/name: name is the tool's name"),
        ('[{"toolCalls": [{"name": "a", "args": 1}]}]', 2, ": /0/toolCalls/0/args: there is no such key"),
        ('[{"toolCalls": ["a"]}]', 2, ": /0/toolCalls/0: a call is an object"),
        ('[{"refusal": false}]', 2, ": /0/refusal: refusal is true, or the words of the refusal"),
        ('[{"refusal": true, "text": "x"}]', 2, ": /0: a turn has text, toolCalls (and text), or refusal"),
        ("\udcff", 2, " is not UTF-8"),
        ("[" * 100_000, 2, " is nested too deeply"),
    ],
)
def test_a_script_that_cannot_be_played(lua: Lua, shop: Path, text: str | None, code: int, message: str) -> None:
    path = shop / "bad.json"
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = lua("chat", "--ci", "--model", "scripted:bad.json", "-m", "hi", "--json", cwd=shop)
    assert done.exit_code == code
    assert message in json.loads(done.stdout)["error"]["message"]
    assert "bad.json" in json.loads(done.stdout)["error"]["message"]


def test_a_script_that_is_too_short_keeps_its_transcript(lua: Lua, shop: Path) -> None:
    model = script(shop, call("lookup_order", order_number="A-1002"))
    done = lua("chat", "--ci", "--model", model, "-m", "hi", "--json", cwd=shop)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["error"]["message"]) == (
        1,
        "the script has 1 turn, and the model was called once more",
    )
    assert [entry["type"] for entry in document["transcript"]] == ["conversation", "user", "prompt", "model", "tool"]


def test_without_a_model_it_says_how_to_go_on_offline(lua: Lua, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LUA_MODEL", "LUA_MODEL_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    done = lua("chat", "--ci", "-m", "hi", cwd=shop)
    assert done.exit_code == 2
    assert "no model is named" in done.stderr
    assert "offline, a script plays the model: --model scripted:FILE.json" in done.stderr
    done = lua("chat", "--ci", "-m", "hi", "--model", "openai/gpt-x", cwd=shop)
    assert done.exit_code == 9
    assert "there is no key for openai: OPENAI_API_KEY is not set" in done.stderr
    assert "offline, a script plays the model: --model scripted:FILE.json" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-m", "hi", "--agent", "order-agent"), 3, "no agent 'order-agent'"),
        (("-m", "hi", "--channel", "fax"), 2, "--channel fax: there is no such channel"),
        (("-m", "hi", "--user", "nobody.json"), 3, "no such file: nobody.json"),
        (("-m", "hi", "--gate-timeout", "0"), 2, "--gate-timeout 0"),
        (("-m", "hi", "--timeout", "0"), 2, "--timeout 0"),
        ((), 2, "-m is missing: what shall be said?"),
    ],
)
def test_flags_that_cannot_be_used(lua: Lua, shop: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = lua("chat", "--ci", "--model", script(shop, {"text": "x"}), *arguments, cwd=shop)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr


GATED = """\
from lua_cli import Data, LuaAgent, LuaSkill, LuaTool, User


class Remember(LuaTool):
    name = "remember_note"
    description = "Keep a note about the customer. Use when they say what they like."
    input_schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

    async def condition(self):
        user = User.get()
        return user is not None and user.data.get("plan") == "gold"

    async def execute(self, input):
        user = User.get()
        user.update({"notes": user.data.get("notes", 0) + 1})
        Data.create("notes", {"text": input["text"], "of": user.id})
        return {"found": [note.data["text"] for note in Data.search("notes", input["text"])], "user": user.data}


class WhoAmI(LuaTool):
    name = "who_am_i"
    description = "Say who the customer is. Use when they ask."

    def execute(self, input: dict):
        user = User.get()
        return None if user is None else {"id": user.id, "data": user.data}


notes = LuaSkill(name="notes", context={"voice": "Speak."}, tools=[Remember()])
users = LuaSkill(name="users", context="Users.", tools=[WhoAmI()])
agent = LuaAgent(name="noter", persona={"base": "You note.", "text": "You write."}, skills=[notes, users])
"""


@pytest.fixture
def noter(write_project: WriteProject) -> Path:
    users = {
        "gold.json": '{"id": "ada", "data": {"plan": "gold"}}',
        "free.json": '{"id": "bob", "data": {"plan": "free"}}',
    }
    return write_project({"agent.py": GATED, **users})


def test_the_user_and_data_are_those_of_the_conversation(lua: Lua, noter: Path) -> None:
    turns = (call("remember_note", text="blue one"), call("who_am_i"), {"text": "ok"})
    for expected in (["blue one"], ["blue one", "blue one"]):
        model = script(noter, *turns)
        done = lua("chat", "--ci", "--model", model, "--user", "gold.json", "-m", "hi", "--json", cwd=noter)
        document = json.loads(done.stdout)
        first, second = (entry["result"] for entry in document["transcript"] if entry["type"] == "tool")
        assert first == {"found": expected, "user": {"plan": "gold", "notes": 1}}
        assert second == {"id": "ada", "data": {"plan": "gold", "notes": 1}}  # another process, the same user
    assert json.loads((noter / "gold.json").read_text())["data"] == {"plan": "gold"}


def test_nobody_is_known_without_a_user_file(lua: Lua, noter: Path) -> None:
    model = script(noter, call("who_am_i"), call("remember_note", text="x"), {"text": "ok"})
    done = lua("chat", "--ci", "--model", model, "-m", "hi", "--json", cwd=noter)
    document = json.loads(done.stdout)
    assert next(e for e in document["transcript"] if e["type"] == "tool")["result"] is None
    gate = next(e for e in document["transcript"] if e["type"] == "gate")
    assert (gate["name"], gate["open"], gate["reason"]) == ("remember_note", False, "it said no")


def test_lua_prompt_is_what_the_model_sees(lua: Lua, noter: Path) -> None:
    done = lua("prompt", "--json", "--user", "gold.json", "--channel", "voice", cwd=noter)
    document = json.loads(done.stdout)
    assert done.exit_code == 0
    assert document["system"] == "You note.\n\nSpeak.\n\nUsers."
    assert [tool["name"] for tool in document["tools"]] == ["remember_note", "who_am_i"]
    parts = {part["part"]: part["tokens"] for part in document["tokens"]["parts"]}
    assert list(parts) == ["persona", "skill notes", "skill users", "tool remember_note", "tool who_am_i"]
    assert parts["persona"] == 3
    assert document["tokens"]["total"] == sum(parts.values())
    done = lua("prompt", cwd=noter)
    assert done.stdout.startswith("You note.\n\nYou write.\n\nUsers.\n\n# tool who_am_i\n")
    assert "left out: tool remember_note: it said no\n" in done.stdout
    assert "tokens are estimated" in done.stderr


def test_lua_gates_is_users_by_tools(lua: Lua, noter: Path) -> None:
    done = lua("gates", "--users", "gold.json", "--users", "free.json", cwd=noter)
    shown = re.sub(r"\d+ ms", "N ms", done.stdout)
    assert [line.split() for line in shown.splitlines()] == [
        ["ada", "bob"],
        ["skill", "notes", "yes", "yes"],
        ["remember_note", "yes", "N", "ms", "no", "N", "ms"],
        ["skill", "users", "yes", "yes"],
        ["who_am_i", "yes", "yes"],
        [],
        ["bob:", "tool", "remember_note:", "left", "out:", "it", "said", "no"],
    ]
    done = lua("gates", "--users", "free.json", "--json", cwd=noter)
    (user,) = json.loads(done.stdout)["users"]
    gates = {gate["name"]: (gate["open"], gate["reason"], gate["asked"]) for gate in user["gates"]}
    assert user["user"] == "bob"
    assert gates["remember_note"] == (False, "it said no", True)
    assert gates["who_am_i"] == (True, "", False)


def test_a_persona_that_only_a_run_can_tell_is_refused(lua: Lua, write_project: WriteProject) -> None:
    agent = 'import os\nfrom lua_cli import LuaAgent\n\nagent = LuaAgent(name="a", persona=os.getcwd())\n'
    root = write_project({"agent.py": agent})
    done = lua("prompt", cwd=root)
    assert done.exit_code == 1
    assert "agent.py:4: only a run can tell the agent's persona" in done.stderr


class Terminal:
    """`lua chat` on a terminal."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._main, other = pty.openpty()
        command = [sys.executable, "-m", "lua_cli", "chat", *arguments]
        environ = {**os.environ, "TERM": "dumb", "PYTHONUTF8": "1", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.process = subprocess.Popen(command, cwd=cwd, stdin=other, stdout=other, stderr=other, env=environ)
        os.close(other)
        self.seen = ""

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Until the text was shown after what was waited for before."""
        until = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < until, f"{text!r} was not shown:\n{self.seen}"
            if select.select([self._main], [], [], 0.5)[0]:
                try:
                    self.seen += os.read(self._main, 65536).decode("utf-8", "replace")
                except OSError:
                    assert text in self.seen, f"{text!r} was not shown:\n{self.seen}"
        self.seen = self.seen.partition(text)[2]

    def type(self, text: str) -> None:
        self.wait_for("> ")
        os.write(self._main, text.encode())

    def end(self) -> int:
        self.type("/quit\r")
        self.wait_for("go on with: lua chat --thread mine")
        code = self.process.wait(60)
        os.close(self._main)
        return code


def test_at_the_prompt(noter: Path) -> None:
    model = script(noter, {"text": "First answer."}, call("who_am_i"), {"text": "Second answer."}, {"refusal": True})
    terminal = Terminal("--model", model, "--thread", "mine", cwd=noter)
    terminal.wait_for("/help says what else can be typed")
    terminal.type("hello\r")
    terminal.wait_for("First answer.")
    terminal.type("/tools\r")
    terminal.wait_for("tool remember_note: left out: it said no")
    terminal.type("/user gold.json\r")
    terminal.wait_for('ada {"plan": "gold"}')
    terminal.type("/tools\r")
    terminal.wait_for("tool remember_note: offered")
    terminal.type("/channel voice\r")
    terminal.wait_for("the channel is voice")
    terminal.type("/prompt\r")
    terminal.wait_for("Speak.")
    terminal.wait_for("tokens, about")
    terminal.type("who am I?\r")
    terminal.wait_for("who_am_i {}")
    terminal.wait_for("Second answer.")
    terminal.type("/nonsense\r")
    terminal.wait_for("/nonsense is no command")
    terminal.type("do evil\r")
    terminal.wait_for("the model refused")
    terminal.type("/save transcript.json\r")
    terminal.wait_for("lines in transcript.json")
    assert terminal.end() == 0
    saved = json.loads((noter / "transcript.json").read_text("utf-8"))
    assert [entry["text"] for entry in saved if entry["type"] == "user"] == ["hello", "who am I?", "do evil"]


SLOW = """\
import time
from lua_cli import Data, LuaAgent, LuaSkill, LuaTool


class Slow(LuaTool):
    name = "sleep_long"
    description = "Sleep for ten minutes. Use when asked to."

    def execute(self, input: dict):
        Data.create("marks", {"begun": True})
        time.sleep(600)


skill = LuaSkill(name="slow", context="c", tools=[Slow()])
agent = LuaAgent(name="a", persona="p", skills=[skill])
"""


def test_an_interrupt_ends_the_turn_and_what_runs(write_project: WriteProject) -> None:
    root = write_project({"agent.py": SLOW})
    model = script(root, call("sleep_long"), {"text": "never"})
    command = [sys.executable, "-m", "lua_cli", "chat", "--ci", "--model", model, "-m", "hi", "--json"]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 90
    while not _has_a_mark(root / ".lua/data.db"):
        assert process.poll() is None and time.monotonic() < until, "the tool did not begin"
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    document = json.loads(out)
    assert (process.returncode, document["ok"], document["error"]["type"]) == (130, False, "cancelled"), err
    assert [entry["type"] for entry in document["transcript"]] == [
        "conversation", "user", "prompt", "model", "tool", "cancelled"
    ]  # fmt: skip


def _has_a_mark(database: Path) -> bool:
    if not database.exists():
        return False
    with contextlib.closing(sqlite3.connect(database, timeout=10)) as opened, contextlib.suppress(sqlite3.Error):
        return bool(opened.execute("SELECT 1 FROM record").fetchone())
    return False
