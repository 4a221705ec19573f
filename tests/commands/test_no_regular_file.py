"""A pipe where a file is wanted: nobody waits for who writes into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

AGENT = """\
from lua_cli import LuaAgent, LuaSkill

pdf = LuaSkill.from_folder("skills/pdf")
agent = LuaAgent("a", "p", [pdf])
"""
SKILL = "---\nname: pdf\ndescription: Make PDF files. Use when asked for one.\n---\nText\n"


@pytest.mark.parametrize(
    ("pipe", "code", "words"),
    [
        ("skills/pdf/pipe.txt", 0, "`skills/pdf/pipe.txt` is not bundled: it is no regular file"),
        ("skills/pdf/SKILL.md", 1, "it is no regular file"),
        ("helpers.py", 1, "No module named 'helpers'"),
    ],
)
def test_a_pipe_is_no_file(
    write_project: Callable[[Mapping[str, str]], Path],
    lua_process: Callable[..., Result],
    pipe: str,
    code: int,
    words: str,
) -> None:
    files = {"agent.py": ("import helpers\n" if pipe == "helpers.py" else "") + AGENT, "skills/pdf/SKILL.md": SKILL}
    root = write_project({name: text for name, text in files.items() if name != pipe})
    (root / pipe).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(root / pipe)
    done = lua_process("compile", cwd=root)
    assert (done.exit_code, words in done.stdout + done.stderr) == (code, True), done.stdout + done.stderr
