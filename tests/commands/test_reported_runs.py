"""Tools that have gone wrong for people elsewhere when they were run, through `lua test --json`: results that are no JSON,
output in the wrong place, runs that hang, crash, read stdin or bring a loop of their own, inputs that do not fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.test_reported_sources import Lua, Write, compiled, said

TOP = """\
import asyncio, ctypes, logging, os, subprocess, sys, threading
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from lua_cli import LuaAgent, LuaSkill, LuaTool


@dataclass
class Row:
    at: datetime
    total: Decimal


class M(BaseModel):
    rows: list[int]
    when: date


class Client:
    pass


class Mode(str, Enum):
    FAST = "fast"


class Order(BaseModel):
    order_id: str
    limit: int = 10
    kind: Literal["a", "b"] = "a"


async def fetch():
    await asyncio.sleep(0)
    return 5


async def numbers():
    yield 1
    yield 2


def deeper():
    return deeper()


class Base(LuaTool):
    input_schema = {"type": "object", "properties": {}}
    lock = asyncio.Lock()
    seen = ()


class Ordered(Base):
    name = "ordered"
    description = "Say what ordered does. Use when asked for ordered."
    input_schema = Order

    def execute(self, input):
        return input.model_dump()


"""

GIVES: dict[str, tuple[str, Any]] = {
    "rich": (
        'return {"row": Row(datetime(2026, 1, 2, tzinfo=timezone.utc), Decimal("10.10")), "id": UUID(int=1),'
        ' "models": [M(rows=[1], when=date(2026, 1, 2))], "td": timedelta(minutes=5)}',
        {
            "row": {"at": "2026-01-02T00:00:00Z", "total": "10.10"},
            "id": "00000000-0000-0000-0000-000000000001",
            "models": [{"rows": [1], "when": "2026-01-02"}],
            "td": "PT5M",
        },
    ),
    "int_keys": ('return {1: "a", None: "b"}', {"1": "a", "null": "b"}),
    "a_set": ("return {3, 1, 2}", [1, 2, 3]),
    "a_path": ('return Path("/tmp/x")', "/tmp/x"),
    "an_enum": ("return {Mode.FAST: Mode.FAST}", {"fast": "fast"}),
    "a_generator": ("return (x for x in [1, 2])", [1, 2]),
    "an_async_generator": ("return numbers()", [1, 2]),
    "forgot_await": ("return fetch()", 5),
    "large": ("return 2**70", 2**70),
    "nothing": ("return None", None),
    "empty": ('return ""', ""),
    "own_loop": ("return asyncio.run(fetch())", 5),
    "emoji": ('return "\\N{PILE OF POO} ü 订单"', "\N{PILE OF POO} ü 订单"),
    "reads_stdin": ("return sys.stdin.read()", ""),
    "patches_json": ("import json\n        json.dumps = lambda *a, **k: 'no'\n        return {'a': 1}", {"a": 1}),
    "leaves_a_thread": ("threading.Thread(target=__import__('time').sleep, args=(600,)).start()\n        return 1", 1),
}
REFUSED: dict[str, tuple[str, str, str]] = {
    "not_a_number": ('return {"avg": float("nan")}', "/avg", "result.avg is NaN"),
    "endless": ('return {"rows": [1.0, float("inf")]}', "/rows/1", "result.rows[1] is Infinity"),
    "own_class": (
        'return {"items": [{"ok": 1}, {"conn": Client()}]}',
        "/items/1/conn",
        "result.items[1].conn is a Client",
    ),
    "tuple_keys": ('return {("a", 1): 2}', "", "result has a key that is a tuple"),
    "a_circle": ('d = {}\n        d["self"] = d\n        return d', "/self", "result.self contains itself"),
    "half_a_pair": (r'return "\ud83d"', "", "half of a surrogate pair"),
}
CRASHES: dict[str, tuple[str, str, str]] = {
    "exits": ("sys.exit(0)", "crashed", "exit(0)"),
    "exits_at_once": ("os._exit(0)", "crashed", "exit(0)"),
    "exits_with": ("sys.exit(3)", "crashed", "exit(3)"),
    "interrupted": ("raise KeyboardInterrupt", "tool-error", "KeyboardInterrupt"),
    "segfault": ("ctypes.string_at(0)", "crashed", "signal 11"),
    "raises_the_base": ("raise BaseException('x')", "tool-error", "BaseException: x"),
    "kills_itself": ("os.kill(os.getpid(), 9)", "crashed", "signal 9"),
    "without_end": ("return deeper()", "tool-error", "RecursionError"),
    "all_memory": ("bytearray(10**12)", "crashed", "memory than the limit"),
    "asks": ("return input()", "tool-error", "EOFError"),
}
HANGS = {
    "never_set": ("async ", "await asyncio.Event().wait()"),
    "spins": ("", "while True: pass"),
    "waits_for_a_shell": ("", 'subprocess.run(["sh", "-c", "sleep 997 & sleep 997"])'),
    "refuses_to_end": (
        "async ",
        "try: await asyncio.sleep(999)\n        except asyncio.CancelledError: await asyncio.sleep(999)",
    ),
}
PRINTS = """\
print("hi", flush=True); sys.stdout.buffer.write(b"raw\\n"); sys.stdout.flush(); os.write(1, b"fd\\n")
        subprocess.run(["echo", "child"]); logging.basicConfig(stream=sys.stdout); logging.error("log")
        sys.stdout = open(os.devnull, "w")
        return {"ok": True}"""


def _tool(name: str, body: str, prefix: str = "") -> str:
    return (
        f'class {name.title().replace("_", "")}(Base):\n    name = "{name}"\n'
        f'    description = "Say what {name} does. Use when asked for {name}."\n\n'
        f"    {prefix}def execute(self, given):\n        {body}\n\n\n"
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bodies = {name: ("", body) for name, (body, *_) in {**GIVES, **REFUSED, **CRASHES}.items()} | HANGS
    bodies |= {"prints": ("async ", PRINTS), "locks": ("async ", "async with self.lock:\n            return 1")}
    names = ["Ordered", *(name.title().replace("_", "") for name in bodies)]
    tools = "".join(_tool(name, body, prefix) for name, (prefix, body) in bodies.items())
    held = ", ".join(f"{name}()" for name in names)
    agent = f'agent = LuaAgent(name="a", skills=[LuaSkill(name="s", description="d", context="c", tools=[{held}])])\n'
    folder = tmp_path_factory.mktemp("runs")
    (folder / "agent.py").write_text(TOP + tools + agent, encoding="utf-8")
    return folder


def ran(lua: Lua, root: Path, name: str, *more: str, given: str = "{}") -> tuple[int, dict[str, Any]]:
    result = lua("test", "--ci", "skill", "--name", name, "--input", given, "--json", *more, cwd=root)
    return result.exit_code, json.loads(result.stdout, parse_constant=pytest.fail)


@pytest.mark.parametrize("name", GIVES)
def test_what_has_a_json_is_given_as_it(lua: Lua, root: Path, name: str) -> None:
    code, answer = ran(lua, root, name)
    assert (code, answer["ok"], answer["output"]) == (0, True, GIVES[name][1])


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_json_is_refused_with_its_path(lua: Lua, root: Path, name: str) -> None:
    _, path, message = REFUSED[name]
    code, answer = ran(lua, root, name)
    assert (code, answer["error"]["type"], answer["error"]["path"]) == (1, "output-not-json", path)
    assert message in answer["error"]["message"]
    assert answer["error"]["message"].startswith(f"{name} ")
    assert " at 0x" not in json.dumps(answer)


@pytest.mark.parametrize("name", CRASHES)
def test_a_run_that_ends_otherwise_is_never_success(lua: Lua, root: Path, name: str) -> None:
    _, kind, message = CRASHES[name]
    code, answer = ran(lua, root, name)
    assert (code, answer["error"]["type"]) == (1, kind)
    assert message in answer["error"]["message"]


@pytest.mark.parametrize("name", HANGS)
def test_a_run_that_hangs_is_ended_with_all_that_it_started(lua: Lua, root: Path, name: str) -> None:
    code, answer = ran(lua, root, name, "--timeout", "1")
    assert (code, answer["error"]["type"]) == (124, "timeout")
    if name != "waits_for_a_shell":
        assert "agent.py" in answer["error"]["traceback"]
    left = subprocess.run(["pgrep", "-f", "^sleep 997"], capture_output=True, check=False).stdout
    assert left == b""


def test_what_a_tool_prints_never_reaches_stdout(lua: Lua, root: Path) -> None:
    code, answer = ran(lua, root, "prints")
    assert (code, answer["output"], answer["logs"]) == (0, {"ok": True}, "hi\nraw\nfd\nchild\nERROR:root:log\n")


def test_a_lock_of_the_class_works_run_after_run(lua: Lua, root: Path) -> None:
    assert [ran(lua, root, "locks")[1]["output"] for _ in range(2)] == [1, 1]


def test_stdin_is_read_only_when_it_is_asked_for(root: Path) -> None:
    """An open pipe is nothing to wait for; `--input -` reads it."""
    command = [sys.executable, "-m", "lua_cli", "test", "--ci", "skill", "--name", "ordered", "--json", "--input"]
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [*command, '{"order_id": "A"}'], cwd=root, stdin=reading, capture_output=True, timeout=120
        )
        assert (done.returncode, json.loads(done.stdout)["output"]["order_id"]) == (0, "A")
    finally:
        os.close(reading)
        os.close(writing)
    done = subprocess.run([*command, "-"], cwd=root, input=b'{"order_id": "B"}', capture_output=True, timeout=120)
    assert (done.returncode, json.loads(done.stdout)["output"]["order_id"]) == (0, "B")


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        ("{}", "/order_id", "is required (string)"),
        ('{"order_id": 5}', "/order_id", "must be a string, not 5"),
        ('{"orderId": "A"}', "/order_id", "did you mean `order_id` instead of `orderId`?"),
        ('{"order_id": "A", "limit": "7"}', "/limit", 'must be an integer, not "7"'),
        ('{"order_id": "A", "kind": "c"}', "/kind", 'must be one of "a", "b", not "c"'),
    ],
)
def test_an_input_that_does_not_fit_never_reaches_the_tool(
    lua: Lua, root: Path, given: str, path: str, message: str
) -> None:
    code, answer = ran(lua, root, "ordered", given=given)
    assert (code, answer["error"]["type"], answer["error"]["path"]) == (2, "input-invalid", path)
    assert message in answer["error"]["errors"][0]["message"] + answer["error"]["message"]


def test_an_input_gets_its_defaults(lua: Lua, root: Path) -> None:
    code, answer = ran(lua, root, "ordered", given='{"order_id": "A"}')
    assert (code, answer["output"]) == (0, {"order_id": "A", "limit": 10, "kind": "a"})


def test_a_list_of_the_class_is_shared_and_said(lua: Lua, write_project: Write) -> None:
    source = (
        "from lua_cli import LuaAgent, LuaSkill, LuaTool\nclass Base(LuaTool):\n    LIMITS = [1, 2]\n    seen = []\n    sizes = (1,)\n"
        '    input_schema = {"type": "object", "properties": {}}\n'
        "    async def execute(self, input):\n        self.seen.append(1)\n        return self.seen\n"
        'class A(Base):\n    name = "a"\n    description = "Say what a is. Use when asked for a."\n'
        'agent = LuaAgent(name="a", skills=[LuaSkill(name="s", description="d", context="c", tools=[A()])])\n'
    )
    root = write_project({"agent.py": source})
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [("warning", "lua/mutable-class-attribute", "agent.py", 4)])
    assert [ran(lua, root, "a")[1]["output"] for _ in range(2)] == [[1], [1]]


def test_a_machine_without_a_network_is_no_reason_to_wait(root: Path) -> None:
    """Behind a proxy that nobody answers on, compile, help and test do and say what they do elsewhere."""
    env = {**os.environ, "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    for arguments in (
        ["--help"],
        ["compile", "--check"],
        ["test", "--ci", "skill", "--name", "nothing", "--input", "{}"],
    ):
        command = [sys.executable, "-m", "lua_cli", *arguments]
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, timeout=120)
        assert (done.returncode, b"network" in done.stderr.lower()) == (0, False)
