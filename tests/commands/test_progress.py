"""What a person at a terminal sees while bytes move: the real command on a real terminal, against the real server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.commands.project_text import FILES
from tests.conftest import REPOSITORY
from tests.server.serving import Server

pty = pytest.importorskip("pty", reason="there are no terminals of that kind here")


def on_a_terminal(command: list[str], cwd: Path, env: Mapping[str, str]) -> tuple[int, str, str]:
    """Exit code, stdout and what stood on the terminal, which is stdin and stderr."""
    near, far = pty.openpty()
    with subprocess.Popen(
        command, cwd=cwd, env={**os.environ, **env}, stdin=far, stderr=far, stdout=subprocess.PIPE
    ) as child:
        os.close(far)
        seen = bytearray()
        while True:
            try:
                piece = os.read(near, 4096)
            except OSError:  # the last one that had the terminal open is gone
                break
            if not piece:
                break
            seen += piece
        assert child.stdout is not None
        out = child.stdout.read()
        code = child.wait(timeout=120)
    os.close(near)
    return code, out.decode(), seen.decode()


@pytest.mark.parametrize("flags", [(), ("--ci",)])
def test_a_bar_moves_while_an_artifact_is_sent(
    write_project: Callable[[Mapping[str, str]], Path], tmp_path: Path, flags: tuple[str, ...]
) -> None:
    read = 'from pathlib import Path\\n\\nTEXT = (Path(__file__).parent / "large.txt").read_text()\\n'
    agent = FILES["agent.py"].replace("from lua_cli", f"{read}from lua_cli".replace("\\n", "\n"), 1)
    root = write_project({**FILES, "agent.py": agent, "large.txt": "0123456789abcdef" * 200_000})
    server = Server(tmp_path / "server").start()
    try:
        env = {"LUA_API_URL": server.address, "LUA_API_KEY": server.key("ci", "acme"), "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, "-m", "lua_cli", "push", "skill", "--name", "orders", *flags]
        code, out, seen = on_a_terminal(command, root, env)
    finally:
        server.close()
    assert (code, out.startswith("orders 1.0.0  pushed  sha256:")) == (0, True), seen
    parts = [int(part) for part in re.findall(r"orders 1\.0\.0  \[=* *\] +(\d+)%", seen)]
    if flags:
        assert parts == [], "no progress is drawn under --ci"
    else:
        assert len(parts) > 2 and parts == sorted(parts) and parts[-1] == 100, seen
