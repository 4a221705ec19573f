"""What an unchanged compile says at once is what a compile says that starts from nothing, whatever became of the files
in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lua_cli.commands import at_once as commands
from lua_cli.pipeline import at_once, keeping, stamps
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
def by_heart(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Which command lines were answered at once, in order."""
    said: list[bool] = []
    real = commands.answer_at_once

    def answer_at_once(argv: list[str]) -> int | None:
        code = real(argv)
        said.append(code is not None)
        return code

    monkeypatch.setattr(commands, "answer_at_once", answer_at_once)
    return said


def answer(root: Path, name: str = "compile-text") -> Path:
    return Path(at_once.place_of(str(root), name))


def from_nothing(root: Path, lua: Lua, *flags: str) -> Result:
    """A compile of the same tree without any cache."""
    shutil.rmtree(root / ".lua")
    return lua("compile", *flags, cwd=root)


def test_nothing_changed_is_said_again(shop: Path, lua: Lua, by_heart: list[bool]) -> None:
    first = lua("compile", cwd=shop)
    assert by_heart == [True]
    assert lua("compile", cwd=shop / "src/skills") == first, "from a folder of the project too"
    assert lua("compile", "--strict", "--ci", cwd=shop) == first
    assert lua("compile", "--format=text", cwd=shop) == first
    assert by_heart == [True] * 4
    assert from_nothing(shop, lua) == first


def test_warnings_are_said_again_and_fail_a_strict_compile(shop: Path, lua: Lua, by_heart: list[bool]) -> None:
    path = shop / "src/agent.py"
    edit(path, "\nfrom lua_cli import LuaSkill\n\nunused = LuaSkill(name='unused', context='Nothing.', tools=[])\n")
    first = lua("compile", cwd=shop)
    again, strict = lua("compile", cwd=shop), lua("compile", "--strict", cwd=shop)
    assert again == first
    assert "warning" in first.stdout
    assert (strict.exit_code, strict.stdout) == (1, first.stdout)
    assert by_heart == [False, True, True]


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
def test_a_change_is_answered_as_if_from_nothing(shop: Path, lua: Lua, by_heart: list[bool], change: str) -> None:
    lua("compile", cwd=shop)
    CHANGES[change](shop)
    changed = lua("compile", cwd=shop)
    assert by_heart == [True, False], f"{change}: not noticed"
    assert lua("compile", cwd=shop) == changed
    assert from_nothing(shop, lua) == changed


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "cut in what is said": lambda content: content[:-5],
    "empty": lambda content: b"",
    "one bit": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "another format": lambda content: content.replace(b"lua-answer 4", b"lua-answer 1", 1),
    "no text": lambda content: b"\xff\xfe" + content,
    "more": lambda content: content + b"more\n",
}


@pytest.mark.parametrize("name", ["compile-text", at_once.STAMPS])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda name: name.replace(" ", "-"))
def test_a_damaged_answer_is_not_trusted(shop: Path, lua: Lua, by_heart: list[bool], damage: str, name: str) -> None:
    first = lua("compile", cwd=shop)
    answer(shop, name).write_bytes(DAMAGES[damage](answer(shop, name).read_bytes()))
    assert lua("compile", cwd=shop) == first
    assert lua("compile", cwd=shop) == first
    assert by_heart == [True, False, True]


def test_an_answer_for_another_state_is_not_given(shop: Path, lua: Lua, by_heart: list[bool]) -> None:
    """Files of answers are replaced one by one: what an interrupt leaves behind is told by the token."""
    old = answer(shop).read_bytes()
    edit(shop / "src/skills/orders.py", "\nX = 1\n")
    changed = lua("compile", cwd=shop)
    answer(shop).write_bytes(old)
    assert lua("compile", cwd=shop) == changed
    assert by_heart == [False, False]


