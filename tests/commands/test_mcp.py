"""`lua mcp`: the official SDK's client on one side, the command on the other; and the wire itself, line by line."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.conftest import REPOSITORY, Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]
TOOLS = ["lookup_order", "find_orders", "check_refund", "load_skill"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("shop") / "orders"
    shutil.copytree(REPOSITORY / "templates/orders", root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    subprocess.run([sys.executable, "-m", "lua_cli", "compile"], cwd=root, check=True, capture_output=True, timeout=120)
    return root


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy", "auto"])
def test_the_official_client_lists_and_calls(shop: Path, mode: Any) -> None:
    async def talk() -> tuple[Any, ...]:
        server = StdioServerParameters(command=sys.executable, args=["-m", "lua_cli", "mcp"], cwd=shop)
        async with Client(server, mode=mode, read_timeout_seconds=60) as client:
            tools = (await client.list_tools()).tools
            good = await client.call_tool("lookup_order", {"order_number": "A-1002"})
            wrong = await client.call_tool("lookup_order", {"order_number": "B-1"})
            loaded = await client.call_tool("load_skill", {"name": "refunds"})
            return tools, good, wrong, loaded, client.instructions

    tools, good, wrong, loaded, instructions = asyncio.run(asyncio.wait_for(talk(), 90))
    assert [tool.name for tool in tools] == TOOLS
    assert tools[0].input_schema["required"] == ["order_number"]
    assert "refunds: How refunds, returns and exchanges work." in tools[-1].description
    assert (good.is_error, good.structured_content["status"]) == (False, "shipped")
    assert json.loads(good.content[0].text)["order_number"] == "A-1002"
    assert wrong.is_error
    assert json.loads(wrong.content[0].text)["error"]["type"] == "tool-error"
    assert loaded.content[0].text.startswith("# Refunds, returns and exchanges")
    if mode != "2026-07-28":  # asked for by name, this revision is spoken without a question before
        assert instructions.startswith("Order numbers look like A-1001")


class Wire:
    """`lua mcp`, spoken to by hand."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lua_cli", "mcp", *arguments], cwd=root, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, method: str, id: Any = 1, **params: Any) -> dict[str, Any]:
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return self.receive()

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def wire(shop: Path) -> Iterator[Wire]:
    opened = Wire(shop)
    yield opened
    opened.process.kill()
    opened.process.communicate()


@pytest.mark.parametrize(
    ("asked", "spoken"), [("2025-11-25", "2025-11-25"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")]
)
def test_the_handshake(wire: Wire, asked: str, spoken: str) -> None:
    info = {"name": "t", "version": "1"}
    result = wire.ask("initialize", protocolVersion=asked, capabilities={}, clientInfo=info)["result"]
    assert (result["protocolVersion"], result["serverInfo"]["name"]) == (spoken, "lua-cli")
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert wire.ask("ping", id="p") == {"jsonrpc": "2.0", "id": "p", "result": {}}
    code, out, _ = wire.end()
    assert (code, out) == (0, "")


def test_a_stateless_request_carries_its_version(wire: Wire) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    result = wire.ask("tools/list", _meta=meta)["result"]
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 0, "private")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "lua-cli"
    refused = wire.ask("tools/list", _meta={"io.modelcontextprotocol/protocolVersion": "2031-01-01"})["error"]
    assert refused["code"] == -32022
    assert "2026-07-28" in refused["data"]["supported"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "buy"}}, -32602),
    ],
)
def test_what_no_client_should_send(wire: Wire, message: Any, code: int) -> None:
    wire.send({"jsonrpc": "2.0", "id": 9, "result": {}})
    wire.send("")
    wire.send(message)
    assert wire.receive()["error"]["code"] == code
    assert wire.ask("ping", id=2)["id"] == 2


def test_arguments_that_do_not_fit_are_a_result_for_the_model(wire: Wire) -> None:
    result = wire.ask("tools/call", name="lookup_order", arguments={"order": "A-1"})["result"]
    assert result["isError"]
    assert json.loads(result["content"][0]["text"])["error"]["type"] == "input-invalid"


SLOW = """\
import time
from lua_cli import LuaAgent, LuaSkill, LuaTool, User


class Slow(LuaTool):
    name = "sleep_long"
    description = "Sleep for ten minutes. Use when asked to."

    def condition(self):
        return User.get() is not None

    def execute(self, input: dict):
        print("begun", flush=True)
        time.sleep(600)


class Quick(LuaTool):
    name = "echo_input"
    description = "Say the input again. Use when asked to."

    def execute(self, input: dict):
        print("heard")
        return ["ü", input]


slow = LuaSkill(name="slow", context="Slow.", tools=[Slow()])
quick = LuaSkill(name="quick", context="Quick.", tools=[Quick()])
agent = LuaAgent(name="a", persona="p", skills=[slow, quick])
"""


