"""MCP servers that an agent names. In: the entries of `mcp_servers`. Out: `ServerFacts`, or a UsageError that says what
is wrong with which. Starts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lua_cli.errors import UsageError
from lua_cli.records import record

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,32}")
_KEYS = ("name", "command", "args", "env", "url")
_FORM = '{"name": "files", "command": "npx", "args": […], "env": ["TOKEN"]} or {"name": "files", "url": "https://…"}'


@record(frozen=True)
class ServerFacts:
    """A server: a program that speaks over its stdin and stdout, or an address. `env` names the variables that the
    program gets; their values are never in the source.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    url: str = ""


def read_servers(entries: Iterable[Any], at: str) -> tuple[ServerFacts, ...]:
    """The servers that an agent names at the place `at`. Raises UsageError."""
    servers: dict[str, ServerFacts] = {}
    for entry in entries:
        problem = _problem(entry)
        if problem is None and entry["name"] in servers:
            problem = f"two are called {entry['name']!r}"
        if problem is not None:
            raise UsageError(f"{at}: mcp_servers: {problem}", hint=_FORM)
        servers[entry["name"]] = ServerFacts(
            entry["name"], entry.get("command", ""), tuple(entry.get("args", ())), tuple(entry.get("env", ())),
            entry.get("url", ""),
        )  # fmt: skip
    return tuple(servers.values())


def _problem(entry: Any) -> str | None:
    if not isinstance(entry, Mapping):
        return "each is a dict"
    unknown = [key for key in entry if key not in _KEYS]
    if unknown:
        return f"there is no key {unknown[0]!r}: {', '.join(_KEYS)} are known"
    name = entry.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or "__" in name:
        return "each has a `name` of letters, digits, `_` and `-`, at most 32, without `__`"
    given = [key for key in ("command", "url") if isinstance(entry.get(key), str) and entry[key]]
    if len(given) != 1:
        return f"{name} has a `command` or a `url`"
    if "url" in given and not entry["url"].startswith(("https://", "http://127.0.0.1", "http://localhost")):
        return f"the `url` of {name} begins with https://"
    for key in ("args", "env"):
        if not isinstance(entry.get(key, []), list | tuple) or not all(isinstance(i, str) for i in entry.get(key, [])):
            return f"`{key}` of {name} is a list of texts"
    return None
