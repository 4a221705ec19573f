"""A server of the Model Context Protocol that an agent uses, through the official SDK (the extra `mcp`). In: its facts.
Out: its tools, named `server__tool`, as the loop takes them.

The connection lives on an event loop in a thread of its own, as long as the conversation. A server that cannot be
reached is left out of the turn, with the reason.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.runtime.mcp.servers import ServerFacts
from lua_cli.runtime.turns.model import Tool, ToolError, ToolResult, ToolSpec

if TYPE_CHECKING:
    from mcp import Client

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LAST = 10.0
_Job = tuple[Callable[["Client"], Awaitable[Any]], "Future[Any]"]


class UnreachableError(Exception):
    """The server cannot be used now; the words say why."""


class AttachedServer:
    """A server over a conversation. `environment` are the values of its variables, `seconds` what a call may take."""

    def __init__(self, facts: ServerFacts, environment: Mapping[str, str], seconds: float) -> None:
        self.facts = facts
        self._environment, self._seconds = dict(environment), seconds
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._jobs: asyncio.Queue[_Job | None] | None = None
        self._connected: Future[None] = Future()

    def tools(self, budget: float) -> tuple[Tool, ...]:
        """What the server has now. Raises UnreachableError, LuaError without the extra."""
        listed = self._do(_list_tools, budget)
        tools = []
        for tool in listed:
            name = f"{self.facts.name}__{tool.name}"
            if _TOOL_NAME.fullmatch(name):
                spec = ToolSpec(name, tool.description or tool.title or "", dict(tool.input_schema))
                tools.append(Tool(spec, partial(self._call, tool.name)))
        return tuple(tools)

    def _call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        async def call(client: Client) -> Any:
            return await client.call_tool(name, arguments)

        try:
            return _result(self._do(call, self._seconds))
        except UnreachableError as error:
            return ToolResult(error=ToolError("tool-error", str(error)))

    def _do(self, work: Callable[[Client], Awaitable[Any]], seconds: float) -> Any:
        """Have something done on the connection's loop. Raises UnreachableError."""
        name = self.facts.name
        try:
            self._connect(seconds)
            future: Future[Any] = Future()
            assert self._loop is not None and self._jobs is not None  # noqa: S101  # connected
            self._loop.call_soon_threadsafe(self._jobs.put_nowait, (work, future))
            return future.result(seconds)
        except TimeoutError:
            self.close()
            raise UnreachableError(f"the MCP server {name} gave no answer within {seconds:g} seconds") from None
        except LuaError:
            raise
        except Exception as error:  # whatever the SDK and the server raise
            self.close()
            raise UnreachableError(f"the MCP server {name}: {_words(error)}") from error

    def _connect(self, seconds: float) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        try:
            import mcp  # noqa: F401
        except ImportError:
            raise LuaError(
                "the agent has mcp_servers, and they need an extra that is not installed",
                hint="pip install 'lua-cli[mcp]'",
            ) from None
        self._connected = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()), name="mcp", daemon=True)
        self._thread.start()
        self._connected.result(seconds)

    async def _live(self) -> None:
        """The life of the connection: it is opened and closed by the same task."""
        from mcp import Client, StdioServerParameters

        facts = self.facts
        self._loop, self._jobs = asyncio.get_running_loop(), asyncio.Queue()
        server: Any = facts.url or StdioServerParameters(
            command=facts.command, args=list(facts.args), env=self._environment
        )
        try:
            async with Client(server, cache=None) as client:
                self._connected.set_result(None)
                while (job := await self._jobs.get()) is not None:
                    work, future = job
                    try:
                        future.set_result(await work(client))
                    except Exception as error:  # noqa: BLE001  # it is the one's who asked
                        future.set_exception(error)
        except BaseException as error:  # noqa: BLE001  # the SDK raises groups
            if not self._connected.done():
                self._connected.set_exception(UnreachableError(_words(error)))

    def close(self) -> None:
        """End the connection, and the program. Again and again."""
        thread, self._thread = self._thread, None
        if thread is None or self._loop is None or self._jobs is None:
            return
        try:
            self._loop.call_soon_threadsafe(self._jobs.put_nowait, None)
        except RuntimeError:  # the loop has ended by itself
            return
        thread.join(_LAST)


async def _list_tools(client: Client) -> list[Any]:
    tools: list[Any] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor:
            return tools


def _result(found: Any) -> ToolResult:
    """What a call came to: the structured result, else the text; a block that is none is told by its type."""
    text = "\n".join(getattr(block, "text", None) or f"[{block.type}]" for block in found.content)
    if found.is_error:
        return ToolResult(error=ToolError("tool-error", text or "the tool failed"))
    return ToolResult(text if found.structured_content is None else found.structured_content)


def _words(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return str(error) or type(error).__name__
