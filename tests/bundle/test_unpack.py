"""The cache of unpacked artifacts: whole or not there, whoever writes it at the same time, whatever was done to it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from lua_cli.bundle import OpenedArtifact, open_artifact, unpack
from lua_cli.errors import LuaError
from tests.bundle.killing import Child, End, run_until
from tests.bundle.samples import artifact, module


@pytest.fixture
def opened() -> OpenedArtifact:
    return open_artifact(
        artifact(files=(module("skills/tools.py"), module("data/é.txt", "é"), module("b.py", ""))).content
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_folder_goes_by_the_digest_and_holds_the_files(tmp_path: Path, opened: OpenedArtifact) -> None:
    cache = tmp_path / "not" / "there"
    folder = unpack(opened, cache)
    assert folder == cache / opened.digest.removeprefix("sha256:")
    assert tree(folder) == dict(opened.files)
    assert [path.name for path in cache.iterdir()] == [folder.name]


def test_a_whole_folder_is_not_written_again(tmp_path: Path, opened: OpenedArtifact) -> None:
    folder = unpack(opened, tmp_path)
    before = folder.stat().st_ino
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "b.cpython-311.pyc").write_bytes(b"Python's own")
    assert unpack(opened, tmp_path).stat().st_ino == before


def link_away(folder: Path) -> None:
    (folder / "b.py").unlink()
    (folder / "b.py").symlink_to("/etc/passwd")


def be_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("in the way")


def be_a_link(folder: Path) -> None:
    folder.rename(folder.parent / "elsewhere")
    (folder.parent / "elsewhere" / "b.py").write_text("planted = 1")
    folder.symlink_to("elsewhere")


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "b.py").unlink(),
        lambda folder: (folder / "b.py").write_text("planted = 1"),
        lambda folder: (folder / "skills" / "tools.py").write_text("x = 2\n"),
        lambda folder: (folder / "json.py").write_text("planted = 1"),
        lambda folder: (folder / "skills" / "new").mkdir() or (folder / "skills" / "new" / "x.so").write_bytes(b""),
        lambda folder: shutil.rmtree(folder / "skills"),
        link_away,
        be_a_file,
        be_a_link,
    ],
    ids=["missing", "size", "content", "planted", "planted-deep", "half", "link", "file", "linked-folder"],
)
def test_a_damaged_folder_is_replaced(tmp_path: Path, opened: OpenedArtifact, damage: Callable[[Path], None]) -> None:
    damage(unpack(opened, tmp_path))
    folder = unpack(opened, tmp_path)
    assert tree(folder) == dict(opened.files)
    assert not folder.is_symlink()


def test_leftovers_of_killed_processes_are_removed_after_a_while(tmp_path: Path, opened: OpenedArtifact) -> None:
    for name, age in ((".tmp-1-old", 7200), (".tmp-2-new", 60)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    folder = unpack(opened, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {".tmp-2-new", folder.name}


def test_many_may_unpack_at_once(tmp_path: Path, opened: OpenedArtifact) -> None:
    """They find a damaged folder, too."""
    (unpack(opened, tmp_path) / "b.py").write_text("damaged")
    children = [Child(partial(unpack, opened, tmp_path)) for _ in range(12)]
    assert [child.end() for child in children] == [End()] * 12
    assert tree(unpack(opened, tmp_path)) == dict(opened.files)
    assert {path.name for path in tmp_path.iterdir()} == {".lock", opened.digest.removeprefix("sha256:")}


@pytest.mark.parametrize("damaged", [False, True])
def test_a_killed_process_leaves_nothing_that_is_taken_for_whole(
    tmp_path: Path, opened: OpenedArtifact, damaged: bool
) -> None:
    for step in range(1, 100):
        cache = tmp_path / f"cache{step}"
        if damaged:
            (unpack(opened, cache) / "b.py").write_text("damaged")
        end = run_until(step, partial(unpack, opened, cache))
        assert end.killed or end.unreached
        assert tree(unpack(opened, cache)) == dict(opened.files)
        if end.unreached:
            break
    assert 8 < step < 99


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path, opened: OpenedArtifact) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LuaError, match=r"cannot unpack into .*: Not a directory") as caught:
        unpack(opened, tmp_path / "file" / "cache")
    assert caught.value.hint == "free some space, then try again"
