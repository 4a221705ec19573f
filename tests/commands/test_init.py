"""`lua init`, as it is typed."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def test_it_says_what_was_made_and_what_to_type_next(tmp_path: Path, lua: Callable[..., object]) -> None:
    result = lua("init", "my-agent", "--template", "orders", cwd=tmp_path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "Created my-agent in my-agent from the template orders (18 files)\n"
        "\n"
        "Next:\n"
        "  cd my-agent\n"
        "  lua compile\n"
        "  lua test\n"
        "  lua push all\n"
    )
    assert 'name="my-agent"' in (tmp_path / "my-agent/src/agent.py").read_text()


def test_in_the_folder_itself_there_is_nowhere_to_go(tmp_path: Path, lua: Callable[..., object]) -> None:
    result = lua("init", ".", "--template", "minimal", "--name", "here", "--json", cwd=tmp_path)
    document = json.loads(result.stdout)
    files = document.pop("files")
    assert document == {
        "ok": True,
        "path": str(tmp_path),
        "name": "here",
        "template": "minimal",
        "next": ["lua compile", "lua test", "lua push all"],
    }
    assert all((tmp_path / path).is_file() for path in files) and "src/agent.py" in files


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ([], "missing DIR and --template"),
        (["my-agent"], "missing --template"),
        (["--template", "orders"], "missing DIR"),
    ],
)
@pytest.mark.parametrize("ci", [["--ci"], []])
def test_where_nobody_can_be_asked_what_is_missing_is_named(
    arguments: list[str], missing: str, ci: list[str], tmp_path: Path, lua: Callable[..., object]
) -> None:
    result = lua("init", *arguments, *ci, cwd=tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"✖ usage: {missing}\n"
        "  hint: lua init my-agent --template orders (templates: facts-flow, minimal, order-flow, orders, search-docs, shared-base, weather-flow)\n"
    )
    assert not list(tmp_path.iterdir())


def test_errors_are_json_when_json_is_asked_for(tmp_path: Path, lua: Callable[..., object]) -> None:
    result = lua("init", "x", "--template", "order", "--json", cwd=tmp_path)
    assert result.exit_code == 3 and result.stderr == ""
    document = json.loads(result.stdout)
    assert document["ok"] is False and document["error"]["message"] == "no template 'order'"


def test_a_bad_name_is_refused_before_anything_is_written(tmp_path: Path, lua: Callable[..., object]) -> None:
    result = lua("init", "x", "--template", "orders", "--name", "My Shop", cwd=tmp_path)
    assert result.exit_code == 2 and "for example my-shop" in result.stderr
    assert not list(tmp_path.iterdir())


def test_the_help_names_all_templates(tmp_path: Path, lua: Callable[..., object]) -> None:
    from lua_cli.scaffold import templates

    text = " ".join(lua("init", "--help", cwd=tmp_path).stdout.split())
    *most, last = (template.name for template in templates())
    assert f"{', '.join(most)} or {last}." in text


# a terminal turns the interrupt key into a signal only for the session that it controls
INTERRUPT = "\x03"
# (and a shell that started the tests in the background has told everything below it to ignore that signal)
CONTROLLED = (
    "import fcntl, signal, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "signal.signal(signal.SIGINT, signal.default_int_handler); from lua_cli.main import run; run()"
)


def on_a_terminal(answers: list[tuple[str, str]], cwd: Path, *arguments: str) -> tuple[int, str]:
    """`lua init` on a terminal: waits for each prompt, then types its answer."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", CONTROLLED, "init", *arguments],
        cwd=cwd,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen, deadline, waiting, typed = "", time.monotonic() + 60, list(answers), ""
    try:
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 1)[0]:
                if typed == INTERRUPT:  # between the prompt and the reading Python only notes it: press it again
                    os.write(ours, typed.encode())
                continue
            try:
                block = os.read(ours, 4096)
            except OSError:  # Linux: the child has closed the terminal
                break
            if not block:
                break
            seen += block.decode()
            if waiting and seen.endswith(waiting[0][0]):
                typed = waiting.pop(0)[1]
                os.write(ours, typed.encode())
        return child.wait(timeout=10), seen.replace("\r\n", "\n")
    finally:
        child.kill()
        child.wait()
        os.close(ours)


def test_on_a_terminal_it_asks(tmp_path: Path) -> None:
    answers = [("Folder [my-agent]: ", "shop\n"), ("Template [orders]: ", "9\n"), ("Template [orders]: ", "5\n")]
    code, seen = on_a_terminal(answers, tmp_path)
    assert code == 0, seen
    assert "  5  search-docs   Search in your own documents: find the right ones, then read one\n" in seen
    assert "a name, or a number from 1 to 7\n" in seen
    assert "Created shop in shop from the template search-docs" in seen
    assert (tmp_path / "shop/src/agent.py").is_file()


def test_the_suggestions_are_taken_with_the_return_key(tmp_path: Path) -> None:
    code, seen = on_a_terminal([("Template [orders]: ", "\n")], tmp_path, "here")
    assert code == 0 and "Created here in here from the template orders" in seen


def test_an_interrupt_at_a_question_writes_nothing(tmp_path: Path) -> None:
    code, seen = on_a_terminal([("Folder [my-agent]: ", INTERRUPT)], tmp_path)
    assert code == 130 and "Traceback" not in seen
    assert not list(tmp_path.iterdir())