def test_skills_users_gates_logs_and_cancellation(write_project: WriteProject) -> None:
    root = write_project({"agent.py": SLOW, "ada.json": '{"id": "ada"}'})
    alone = Wire(root, "--skill", "quick")
    assert [tool["name"] for tool in alone.ask("tools/list")["result"]["tools"]] == ["echo_input"]
    result = alone.ask("tools/call", name="echo_input", arguments={"a": 1})["result"]
    assert result == {"content": [{"type": "text", "text": '["ü",{"a":1}]'}], "isError": False}
    code, _, err = alone.end()
    assert (code, "heard" in err) == (0, True)
    nobody = Wire(root)
    assert [tool["name"] for tool in nobody.ask("tools/list")["result"]["tools"]] == ["echo_input"]
    assert "left out now" in nobody.ask("tools/call", name="sleep_long")["error"]["message"]
    nobody.end()
    wire = Wire(root, "--user", "ada.json")
    assert len(wire.ask("tools/list")["result"]["tools"]) == 2
    wire.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "sleep_long", "arguments": {}}})
    assert wire.ask("ping", id=8)["id"] == 8
    wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    assert wire.ask("tools/call", id=9, name="echo_input", arguments={})["id"] == 9
    assert wire.end()[0] == 0


def test_agents_of_flows_are_served_with_their_documents(tmp_path: Path) -> None:
    root = tmp_path / "flows"
    shutil.copytree(REPOSITORY / "templates/order-flow", root, ignore=shutil.ignore_patterns(".lua"))
    wire = Wire(root)
    assert [tool["name"] for tool in wire.ask("tools/list")["result"]["tools"]] == TOOLS
    result = wire.ask("tools/call", name="lookup_order", arguments={"order_number": "A-1002"})["result"]
    assert (result["isError"], result["structuredContent"]["order_number"]) == (False, "A-1002")
    loaded = wire.ask("tools/call", name="load_skill", arguments={"name": "refunds"})["result"]
    assert loaded["content"][0]["text"].startswith("# Refunds")
    wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    assert wire.ask("ping", id=2)["id"] == 2
    assert wire.end()[0] == 0


def test_an_interrupt_ends_it_like_any_command(shop: Path) -> None:
    one = Wire(shop)
    assert "result" in one.ask("ping")  # it serves
    one.process.send_signal(signal.SIGINT)
    _, errors = one.process.communicate(timeout=60)
    assert (one.process.returncode, errors.splitlines()[-1]) == (130, "interrupted")


def test_an_agent_that_lets_nobody_in_says_what_to_type(tmp_path: Path) -> None:
    root = tmp_path / "flows"
    shutil.copytree(REPOSITORY / "templates/facts-flow", root, ignore=shutil.ignore_patterns(".lua"))
    one = Wire(root)
    try:
        said = one.ask("tools/list")["error"]["message"]
    finally:
        one.end()
    assert said.startswith("the blocks before the agent let no message through")
    assert said.endswith("say who the end user is: --user FILE; or look at them")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700),
        ('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
        (
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lookup_order","arguments":{"a":1,"a":2}}}',
            -32700,
        ),
        ('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}', None),
    ],
)
def test_a_line_that_is_odd_ends_nothing(wire: Wire, line: str, code: int | None) -> None:
    wire.send(line)
    if code is not None:
        assert wire.receive()["error"]["code"] == code
    assert wire.ask("ping", id="after")["id"] == "after"
    assert wire.end() == (0, "", "")


def test_the_time_limit_is_of_each_call(tmp_path: Path) -> None:
    root = tmp_path / "flows"
    shutil.copytree(REPOSITORY / "templates/order-flow", root, ignore=shutil.ignore_patterns(".lua"))
    wire = Wire(root, "--timeout", "2")
    wire.ask("tools/list")
    time.sleep(2.5)  # longer than a call may take: what is waited for is that time goes by
    result = wire.ask("tools/call", name="lookup_order", arguments={"order_number": "A-1002"})["result"]
    assert (result["isError"], result["structuredContent"]["order_number"]) == (False, "A-1002")
    assert wire.end()[0] == 0


def test_what_cannot_be_served(lua: Lua, shop: Path) -> None:
    done = lua("mcp", "--skill", "nothing", cwd=shop)
    assert (done.exit_code, done.stdout) == (3, "")
    assert "no skill 'nothing'" in done.stderr


def test_a_client_does_not_wait_for_heavy_imports(shop: Path) -> None:
    code = (
        "import sys; from lua_cli.main import main; assert main(['mcp']) == 0; "
        "print([name for name in ('typer', 'pydantic', 'libcst', 'jsonschema_rs', 'mcp') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=shop, capture_output=True, text=True, timeout=60, input="")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "[]\n")
