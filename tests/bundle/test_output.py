"""The output folder: complete or as it was, whatever happens to the one who writes it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from lua_cli.bundle import read_build, write_build
from lua_cli.errors import LuaError
from tests.bundle.killing import Child, End, run_until
from tests.bundle.samples import artifact, manifest, module
from tests.conftest import REPOSITORY

DOCUMENT = {"version": 1, "ok": True, "skills": [{"name": "orders"}]}


def write(output: Path, letter: str) -> None:
    """A build that has the letter in each of its artifacts; A has one artifact, the others have two."""
    skills = ("orders", "refunds") if letter != "A" else ("orders",)
    made = [artifact(skill, files=(module("skills/tools.py", f"x = {letter!r}"),)) for skill in skills]
    write_build(output, made, {"letter": letter})


def refuse_links(*_args: object, **_options: object) -> None:
    raise OSError(errno.EOPNOTSUPP, "no links here")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "my agent" / ".lua"


@pytest.fixture(params=["links", "no-links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file system with symbolic links, and one without."""
    if request.param == "no-links":
        monkeypatch.setattr(Path, "symlink_to", refuse_links)
    return str(request.param)


def letter(output: Path) -> str | None:
    """The letter of the current build, which is checked to be that of each of its artifacts; None without a build."""
    build = read_build(output)
    if build is None:
        return None
    found = str(build.document["letter"])
    assert list(build.artifacts) == (["orders"] if found == "A" else ["orders", "refunds"])
    for built in build.artifacts.values():
        assert built.open().files == {"skills/tools.py": f"x = {found!r}".encode()}
    return found


def test_a_build_is_read_back(output: Path) -> None:
    sealed = [artifact("orders"), artifact("Rück/gabe")]
    build = write_build(output, sealed, DOCUMENT)
    assert build == read_build(output)
    assert build.document == DOCUMENT
    assert list(build.artifacts) == ["orders", "Rück/gabe"]
    orders = build.artifacts["orders"]
    assert orders.path == output / "artifacts" / "orders.luapkg"
    assert orders.path.read_bytes() == sealed[0].content
    assert orders.open().content == sealed[0].content
    assert orders.manifest == manifest("orders")
    assert orders.size == len(sealed[0].content)
    assert (output / ".gitignore").read_text() == "*\n"
    document = json.loads((output / "artifacts" / "manifest.json").read_text("utf-8"))
    assert document["artifacts"][0] == {
        "skill": "orders", "file": "orders.luapkg", "digest": sealed[0].digest, "size": len(sealed[0].content)
    }  # fmt: skip
    assert {name: document[name] for name in DOCUMENT} == DOCUMENT


def test_git_ignores_all_of_it(output: Path) -> None:
    subprocess.run(["git", "init", "-q", str(output.parent)], check=True)
    write_build(output, [artifact()], DOCUMENT)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=output.parent, check=True, capture_output=True)
    assert status.stdout == b""


def test_without_a_build_there_is_none(output: Path) -> None:
    assert read_build(output) is None


def test_the_same_again_writes_nothing(output: Path) -> None:
    write_build(output, [artifact()], DOCUMENT)
    before = (output / "artifacts").resolve()
    write_build(output, [artifact()], DOCUMENT)
    assert (output / "artifacts").resolve() == before
    assert len(list((output / "builds").iterdir())) == 1


def test_a_skill_that_is_gone_leaves_no_file(output: Path) -> None:
    write_build(output, [artifact("orders"), artifact("refunds")], DOCUMENT)
    write_build(output, [artifact("orders")], DOCUMENT)
    assert {path.name for path in (output / "artifacts").iterdir()} == {"manifest.json", "orders.luapkg"}


def test_a_reader_stays_in_his_build(output: Path) -> None:
    first = write_build(output, [artifact()], DOCUMENT).artifacts["orders"]
    write_build(output, [artifact(files=(module("skills/tools.py", "y = 2"),))], DOCUMENT)
    assert first.open().files["skills/tools.py"] == b"x = 1\n"


