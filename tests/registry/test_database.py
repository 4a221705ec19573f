"""The file under the embedded registry: what else may lie there, and what each failure says."""

from __future__ import annotations

import ctypes
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lua_cli.errors import LuaError, UnavailableError
from lua_cli.registry.database import APPLICATION, MIGRATIONS, open_database
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.conftest import REPOSITORY
from tests.registry.sample import AGENT, submission


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "registry.db"


@pytest.fixture
def filled(path: Path) -> Path:
    with EmbeddedRegistry(path) as registry:
        registry.put(AGENT, submission("1.0.0"))
        registry.put(AGENT, submission("1.1.0", "two", base="1.0.0"))
        registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="a")
        registry.deploy(AGENT, "orders", "1.1.0", seen=1, key="b")
    return path


def read_all(path: Path) -> list[object]:
    """Everything that a reader can ask of the sample registry."""
    with EmbeddedRegistry(path) as registry:
        answers: list[object] = [registry.agents(), registry.skills(AGENT), registry.history(AGENT, "orders")]
        for version in ("1.0.0", "1.1.0"):
            answers += [registry.artifact(AGENT, "orders", version), registry.facts(AGENT, "orders", version)]
        return answers


def raw(path: Path, *statements: str) -> None:
    """Another program's hand in the file."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def one_line(error: LuaError) -> None:
    assert error.message and "\n" not in error.message
    assert error.hint and "\n" not in error.hint


def test_commits_are_synced_and_written_ahead(filled: Path) -> None:
    connection = open_database(filled, create=False)
    assert connection is not None
    settings = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys", "application_id", "user_version")}  # fmt: skip
    connection.close()
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "application_id": APPLICATION,
        "user_version": len(MIGRATIONS),
    }


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_the_folder_is_the_users_own(filled: Path) -> None:
    assert filled.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM versions",
        "UPDATE versions SET digest = 'sha256:00'",
        "UPDATE versions SET version = '9.9.9'",
        "DELETE FROM deployments",
        "UPDATE deployments SET version = '1.0.0'",
        "INSERT INTO deployments SELECT skill, number, version, previous, 'k', author, created, seal FROM deployments",
        "INSERT INTO versions SELECT skill, version || '+b', precedence, digest, size, author, created, tools, said, seal, 0, facts FROM versions",
    ],
)
def test_the_schema_itself_keeps_versions_and_history(filled: Path, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        raw(filled, statement)


def test_a_newer_schema_is_refused_and_left_alone(filled: Path) -> None:
    raw(filled, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = filled.read_bytes()
    with pytest.raises(LuaError, match="was written by a newer lua-cli") as refused:
        read_all(filled)
    assert "upgrade lua-cli" in (refused.value.hint or "")
    with EmbeddedRegistry(filled) as registry, pytest.raises(LuaError, match="newer lua-cli"):
        registry.put(AGENT, submission("2.0.0", "x", unchecked=True))
    assert filled.read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    raw(path, "CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with EmbeddedRegistry(path) as registry, pytest.raises(LuaError, match="not a registry of lua-cli"):
        registry.put(AGENT, submission())
    assert path.read_bytes() == before


def test_a_file_that_a_kill_left_empty_is_a_fresh_start(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    with EmbeddedRegistry(path) as registry:
        assert registry.skills(AGENT) == ()
        assert registry.put(AGENT, submission()).created


def test_a_locked_registry_is_unavailable_after_the_wait(filled: Path) -> None:
    holder = sqlite3.connect(filled, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with EmbeddedRegistry(filled, busy_seconds=0.05) as registry:
            assert registry.skills(AGENT), "readers do not wait for a writer"
            with pytest.raises(UnavailableError, match="is locked by another process") as refused:
                registry.put(AGENT, submission("2.0.0", "x", unchecked=True))
    finally:
        holder.close()
    one_line(refused.value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"this is a text file, not a database\n" * 200,
        lambda data: data[: len(data) // 2],
        lambda data: data[:100],
        lambda data: data[:50],
        lambda data: data[:4096] + b"\xff" * (len(data) - 4096),
        lambda data: b"\0" * len(data),
    ],
    ids=["text", "half", "header", "half a header", "pages overwritten", "zeros"],
)
def test_a_damaged_file_is_one_line_and_not_made_worse(filled: Path, spoil: Callable[[bytes], bytes]) -> None:
    damaged = spoil(filled.read_bytes())
    filled.write_bytes(damaged)
    for call in (lambda: read_all(filled), lambda: _put(filled)):
        with pytest.raises(LuaError, match=r"damaged|cannot read or write") as refused:
            call()
        one_line(refused.value)
    assert filled.read_bytes() == damaged


def _put(path: Path) -> None:
    with EmbeddedRegistry(path) as registry:
        registry.put(AGENT, submission("2.0.0", "x", unchecked=True))


def test_a_changed_byte_gives_the_right_answer_or_an_error(filled: Path) -> None:
    """Every 37th byte (every byte with LUA_FAULTS=all): never an answer that is wrong."""
    good, right = filled.read_bytes(), read_all(filled)
    step = 1 if os.environ.get("LUA_FAULTS") == "all" else 37
    caught = 0
    for position in range(0, len(good), step):
        bad = bytearray(good)
        bad[position] ^= 0xFF
        filled.write_bytes(bad)
        try:
            answers = read_all(filled)
        except LuaError as error:
            one_line(error)
            caught += 1
            continue
        missing = [answer for answer in right if answer not in answers]
        assert not missing, f"byte {position} gave another answer"
    assert caught > 20


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE deployments SET version = '1.0.0'",
        "UPDATE deployments SET author = 'eve'",
        "DELETE FROM deployments WHERE number = 1",
        "UPDATE versions SET facts = replace(facts, 'Orders', 'Others')",
        "UPDATE versions SET author = 'eve'",
        "UPDATE versions SET tools = '[]'",
        "UPDATE blobs SET content = x'00'",
        "DELETE FROM blobs",
    ],
)
def test_a_changed_record_is_damage_and_no_answer(filled: Path, statement: str) -> None:
    """As by a program that goes around the triggers, or by a disk."""
    triggers = "versions_stay", "versions_are_immutable", "deployments_stay", "deployments_are_immutable"
    raw(filled, "PRAGMA foreign_keys = OFF", *(f"DROP TRIGGER {name}" for name in triggers), statement)
    with pytest.raises(LuaError, match=r"is damaged: .* not what was") as refused:
        read_all(filled)
    one_line(refused.value)


def test_pushing_the_right_content_again_mends_a_damaged_copy(filled: Path) -> None:
    raw(filled, "UPDATE blobs SET content = x'00'")
    with EmbeddedRegistry(filled) as registry:
        with pytest.raises(LuaError, match=r"content of version 1\.0\.0 is not what was pushed"):
            registry.artifact(AGENT, "orders", "1.0.0")
        assert not registry.put(AGENT, submission("1.0.0")).created
        assert registry.artifact(AGENT, "orders", "1.0.0") == submission("1.0.0").content


@pytest.mark.parametrize("what", ["a folder in its place", "a file above it"])
def test_a_path_that_cannot_be_a_registry(path: Path, what: str) -> None:
    if what == "a folder in its place":
        path.mkdir(parents=True)
    else:
        path.parent.write_text("a file")
    with (
        EmbeddedRegistry(path) as registry,
        pytest.raises(LuaError, match=r"cannot (open|use) the registry") as refused,
    ):
        registry.put(AGENT, submission())
    one_line(refused.value)


PUSH = """
import sys, resource, pathlib
from lua_cli.errors import LuaError
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.registry.sample import AGENT, submission
limit = int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
version, word = sys.argv[3], sys.argv[4] * int(sys.argv[5])
try:
    with EmbeddedRegistry(pathlib.Path(sys.argv[1])) as registry:
        registry.put(AGENT, submission(version, word, unchecked=True))
    print("stored")
