"""Transcripts of `lua chat`: saved, shown, and had again without a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

AGENT = """\
import os
from lua_cli import LuaAgent, LuaSkill, LuaTool


class GetOrder(LuaTool):
    name = "get_order"
    description = "Look up one order by its number. Use when the customer asks where an order is."
    input_schema = {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}

    def execute(self, input):
        if input["number"] == "0":
            raise ValueError("there is no order 0")
        return {"number": input["number"], "state": "shipped"}


orders = LuaSkill("orders", "Orders", "Use get_order.", [GetOrder()])
agent = LuaAgent("shop", "Friendly.", [orders])
"""
TURNS: list[dict[str, Any]] = [
    {"text": "Looking.", "toolCalls": [{"name": "get_order", "arguments": {"number": "7"}}]},
    {"toolCalls": [{"name": "get_order", "arguments": {"number": "0"}}]},
    {"text": "It was shipped."},
    {"refusal": "No."},
]


@pytest.fixture
def shop(lua: Lua, write_project: WriteProject) -> Path:
    """A project with a saved transcript of two turns, of which the second ends in a refusal."""
    root = write_project({"agent.py": AGENT, "s.json": json.dumps(TURNS)})
    said = ("-m", "Where is 7?", "-m", "Thanks")
    done = lua("chat", "--ci", *said, "--model", "scripted:s.json", "--save", "saved.json", cwd=root)
    assert (done.exit_code, done.stdout) == (12, "It was shipped.\n")
    assert "lines in saved.json" in done.stderr
    return root


def test_a_saved_transcript_is_shown_and_nothing_runs(lua: Lua, shop: Path) -> None:
    (shop / "agent.py").write_text("raise SystemExit", "utf-8")
    done = lua("chat", "--show", "saved.json", cwd=shop)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "· shop and nobody known",
        "> Where is 7?",
        "· Looking.",
        '→ get_order {"number": "7"}',
        '← {"number": "7", "state": "shipped"}',
        '→ get_order {"number": "0"}',
        "  │ Traceback (most recent call last):",
        *[line for line in done.stdout.splitlines() if line.startswith("  │ ")][1:],
        "← tool-error: ValueError: there is no order 0",
        "It was shipped.",
        "> Thanks",
        "No.",
    ]


def test_had_again_it_is_the_same(lua: Lua, shop: Path) -> None:
    done = lua("chat", "--ci", "--replay", "saved.json", "--json", "--save", "again.json", cwd=shop)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["error"]["type"]) == (12, "refused")  # as it was
    assert document["transcript"][3]["model"] == "replay:saved.json"
    (shop / "printed.json").write_text(done.stdout, "utf-8")
    for file in ("again.json", "printed.json"):  # a replay can be had again, and so can a document of --json
        assert lua("chat", "--ci", "--replay", file, "--json", cwd=shop).stdout.count("changed") == 0


def test_a_tool_that_answers_otherwise_is_told(lua: Lua, shop: Path) -> None:
    (shop / "agent.py").write_text(AGENT.replace("shipped", "lost"), "utf-8")
    done = lua("chat", "--ci", "--replay", "saved.json", cwd=shop)
    assert (done.exit_code, done.stdout) == (1, "It was shipped.\n")
    assert done.stderr.endswith(
        "✖ changed: the conversation is not as it was:\n"
        '  tool get_order: result was {"number": "7", "state": "shipped"} and is {"number": "7", "state": "lost"}\n'
    )


def test_what_came_and_what_is_gone_is_told(lua: Lua, shop: Path) -> None:
    lines = json.loads((shop / "saved.json").read_text("utf-8"))
    (shop / "less.json").write_text(json.dumps([line for line in lines if line.get("name") != "get_order"]), "utf-8")
    done = lua("chat", "--ci", "--replay", "less.json", cwd=shop)
    assert (done.exit_code, "answer came before, and now tool get_order" in done.stderr) == (1, True)


def test_a_transcript_plays_the_model_of_a_case(lua: Lua, shop: Path) -> None:
    case = "cases:\n  - name: again\n    say: [Where is 7?, Thanks]\n    script: ../saved.json\n    expect:\n      tools: [get_order]\n      refused: true\n"
    (shop / "tests").mkdir()
    (shop / "tests/chat.test.yaml").write_text(case, "utf-8")
    done = lua("test", "--ci", cwd=shop)
    assert done.exit_code == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--replay", "none.json"), 3, "no such transcript: none.json"),
        (("--show", "agent.py"), 2, "agent.py is not JSON"),
        (("--replay", "s.json"), 2, "s.json is no transcript"),
        (("--replay", "saved.json", "-m", "x"), 2, "--replay brings the messages and the model's answers"),
        (("-m", "x", "--model", "scripted:s.json", "--save", "no/where.json"), 2, "cannot write no/where.json"),
    ],
)
def test_what_cannot_be_done_says_so(lua: Lua, shop: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = lua("chat", "--ci", *arguments, cwd=shop)
    assert (done.exit_code, words in done.stderr) == (code, True), done.stderr


NOTER = """\
import os
from lua_cli import Data, LuaAgent, LuaSkill, LuaTool, User