def test_builds_that_have_not_been_current_for_a_minute_are_removed(output: Path) -> None:
    for text in ("1", "2", "3"):
        write_build(output, [artifact(files=(module("skills/tools.py", text),))], DOCUMENT)
    folders = [path for path in (output / "builds").iterdir() if path != (output / "artifacts").resolve()]
    assert len(folders) == 2
    long_ago = time.time() - 61
    os.utime(folders[0], (long_ago, long_ago))
    write_build(output, [artifact(files=(module("skills/tools.py", "4"),))], DOCUMENT)
    assert not folders[0].exists()
    assert folders[1].exists()


def test_the_folder_may_be_moved(output: Path) -> None:
    write_build(output, [artifact()], DOCUMENT)
    moved = output.parent.rename(output.parent.with_name("moved")) / ".lua"
    build = read_build(moved)
    assert build is not None
    assert build.artifacts["orders"].open().skill == "orders"


def replace_by_copy(output: Path) -> None:
    """What a copy that follows links leaves."""
    copy = output / "copy"
    shutil.copytree(output / "artifacts", copy)
    (output / "artifacts").unlink()
    shutil.rmtree(output / "builds")
    copy.rename(output / "artifacts")


def test_a_plain_folder_is_read_and_replaced(output: Path) -> None:
    write_build(output, [artifact()], DOCUMENT)
    replace_by_copy(output)
    build = read_build(output)
    assert build is not None
    assert build.artifacts["orders"].open().skill == "orders"
    write_build(output, [artifact("refunds")], DOCUMENT)
    after = read_build(output)
    assert after is not None
    assert list(after.artifacts) == ["refunds"]


def test_artifacts_that_were_removed_come_back(output: Path) -> None:
    write_build(output, [artifact()], DOCUMENT)
    (output / "artifacts").unlink()
    assert read_build(output) is None
    write_build(output, [artifact()], DOCUMENT)
    assert (output / "artifacts" / "orders.luapkg").exists()


@pytest.mark.parametrize(
    "text", [b"", b"{}", b"[]", b"\xff", b'{"artifacts":[{}]}', b'{"artifacts":[{"skill":"../../x","file":"x","digest":"","size":1}]}'],
)  # fmt: skip
def test_a_damaged_manifest_is_no_build(output: Path, text: bytes) -> None:
    write_build(output, [artifact()], DOCUMENT)
    (output / "artifacts" / "manifest.json").write_bytes(text)
    assert read_build(output) is None
    write_build(output, [artifact()], DOCUMENT)
    assert read_build(output) is not None


def test_a_missing_or_cut_artifact_is_no_build(output: Path) -> None:
    built = write_build(output, [artifact()], DOCUMENT).artifacts["orders"]
    built.stored.write_bytes(artifact().content[:-1])
    assert read_build(output) is None
    built.stored.unlink()
    assert read_build(output) is None


def test_a_changed_artifact_is_refused_when_it_is_opened(output: Path) -> None:
    built = write_build(output, [artifact()], DOCUMENT).artifacts["orders"]
    built.stored.write_bytes(built.stored.read_bytes().replace(b"x = 1", b"x = 2"))
    build = read_build(output)
    assert build is not None
    with pytest.raises(LuaError, match="checksum differs"):
        build.artifacts["orders"].open()
    built.stored.write_bytes(artifact("other").content)
    with pytest.raises(LuaError, match="is not what was built"):
        built.open()


def test_two_skills_of_one_name_are_refused(output: Path) -> None:
    with pytest.raises(LuaError, match="two skills have the name 'orders'"):
        write_build(output, [artifact(), artifact()], DOCUMENT)
    assert read_build(output) is None