except LuaError as error:
    print(error.message, "|", error.hint)
"""


def push(
    path: Path, version: str, repeat: int = 1, *, limit: int = 0, prepare: Callable[[], object] | None = None
) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PUSH, str(path), str(limit), version, "w", str(repeat)],
        cwd=REPOSITORY,
        preexec_fn=prepare,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_file_size_limit_stops_a_push_that_leaves_nothing(filled: Path) -> None:
    said = push(filled, "2.0.0", repeat=100_000, limit=filled.stat().st_size + 200_000)
    assert "cannot read or write the registry" in said and "nothing was written" in said
    assert read_all(filled)[1][0].versions[-1].version == "1.1.0"  # type: ignore[index]
    assert push(filled, "2.0.0", repeat=100_000) == "stored", "the same push works where there is room"


@pytest.fixture
def small_disk(tmp_path: Path) -> object:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = sys.platform == "linux" and not subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True).returncode  # fmt: skip
    if not mounted:
        pytest.skip("mounting is not permitted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_stops_a_push_that_leaves_nothing(small_disk: Path) -> None:
    path = small_disk / "registry.db"
    assert push(path, "1.0.0") == "stored"
    said = push(path, "2.0.0", repeat=100_000)
    assert said == f"no space left for the registry {path}: nothing was written | free some space in {small_disk}"
    with EmbeddedRegistry(path) as registry:
        assert [record.version for record in registry.skills(AGENT)[0].versions] == ["1.0.0"]
    assert push(path, "1.0.1") == "stored", "what fits still goes in"


def test_a_disk_without_room_for_a_registry(small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(b"x" * (1024 * 1024 - 8192))
    said = push(small_disk / "registry.db", "1.0.0")
    assert "no space left" in said or "cannot read or write" in said
    (small_disk / "filler").unlink()
    assert push(small_disk / "registry.db", "1.0.0") == "stored"


def without_the_rights_of_root() -> None:
    """Root may write everywhere: take that right out of what the child will have, so that modes count for it, too."""
    if os.geteuid() == 0:
        drop_from_bounding_set, override, read_search = 24, 1, 2
        libc = ctypes.CDLL(None)
        for capability in (override, read_search):
            assert libc.prctl(drop_from_bounding_set, capability, 0, 0, 0) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_folder_that_may_not_be_written(filled: Path) -> None:
    filled.chmod(0o444)
    filled.parent.chmod(0o555)
    try:
        said = push(filled, "2.0.0", prepare=without_the_rights_of_root)
        assert "read-only" in said or "cannot open the registry" in said
        assert "LUA_DATA_DIR" in said
        fresh = push(filled.parent / "new" / "registry.db", "1.0.0", prepare=without_the_rights_of_root)
        assert "cannot use the registry" in fresh and "Permission denied" in fresh
    finally:
        filled.parent.chmod(0o755)
