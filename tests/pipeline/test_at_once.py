"""What an unchanged compile says at once is what a compile says that starts from nothing, whatever became of the files
in between."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lua_cli.pipeline import at_once, keeping
from tests.conftest import REPOSITORY, Result

Lua = Callable[..., Result]


@pytest.fixture
def shop(tmp_path: Path, lua: Lua, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose answer is kept; no file counts as too young for it."""
    monkeypatch.setattr(keeping, "RACY_NS", -(10**13))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    root = tmp_path / "shop"
    ignored = shutil.ignore_patterns("__pycache__", ".lua")
    shutil.copytree(REPOSITORY / "templates" / "orders", root, ignore=ignored)
    assert lua("compile", cwd=root).exit_code == 0
    assert answer(root).is_file()
    return root


@pytest.fixture
def by_heart(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was said at once, in order; None where the long way was taken."""
    said: list[Any] = []
    real = at_once.recall

    def recall(folder: str, *, colour: bool) -> at_once.Answer | None:
        found = real(folder, colour=colour)
        said.append(found.text if found else None)
        return found

    monkeypatch.setattr(at_once, "recall", recall)
    return said


def answer(root: Path) -> Path:
    return root / ".lua/cache/answer.txt"


def from_nothing(root: Path, lua: Lua, *flags: str) -> Result:
    """A compile of the same tree without any cache."""
    shutil.rmtree(root / ".lua")
    return lua("compile", *flags, cwd=root)


def test_nothing_changed_is_said_again(shop: Path, lua: Lua, by_heart: list[Any]) -> None:
    first = lua("compile", cwd=shop)
    assert by_heart == [first.stdout]
    assert lua("compile", cwd=shop / "src/skills") == first, "from a folder of the project too"
    assert lua("compile", "--strict", "--ci", cwd=shop) == first
    assert by_heart == [first.stdout] * 3
    assert from_nothing(shop, lua) == first


def test_warnings_are_said_again_and_fail_a_strict_compile(shop: Path, lua: Lua, by_heart: list[Any]) -> None:
    path = shop / "src/agent.py"
    edit(path, "\nfrom lua_cli import LuaSkill\n\nunused = LuaSkill(name='unused', context='Nothing.', tools=[])\n")
    first = lua("compile", cwd=shop)
    again, strict = lua("compile", cwd=shop), lua("compile", "--strict", cwd=shop)
    assert again == first
    assert "warning" in first.stdout
    assert (strict.exit_code, strict.stdout) == (1, first.stdout)
    assert by_heart == [None, first.stdout, first.stdout]


CHANGES: dict[str, Callable[[Path], object]] = {
    "a tool": lambda root: edit(root / "src/skills/orders.py", "\nX = 1\n"),
    "a tool by rename": lambda root: renamed(root / "src/skills/orders.py"),
    "a syntax error": lambda root: edit(root / "src/skills/orders.py", "\nX = (\n"),
    "a data file": lambda root: edit(root / "src/shop/orders.json", "\n"),
    "the settings": lambda root: edit(root / "pyproject.toml", 'ignore = ["lua/tool-name-style"]\n'),
    "a setting that is none": lambda root: edit(root / "pyproject.toml", "nonsense = 1\n"),
    "no project any more": lambda root: (root / "pyproject.toml").write_text("[project]\nname = 'x'\n"),
    "a folder that may be a package": lambda root: (root / "src/shop/store").mkdir(),
    "a module before the package": lambda root: (root / "src/json.py").write_text("X = 1\n"),
    "flows beside it": lambda root: write(root / "flows/a.yaml"),
    "a lock file": lambda root: (root / "uv.lock").write_text("version = 1\n"),
    "an environment": lambda root: write(root / ".venv/bin/python"),
    "an artifact is gone": lambda root: (root / ".lua/artifacts/orders.luapkg").resolve().unlink(),
    "an artifact was changed": lambda root: edit((root / ".lua/artifacts/orders.luapkg").resolve(), "x"),
    "the build is gone": lambda root: (root / ".lua/artifacts").unlink(),
    "the builds are gone": lambda root: shutil.rmtree(root / ".lua/builds"),
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda name: name.replace(" ", "-"))
def test_a_change_is_answered_as_if_from_nothing(shop: Path, lua: Lua, by_heart: list[Any], change: str) -> None:
    lua("compile", cwd=shop)
    CHANGES[change](shop)
    changed = lua("compile", cwd=shop)
    assert by_heart[0] is not None
    assert by_heart[1:] == [None], f"{change}: not noticed"
    assert lua("compile", cwd=shop) == changed
    assert from_nothing(shop, lua) == changed


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "cut in what is said": lambda content: content[:-5],
    "empty": lambda content: b"",
    "one bit": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "another format": lambda content: content.replace(b"lua-answer 1", b"lua-answer 0", 1),
    "no text": lambda content: b"\xff\xfe" + content,
    "more": lambda content: content + b"more\n",
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda name: name.replace(" ", "-"))
def test_a_damaged_answer_is_not_trusted(shop: Path, lua: Lua, by_heart: list[Any], damage: str) -> None:
    first = lua("compile", cwd=shop)
    answer(shop).write_bytes(DAMAGES[damage](answer(shop).read_bytes()))
    assert lua("compile", cwd=shop) == first
    assert lua("compile", cwd=shop) == first
    assert by_heart == [first.stdout, None, first.stdout]


def test_another_version_of_the_program_does_not_trust_it(
    shop: Path, lua: Lua, by_heart: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = lua("compile", cwd=shop)
    monkeypatch.setattr(at_once, "__version__", "0.0.0")
    assert lua("compile", cwd=shop) == first
    assert by_heart == [first.stdout, None]


def test_the_environment_decides_too(shop: Path, lua: Lua, by_heart: list[Any], tmp_path: Path) -> None:
    lua("compile", cwd=shop, env={"PYTHONPATH": str(tmp_path)})
    lua("compile", cwd=shop, env={"PYTHONPATH": str(tmp_path)})
    lua("compile", cwd=shop, env={"FORCE_COLOR": "1", "PYTHONPATH": str(tmp_path)})
    assert by_heart[0] is None
    assert by_heart[1] is not None
    assert by_heart[2] is None


def test_a_change_that_hides_its_time_is_noticed(shop: Path, lua: Lua, by_heart: list[Any]) -> None:
    path = shop / "src/shop/orders.json"
    stat = path.stat()
    path.write_text(path.read_text().replace("shipped", "skipped"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    changed = lua("compile", cwd=shop)
    assert by_heart == [None]
    assert from_nothing(shop, lua) == changed


def test_a_file_that_is_too_young_keeps_nothing(shop: Path, lua: Lua, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "RACY_NS", 10**13)
    answer(shop).unlink()
    assert lua("compile", cwd=shop).exit_code == 0
    assert not answer(shop).exists()


def write(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("x: 1\n")


def edit(path: Path, more: str) -> None:
    with path.open("a") as file:
        file.write(more)


def renamed(path: Path) -> None:
    """As editors save: a new file under the old name, here with the times and the size of the old one."""
    stat, new = path.stat(), path.with_name("new~")
    new.write_text(path.read_text().replace("order", "ordre"))
    os.utime(new, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    new.replace(path)
