"""lua.skill.toml: written whole, only when it changes, and never trusted."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lua_cli.bundle.exclusive import locked
from lua_cli.project.state import STATE_FILE, RegistryState, SkillState, State, read_state, update_state
from tests.conftest import REPOSITORY

ORDERS = SkillState("id-1", "1.0.0", "sha256:aa")


def push(
    root: Path, name: str = "orders", skill: SkillState = ORDERS, registry: str = "embedded", agent: str = "acme"
) -> bool:
    (root / ".lua").mkdir(exist_ok=True)
    change = lambda state: state.with_skills(registry, agent, {name: skill})  # noqa: E731
    return update_state(root, change, locked(root / ".lua" / "state.lock"))


def test_there_is_no_state_before_the_first_push(tmp_path: Path) -> None:
    assert read_state(tmp_path) == State()


def test_the_file_says_which_registry_agent_skills_and_versions(tmp_path: Path) -> None:
    assert push(tmp_path)
    text = (tmp_path / STATE_FILE).read_text("utf-8")
    assert text == (
        "# Written by lua-cli, made anew from the registry when it is gone. Nothing here is secret.\n"
        "\n"
        'registry = "embedded"\n'
        "\n"
        "[registries.embedded]\n"
        'agent = "acme"\n'
        "\n"
        "[registries.embedded.skills.orders]\n"
        'id = "id-1"\n'
        'version = "1.0.0"\n'
        'digest = "sha256:aa"\n'
    )
    assert read_state(tmp_path) == State("embedded", {"embedded": RegistryState("acme", {"orders": ORDERS})})


def test_several_skills_and_registries_stand_side_by_side(tmp_path: Path) -> None:
    push(tmp_path)
    push(tmp_path, "refunds. and more", SkillState("id-2", "2.0.0", "sha256:bb"))
    push(tmp_path, registry="https://lua.example.com", agent="agent_7")
    state = read_state(tmp_path)
    assert state.registry == "https://lua.example.com"
    assert set(state.registries["embedded"].skills) == {"orders", "refunds. and more"}
    assert state.registries["https://lua.example.com"] == RegistryState("agent_7", {"orders": ORDERS})


def test_another_agent_starts_anew(tmp_path: Path) -> None:
    push(tmp_path)
    push(tmp_path, "refunds", agent="renamed")
    assert read_state(tmp_path).registries["embedded"] == RegistryState("renamed", {"refunds": ORDERS})


def test_the_file_is_left_alone_when_nothing_changes(tmp_path: Path) -> None:
    push(tmp_path)
    path = tmp_path / STATE_FILE
    before = path.stat()
    assert not push(tmp_path)
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lua", STATE_FILE], "no temporary file is left"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<<<<<<< HEAD\nregistry = 1\n", "not valid TOML"),
        (b"\xff\xfe", "not UTF-8 (byte 0)"),
        (b"registry = 1\n", "not in the form"),
        (b"registries = 3\n", "not in the form"),
        (b"[registries.embedded]\n", "not in the form"),
        (b"[registries]\nembedded = 'x'\n", "not in the form"),
        (b"[registries.embedded]\nagent = 'a'\n[registries.embedded.skills]\norders = 1\n", "not in the form"),
        (b"[registries.embedded]\nagent = 'a'\n[registries.embedded.skills.orders]\nid = 'x'\n", "not in the form"),
    ],
)
def test_a_damaged_file_says_why_and_is_made_anew(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / STATE_FILE
    path.write_bytes(content)
    state = read_state(tmp_path)
    assert why in state.damaged
    assert state.registries == {}
    assert push(tmp_path)
    assert read_state(tmp_path) == State("embedded", {"embedded": RegistryState("acme", {"orders": ORDERS})})


def test_a_folder_in_its_place_is_damage_too(tmp_path: Path) -> None:
    (tmp_path / STATE_FILE).mkdir()
    assert read_state(tmp_path).damaged
    with pytest.raises(OSError):
        push(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lua", STATE_FILE], "no temporary file is left"


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_mode_and_link_stay_as_the_user_made_them(tmp_path: Path) -> None:
    real = tmp_path / "elsewhere.toml"
    real.touch()
    real.chmod(0o640)
    (tmp_path / STATE_FILE).symlink_to(real)
    push(tmp_path)
    assert (tmp_path / STATE_FILE).is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert tomllib.loads(real.read_text("utf-8"))["registry"] == "embedded"


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from tests.project.test_state import push\n"
        "for n in range(20): push(pathlib.Path(sys.argv[1]), f'{sys.argv[2]}-{n}')"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name], cwd=REPOSITORY) for name in "abcd"]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    assert len(read_state(tmp_path).registries["embedded"].skills) == 80
