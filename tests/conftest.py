"""What tests share: projects from text, and the real `main`, in this process or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
# Children buffer what they print, as a user's do: where something has to be seen at once, the program has to see to it.
os.environ.pop("PYTHONUNBUFFERED", None)


@dataclass(frozen=True)
class Result:
    """What a command line gave."""

    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture(autouse=True)
def private_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's data, and none depends on the surroundings of the run."""
    folder = tmp_path_factory.mktemp("user")
    monkeypatch.setenv("LUA_DATA_DIR", str(folder / "data"))
    monkeypatch.setenv("LUA_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("HOME", str(folder))
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "NO_COLOR", "FORCE_COLOR", "LUA_API_URL", "LUA_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def write_project(tmp_path: Path) -> Callable[[Mapping[str, str]], Path]:
    """Writes files (path → text) into a fresh folder and gives the folder. pyproject.toml gets `[tool.lua]` when
    there is none.
    """
    count = 0

    def write(files: Mapping[str, str]) -> Path:
        nonlocal count
        count += 1
        root = tmp_path / f"project{count}"
        for name, text in {"pyproject.toml": "[tool.lua]\n", **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    return write


@pytest.fixture
def lua(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The real `main` in this process: `lua("compile", "--check", cwd=root)`. stdin is empty and no terminal."""

    def run(*args: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Result:
        from lua_cli.main import main

        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with monkeypatch.context() as patch:
            patch.chdir(cwd)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = main(list(args))
        return Result(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))  # type: ignore[attr-defined]

    return run


@pytest.fixture
def lua_process() -> Callable[..., Result]:
    """The installed command in a process of its own, bounded in time."""

    def run(
        *args: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes = b"", timeout: float = 120
    ) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "lua_cli", *args],
            cwd=cwd,
            env={**os.environ, "PYTHONUTF8": "1", **(env or {})},
            input=stdin,
            capture_output=True,
            timeout=timeout,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
