"""An unchanged project is answered from memory, and every change that decides a build is noticed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lua_cli.pipeline import Compiled, compile_project
from lua_cli.project import open_project
from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("once") / "shop"
    shutil.copytree(REPOSITORY / "templates" / "orders", root, ignore=shutil.ignore_patterns("__pycache__"))
    text = (root / "pyproject.toml").read_text()
    (root / "pyproject.toml").write_text(text.replace("[tool.lua]\n", '[tool.lua]\ninclude = ["extra/*.txt"]\n'))
    (root / "extra").mkdir()
    (root / "extra" / "one.txt").write_text("1")
    for path in root.rglob("*"):  # as after a checkout that was some time ago: nothing is racy
        os.utime(path, (1_700_000_000, 1_700_000_000))
    assert compile_project(open_project(root)).ok
    return root


@pytest.fixture
def shop(compiled_once: Path, tmp_path: Path) -> Path:
    """The compiled project, moved: its record speaks of another folder, so it is compiled here once more."""
    root = tmp_path / "shop"
    shutil.copytree(compiled_once, root, symlinks=True)
    assert compile_project(open_project(root)).ok
    return root


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], bool]:
    """Compiles, and tells whether sources were read for it."""
    import lua_cli.source

    real, read = lua_cli.source.SourceIndex, []

    def counted(*args: object, **kwargs: object) -> object:
        read.append(args)
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(lua_cli.source, "SourceIndex", counted)

    def compiled(root: Path) -> bool:
        read.clear()
        outcome: Compiled = compile_project(open_project(root))
        assert outcome.ok
        assert set(outcome.artifacts) == {"orders", "refunds"}
        return bool(read)

    return compiled


def test_nothing_changed_reads_nothing_and_says_the_same(shop: Path, compiles: Callable[[Path], bool]) -> None:
    before = compile_project(open_project(shop))
    assert not compiles(shop)
    after = compile_project(open_project(shop))
    assert after.document == before.document
    assert {a.skill: a.digest for a in after.artifacts.values()} == {
        a.skill: a.digest for a in before.artifacts.values()
    }


def test_touching_without_changing_costs_nothing(shop: Path, compiles: Callable[[Path], bool]) -> None:
    (shop / "src/shop/store.py").touch()
    assert not compiles(shop)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a tool": lambda root: edit(root / "src/skills/tools/find_orders.py", "\nX = 1\n"),
    "a module that a tool imports": lambda root: edit(root / "src/shop/store.py", "\nX = 1\n"),
    "the entry": lambda root: edit(root / "src/agent.py", "\nX = 1\n"),
    "a data file": lambda root: edit(root / "src/shop/orders.json", "\n"),
    "a document": lambda root: edit(root / "src/skills/refunds.md", "\nMore.\n"),
    "the settings": lambda root: edit(root / "pyproject.toml", "\n# more\n"),
    "a folder that may be a package": lambda root: (root / "src/shop/store").mkdir(),
    "a file that a glob finds": lambda root: (root / "extra/two.txt").write_text("2"),
    "a lock file": lambda root: (root / "uv.lock").write_text("version = 1\n"),
    "an artifact is gone": lambda root: (root / ".lua/artifacts/orders.luapkg").resolve().unlink(),
    "an artifact was changed": lambda root: edit((root / ".lua/artifacts/orders.luapkg").resolve(), "x"),
    "the build is gone": lambda root: (root / ".lua/artifacts").unlink(),
    "the record is gone": lambda root: record(root).unlink(),
    "the record is cut": lambda root: record(root).write_bytes(record(root).read_bytes()[:100]),
    "the record is no JSON object": lambda root: record(root).write_text("[]"),
    "the record is of another version": lambda root: rewrite(record(root), "surroundings", {"format": 0}),
    "the record has wrong types": lambda root: rewrite(record(root), "files", {"/x": 3}),
    "the cache is gone": lambda root: shutil.rmtree(root / ".lua/cache"),
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda name: name.replace(" ", "-"))
def test_what_decides_a_build_is_noticed(shop: Path, compiles: Callable[[Path], bool], change: str) -> None:
    assert not compiles(shop)
    CHANGES[change](shop)
    assert compiles(shop), f"{change}: not noticed"
    assert not compiles(shop), f"{change}: compiled again and again"


def test_a_change_that_hides_its_time_is_noticed(shop: Path, compiles: Callable[[Path], bool]) -> None:
    """The size stays, and the time is set back to what it was."""
    path = shop / "src/shop/orders.json"
    stat = path.stat()
    text = path.read_text()
    path.write_text(text.replace("shipped", "skipped"))
    assert path.read_text() != text
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert compiles(shop)


def test_the_surroundings_decide_too(
    shop: Path, compiles: Callable[[Path], bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not compiles(shop)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert compiles(shop)
    monkeypatch.delenv("PYTHONPATH")
    assert compiles(shop)
    assert not compiles(shop)


def test_errors_are_never_remembered(shop: Path) -> None:
    path = shop / "src/agent.py"
    good = path.read_text()
    path.write_text("agent = (\n")
    for _ in range(2):
        assert not compile_project(open_project(shop)).ok
    path.write_text(good)
    assert compile_project(open_project(shop)).ok


def edit(path: Path, more: str) -> None:
    with path.open("a") as file:
        file.write(more)


def record(root: Path) -> Path:
    return root / ".lua/cache/build.json"


def rewrite(path: Path, key: str, value: object) -> None:
    document = json.loads(path.read_text())
    document[key] = value
    path.write_text(json.dumps(document))