class Note(LuaTool):
    name = "note"
    description = "Keep a note. Use when the customer asks for it."

    def execute(self, input):
        Data.create("notes", {"text": "x"})
        user = User.get()
        return {"notes": len(Data.search("notes")), "who": user and user.id}


agent = LuaAgent(
    "shop", {"base": "Friendly.", "voice": "Spoken."},
    [LuaSkill("notes", "Notes", {"base": "BASE", "voice": "VOICE"}, [Note()])],
)
"""
NOTED = [{"toolCalls": [{"name": "note", "arguments": {}}]}, {"text": "Kept."}]


@pytest.fixture
def noted(lua: Lua, write_project: WriteProject) -> Path:
    """A project with a transcript of a conversation with ada on voice."""
    ada = {"id": "ada", "data": {"plan": "gold"}}
    root = write_project({"agent.py": NOTER, "s.json": json.dumps(NOTED), "ada.json": json.dumps(ada)})
    said = (
        "-m",
        "hi",
        "--model",
        "scripted:s.json",
        "--save",
        "saved.json",
        "--user",
        "ada.json",
        "--channel",
        "voice",
    )
    done = lua("chat", "--ci", *said, cwd=root)
    assert done.exit_code == 0, done.stderr
    head = {"type": "conversation", "agent": "shop", "channel": "voice", "user": ada}
    assert json.loads((root / "saved.json").read_text("utf-8"))[0] == head
    return root


def test_who_and_where_are_as_they_were_and_data_is_left_alone(lua: Lua, noted: Path) -> None:
    kept = (noted / ".lua/data.db").read_bytes()
    for _ in range(2):
        done = lua("chat", "--ci", "--replay", "saved.json", cwd=noted)
        assert (done.exit_code, done.stdout) == (0, "Kept.\n"), done.stderr
    assert (noted / ".lua/data.db").read_bytes() == kept
    (noted / "bob.json").write_text('{"id": "bob"}', "utf-8")
    other = lua("chat", "--ci", "--replay", "saved.json", "--user", "bob.json", "--channel", "text", cwd=noted)
    assert (other.exit_code, "tool note: result was" in other.stderr, "prompt: system was" in other.stderr) == (1, 1, 1)
    refused = lua("chat", "--ci", "--replay", "saved.json", "--state", "registry", cwd=noted)
    assert (refused.exit_code, "--replay begins without data, and keeps none" in refused.stderr) == (2, True)


def test_a_long_text_is_shown_where_it_parts(lua: Lua, write_project: WriteProject) -> None:
    long = AGENT.replace('"Friendly."', '"Friendly.\\n" + "a" * 300 + "END"')
    root = write_project({"agent.py": long, "s.json": '[{"text": "Hi."}]'})
    assert (
        lua("chat", "--ci", "-m", "hi", "--model", "scripted:s.json", "--save", "saved.json", cwd=root).exit_code == 0
    )
    (root / "agent.py").write_text(long.replace("END", "FIN"), "utf-8")
    done = lua("chat", "--ci", "--replay", "saved.json", cwd=root)
    a = "…" + "a" * 40
    assert (
        f'prompt: system was "{a}END\\n\\nUse get_order." and is "{a}FIN\\n\\nUse get_order.", from line 2, column 301 on'
        in (done.stderr)
    )


def test_an_error_at_the_beginning_is_told_and_not_what_it_kept_from_happening(
    lua: Lua, write_project: WriteProject
) -> None:
    flow = (
        "flows:\n  - name: support\n    process:\n"
        "      - {type: set-variable, name: plan, settings: {name: plan, value: '%s'}}\n"
        "      - {type: ai-agent, name: helper, answer: text, prompt: Help.}\n"
    )
    root = write_project({"flows/a.yaml": flow % '"gold"', "s.json": '[{"text": "Hi."}]'})
    assert (
        lua("chat", "--ci", "-m", "hi", "--model", "scripted:s.json", "--save", "saved.json", cwd=root).exit_code == 0
    )
    (root / "flows/a.yaml").write_text(flow % "vars.missing.plan", "utf-8")
    done = lua("chat", "--ci", "--replay", "saved.json", cwd=root)
    assert (done.exit_code, "missing" in done.stderr, "no longer there" in done.stderr) == (1, True, False), done.stderr
