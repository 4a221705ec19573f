"""README.md is typed into a shell: its session, its table of commands, its picture."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs import picture
from tests.docs.blocks import PAGES, REPOSITORY, Block, blocks, prose

README = REPOSITORY / "README.md"
WITH_SESSIONS = [page for page in PAGES if any(block.language == "console" for block in blocks(page))]


def exchanges(block: Block) -> Iterator[tuple[str, str]]:
    """Command and expected output, for each `$ ` line of a console block."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert parts[0] == "", f"{block}: output before the first command"
    return zip(parts[1::2], parts[2::2], strict=True)


def pattern(expected: str) -> re.Pattern[str]:
    """`…` stands for any text within a line, a line of nothing else for any lines."""
    lines = []
    for line in expected.rstrip("\n").split("\n"):
        lines.append(r"(?s:.*)" if line.strip() == "…" else r"[^\n]*".join(re.escape(part) for part in line.split("…")))
    return re.compile("\n".join(lines))


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[object]:
    """Types command lines into a shell, one after another in the same folder, with the real `lua` on its path."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "home").mkdir()
    program = tmp_path / "bin/lua"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lua_cli "$@"\n')
    program.chmod(0o755)
    where = tmp_path / "where"
    where.write_text(str(tmp_path / "home"))
    environ = {**os.environ, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1"}

    def enter(command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", f'cd "$(cat "$1")" || exit\n{command}\ncode=$?\npwd >"$1"\nexit $code', "bash", str(where)],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
        )
        return done.returncode, done.stdout

    yield enter


@pytest.mark.parametrize("page", WITH_SESSIONS, ids=lambda page: page.name)
def test_sessions_give_what_is_printed(page: Path, shell: object) -> None:
    for block in blocks(page):
        if block.language != "console":
            continue
        for command, expected in exchanges(block):
            code, said = shell(command)  # type: ignore[operator]
            assert pattern(expected).fullmatch(said.rstrip("\n")), (
                f"{block}: $ {command}\n--- printed (exit {code})\n{said}\n--- on the page\n{expected}"
            )
            assert code == 0 or "✖" in expected, f"{block}: $ {command} exits {code}"


def test_the_readme_has_a_session() -> None:
    assert README in WITH_SESSIONS


def commands() -> set[str]:
    """Each command as it is typed: `compile`, `skills versions`."""
    from lua_cli.commands.app import command

    def walk(node: object, path: str) -> Iterator[str]:
        below = getattr(node, "commands", None)
        if not below or getattr(node, "invoke_without_command", False):
            yield path
        for name, child in (below or {}).items():
            yield from walk(child, f"{path} {name}".strip())

    return set(walk(command(), "")) - {""}


def test_the_table_names_every_command_and_no_other() -> None:
    text = prose(README)
    table = text[text.index("## Commands") : text.index("## Where data lives")]
    known, shown = commands(), set()
    for row in re.findall(r"^\| `lua ([^`]+)`", table, re.MULTILINE):
        words = row.split()
        named = [" ".join(words[:end]) for end in range(len(words), 0, -1)]
        found = next((name for name in named if name in known), None)
        assert found, f"no command `lua {row}`"
        shown.add(found)
    assert shown == known


def test_the_picture_shows_what_is_printed() -> None:
    drawn = picture.draw()
    assert "font-weight: bold" in drawn, "the picture has lost its colours"
    assert picture.words(picture.PICTURE.read_text("utf-8")) == picture.words(drawn), (
        "the output of `lua compile` has changed: run scripts/picture"
    )
    assert "](docs/compile.svg)" in prose(README)


def test_the_scripts_of_the_readme_are_there() -> None:
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    typed = "".join(block.text for block in blocks(README) if block.language == "sh")
    for target in re.findall(r"^make (\w+)", typed, re.MULTILINE):
        assert re.search(rf"^{target}\b.*:|^(\w+ )*{target}( \w+)*:", makefile, re.MULTILINE), target
    for script in ("setup", "test", "check", "demo", "picture"):
        assert os.access(REPOSITORY / "scripts" / script, os.X_OK), f"scripts/{script} is not executable"