def killed_at_each_step(tmp_path: Path, start: Path) -> list[str | None]:
    """The letter that is current after a writer of B was killed at step 1, 2, …; the last one was not killed."""
    seen: list[str | None] = []
    for step in range(1, 100):
        output = tmp_path / f"step{step}" / ".lua"
        shutil.copytree(start, output, symlinks=True)
        end = run_until(step, partial(write, output, "B"))
        assert end.killed or end.unreached
        seen.append(letter(output))
        write(output, "A")  # the next one is not held up by what was left
        assert letter(output) == "A"
        assert (output / "artifacts" / "orders.luapkg").exists()
        if end.unreached:
            break
    return seen


def test_killed_at_any_step_the_old_or_the_new_build_is_there(tmp_path: Path, output: Path, links: str) -> None:
    write(output, "A")
    seen = killed_at_each_step(tmp_path, output)
    assert 8 < len(seen) < 99
    assert seen == ["A"] * seen.index("B") + ["B"] * (len(seen) - seen.index("B"))


def test_the_same_where_a_plain_folder_is_in_the_place_of_the_link(tmp_path: Path, output: Path) -> None:
    write(output, "A")
    replace_by_copy(output)
    seen = killed_at_each_step(tmp_path, output)
    assert 8 < len(seen) < 99
    assert seen == ["A"] * seen.index("B") + ["B"] * (len(seen) - seen.index("B"))


@pytest.mark.parametrize(
    ("error", "hint"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "make the folder writable")]
)
def test_when_writing_fails_the_old_build_stays_and_the_reason_is_one_line(
    output: Path, links: str, error: int, hint: str
) -> None:
    write(output, "A")
    refused = 0
    for step in range(1, 100):
        end = run_until(step, partial(write, output, "B"), error)
        if end.unreached:
            break
        if end.refused:
            refused += 1
            assert letter(output) == "A"
            assert end.refused.startswith("cannot write ")
            assert hint in end.refused
            assert "\n" not in end.refused
        else:  # a step that can be done without
            assert letter(output) == "B"
            write(output, "A")
    assert refused > 8
    assert letter(output) == "B"


def test_the_hint_goes_with_the_reason(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output.parent.mkdir()
    output.write_text("a file in the way")
    with pytest.raises(LuaError, match=r"cannot write .*: File exists") as caught:
        write_build(output, [artifact()], DOCUMENT)
    assert caught.value.hint == "make the folder writable, or lint alone, which writes nothing: lua compile --check"


@pytest.mark.skipif(os.name != "posix", reason="resource limits are POSIX's")
def test_a_full_disk_is_one_line_and_leaves_nothing(output: Path) -> None:
    """A real failing write: the system lets no file grow beyond 100 bytes."""
    import resource

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        write(output, "B")

    said = Child(limited).end().refused
    assert said.endswith(": File too large (free some space; what was built before is still there)")
    assert read_build(output) is None
    assert list((output / "builds").iterdir()) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs another user to be refused as")
def test_a_read_only_folder_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    folder.mkdir(mode=0o555)
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)
    code = (
        "import os, sys; from pathlib import Path; from lua_cli.bundle import write_build; os.setuid(65534)\n"
        "write_build(Path(sys.argv[1]), [], {})"
    )
    child = subprocess.run([sys.executable, "-c", code, str(folder / ".lua")], cwd=REPOSITORY, capture_output=True)
    assert child.stderr.splitlines()[-1].startswith(b"lua_cli.errors.LuaError: cannot write")
    assert b"Permission denied" in child.stderr


def test_writers_and_a_reader_at_once(output: Path, links: str) -> None:
    """The last state is whole, and with links the reader never sees anything else."""
    write(output, "A")
    children = [Child(partial(write, output, one)) for one in "BCDBCDBCD"]
    seen: set[str | None] = {"A"}
    while any(child.is_running() for child in children):
        if links == "links":
            seen.add(letter(output))
    assert [child.end() for child in children] == [End()] * 9
    assert None not in seen
    assert letter(output) in {"B", "C", "D"}