def test_another_version_of_the_program_does_not_trust_it(
    shop: Path, lua: Lua, by_heart: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = lua("compile", cwd=shop)
    monkeypatch.setattr(at_once, "__version__", "0.0.0")
    assert lua("compile", cwd=shop) == first
    assert by_heart == [True, False]


def test_the_environment_decides_too(shop: Path, lua: Lua, by_heart: list[bool], tmp_path: Path) -> None:
    lua("compile", cwd=shop, env={"PYTHONPATH": str(tmp_path)})
    lua("compile", cwd=shop, env={"PYTHONPATH": str(tmp_path)})
    lua("compile", cwd=shop, env={"FORCE_COLOR": "1", "PYTHONPATH": str(tmp_path)})
    assert by_heart == [False, True, False]


def test_a_change_that_hides_its_time_is_noticed(shop: Path, lua: Lua, by_heart: list[bool]) -> None:
    path = shop / "src/shop/orders.json"
    stat = path.stat()
    path.write_text(path.read_text().replace("shipped", "skipped"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    changed = lua("compile", cwd=shop)
    assert by_heart == [False]
    assert from_nothing(shop, lua) == changed


@pytest.fixture
def young(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, where every file is too young to be recognised by its time, and nothing is kept yet."""
    monkeypatch.setattr(keeping, "RACY_NS", 10**20)
    monkeypatch.setattr(stamps, "_MOST_READ", 1000)
    monkeypatch.setattr(at_once, "stamp_of", same_tick)
    shutil.rmtree(answer(shop).parent)
    return shop


def test_a_file_that_is_too_young_is_compared_by_its_content(young: Path, lua: Lua, by_heart: list[bool]) -> None:
    first = lua("compile", cwd=young)
    assert lua("compile", cwd=young) == first
    path = young / "src/shop/orders.json"
    path.write_text(path.read_text().replace("shipped", "skipped"))
    changed = lua("compile", cwd=young)
    assert by_heart == [False, True, False]
    assert from_nothing(young, lua) == changed != first


def same_tick(path: str, *, whole: bool) -> str:
    """A stamp with the time of a clock that has not moved meanwhile."""
    return f"1,1,{os.stat(path).st_size if whole else 0},1" if os.path.lexists(path) else "-"


def test_a_name_that_comes_to_a_young_folder_is_noticed(young: Path, lua: Lua, by_heart: list[bool]) -> None:
    lua("compile", cwd=young)
    (young / "src" / "shop" / "json.py").write_text("")
    lua("compile", cwd=young)
    assert by_heart == [False, False]


def test_a_project_of_young_files_alone_keeps_nothing(shop: Path, lua: Lua, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "RACY_NS", 10**20)
    monkeypatch.setattr(stamps, "_MOST_READ", 3)
    shutil.rmtree(answer(shop).parent)
    assert lua("compile", cwd=shop).exit_code == 0
    assert not answer(shop).parent.exists()


FORMS = (["--json"], ["--format=json"], ["--format", "json"], ["--json", "--format", "text"], ["--ci", "--json"])


@pytest.mark.parametrize("flags", FORMS, ids=" ".join)
def test_json_is_said_again(shop: Path, lua: Lua, by_heart: list[bool], flags: list[str]) -> None:
    text, first = lua("compile", cwd=shop), lua("compile", "--json", cwd=shop)
    assert lua("compile", *flags, cwd=shop) == first
    assert lua("compile", cwd=shop) == text, "both are known"
    assert by_heart == [True, False, True, True]
    assert json.loads(first.stdout)["ok"]
    assert from_nothing(shop, lua, *flags) == first


@pytest.mark.parametrize("flags", [["--format=concise"], ["--check"], ["--json", "--select", "x"], ["--format"]])
def test_other_flags_are_for_the_long_way(shop: Path, lua: Lua, by_heart: list[bool], flags: list[str]) -> None:
    lua("compile", *flags, cwd=shop)
    assert by_heart == [False]


def test_a_project_that_is_named(shop: Path, lua: Lua, by_heart: list[bool]) -> None:
    first = lua("compile", cwd=shop)
    for words in (["--project", str(shop)], [f"--project={shop}/"], ["--project", "shop"], ["--project", "./shop"]):
        assert lua("compile", *words, cwd=shop.parent) == first
    assert by_heart == [True] * 5
    assert lua("compile", "--project", "shop/../shop", cwd=shop.parent) == first
    assert lua("compile", "--project", "src/shop", cwd=shop).exit_code == 3, "a folder in the project is none"
    assert lua("compile", "--project", cwd=shop).exit_code == 2
    assert by_heart[5:] == [False] * 3


def test_each_of_two_projects_has_its_own_answer(shop: Path, lua: Lua, by_heart: list[bool], tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(REPOSITORY / "templates" / "minimal", other, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    (other / ".lua").mkdir()
    shutil.copytree(shop / ".lua/cache", other / ".lua/cache")
    first = lua("compile", cwd=other)
    assert lua("compile", "--project", str(other), cwd=shop) == first
    assert by_heart == [False, True]
    assert first != lua("compile", cwd=shop)


GLOBBED: dict[str, Callable[[Path], object]] = {
    "a file more": lambda root: (root / "data/b.csv").write_text("1\n"),
    "a file in a folder more": lambda root: (root / "data/in/c.csv").write_text("1\n"),
    "a new folder": lambda root: write(root / "data/new/c.csv"),
    "a file less": lambda root: (root / "data/a.csv").unlink(),
    "a file of another name": lambda root: (root / "data/a.csv").rename(root / "data/z.csv"),
    "other content": lambda root: edit(root / "data/a.csv", "2\n"),
    "a folder that becomes an environment": lambda root: (root / "data/in/pyvenv.cfg").write_text(""),
    "an environment that is none any more": lambda root: (root / "data/venv/pyvenv.cfg").unlink(),
    "a link that leads elsewhere": lambda root: relinked(root / "data/linked", "../more2"),
    "more behind a link": lambda root: (root / "more/y.csv").write_text("1\n"),
    "a link's file becomes a folder": lambda root: replaced_by_folder(root / "more/behind.csv"),
    "a folder for a file": lambda root: replaced_by_folder(root / "data/a.csv"),
}


@pytest.mark.parametrize("change", GLOBBED, ids=lambda name: name.replace(" ", "-"))
def test_what_globs_find(shop: Path, lua: Lua, by_heart: list[bool], change: str) -> None:
    for name in ("data/a.csv", "data/in/b.csv", "data/venv/x.csv", "more/behind.csv", "more2/z.csv"):
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text("1\n")
    (shop / "data/venv/pyvenv.cfg").write_text("")
    (shop / "data/linked").symlink_to("../more")
    (shop / "data/one.csv").symlink_to("../more/behind.csv")
    settings = shop / "pyproject.toml"
    settings.write_text(settings.read_text().replace("[tool.lua]", '[tool.lua]\ninclude = ["data/**/*.csv"]', 1))
    first = lua("compile", cwd=shop)
    assert first.exit_code == 0
    assert lua("compile", cwd=shop) == first
    GLOBBED[change](shop)
    changed = lua("compile", cwd=shop)
    assert by_heart == [False, True, False], f"{change}: not noticed"
    assert from_nothing(shop, lua) == changed


def relinked(link: Path, target: str) -> None:
    link.unlink()
    link.symlink_to(target)


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


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


@pytest.mark.parametrize("entry", ["agent.py", "main.py", "src/agent.py"])
def test_an_entry_file_that_comes_to_flows_alone(
    lua: Lua, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    monkeypatch.setattr(keeping, "RACY_NS", -(10**13))
    root = tmp_path / "of"
    shutil.copytree(REPOSITORY / "templates" / "order-flow", root, ignore=shutil.ignore_patterns(".lua"))
    assert lua("compile", cwd=root).exit_code == 0
    (root / entry).parent.mkdir(exist_ok=True)
    (root / entry).write_text("this is no Python\n", encoding="utf-8")
    result = lua("compile", cwd=root)
    assert result.exit_code == 1 and "lua/syntax-error" in result.stdout
    (root / entry).unlink()
    assert lua("compile", cwd=root).exit_code == 0


def test_the_programs_own_files_make_answers_old_and_bytecode_does_not(tmp_path: Path) -> None:
    package = tmp_path / "lua_cli"
    shutil.copytree(REPOSITORY / "lua_cli", package, ignore=shutil.ignore_patterns("__pycache__"))

    def program() -> str:
        code = "from lua_cli.pipeline import at_once; print(at_once.__file__, at_once.program())"
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
        file, _, value = done.stdout.rpartition(" ")
        assert file == str(package / "pipeline" / "at_once.py"), done.stderr
        return value

    first = program()
    (package / "server" / "__pycache__").mkdir()  # what Python does at the first import of a module there
    assert program() == first
    os.utime(package / "server" / "app.py", ns=(1, 10**18))
    edited = program()
    assert edited != first
    (package / "server" / "app.py").unlink()
    assert program() not in (first, edited)
