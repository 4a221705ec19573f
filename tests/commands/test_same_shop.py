"""The shop in Python and the shop in YAML: one script, one transcript."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY, Result

Lua = Callable[..., Result]
LOADS = {"toolCalls": [{"name": "load_skill", "arguments": {"name": "refunds"}}]}
LOOKS_UP = {"toolCalls": [{"name": "lookup_order", "arguments": {"order_number": "A-1001"}}]}
FINDS = {"toolCalls": [{"name": "find_orders", "arguments": {"email": "ada@example.com"}}]}
DECIDES = {"toolCalls": [{"name": "check_refund", "arguments": {"order_number": "A-1001", "on": "2026-03-20"}}]}
ANSWER = {"text": "It was delivered on 5 March."}
SCRIPTS = {
    "loads the refunds skill, looks up the order, answers": [LOADS, LOOKS_UP, ANSWER],
    "asks every tool": [FINDS, {"toolCalls": [*LOOKS_UP["toolCalls"], *DECIDES["toolCalls"]]}, ANSWER],
    "arguments that do not fit": [
        {"toolCalls": [{"name": "lookup_order", "arguments": {}}, {"name": "look_up", "arguments": {}}]},
        ANSWER,
    ],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_both_shops_give_the_same_transcript(lua: Lua, tmp_path: Path, name: str) -> None:
    (tmp_path / "script.json").write_text(json.dumps(SCRIPTS[name]), "utf-8")
    documents = [_talk(lua, tmp_path, template) for template in ("orders", "order-flow")]
    assert documents[0] == documents[1]
    assert (documents[0]["ok"], documents[0]["answer"]) == (True, ANSWER["text"])
    if name.startswith("loads"):
        tools = [entry for entry in documents[0]["transcript"] if entry["type"] == "tool"]
        assert [entry["name"] for entry in tools] == ["load_skill", "lookup_order"]
        assert tools[0]["result"].startswith("# Refunds, returns and exchanges\n")
        assert tools[1]["result"]["status"] == "delivered"


def test_a_tool_that_fails_tells_both_models_the_same(lua: Lua, tmp_path: Path) -> None:
    unknown = {"toolCalls": [{"name": "lookup_order", "arguments": {"order_number": "A-9"}}]}
    (tmp_path / "script.json").write_text(json.dumps([unknown, ANSWER]), "utf-8")
    for template in ("orders", "order-flow"):
        (tool,) = (entry for entry in _talk(lua, tmp_path, template)["transcript"] if entry["type"] == "tool")
        words = "There is no order A-9. Ask the customer to check the number on the receipt."
        assert tool["error"]["type"] == "tool-error"
        assert tool["error"]["message"].removeprefix("LookupError: ") == words


def _talk(lua: Lua, folder: Path, template: str) -> Any:
    root = folder / template
    shutil.copytree(REPOSITORY / "templates" / template, root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    done = lua(
        "chat", "--ci", "--model", f"scripted:{folder / 'script.json'}", "-m", "May I send A-1001 back?", "--json", cwd=root
    )  # fmt: skip
    assert (done.exit_code, done.stderr) == (0, "")
    return _timeless(json.loads(done.stdout))


def _timeless(value: Any) -> Any:
    """Without times and ids."""
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in ("id", "durationMs")}
    return [_timeless(item) for item in value] if isinstance(value, list) else value
