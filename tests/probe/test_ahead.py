"""A child that was begun before its order is gone with its folder, however the compile ends."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lua_cli.child import begin as beginning
from lua_cli.child.environment import child_environment
from lua_cli.child.launch import Order, start_child
from lua_cli.errors import LuaError
from lua_cli.probe import ahead as looking
from lua_cli.probe import inspecting
from lua_cli.probe.ahead import Ahead
from lua_cli.project import Project, open_project
from tests.conftest import Result

pytestmark = pytest.mark.skipif(os.name != "posix", reason="tools run on Linux and macOS only")

WriteProject = Callable[[Mapping[str, str]], Path]
Lua = Callable[..., Result]

AGENT = """\
from lua_cli import LuaAgent, LuaSkill, LuaTool


class Find(LuaTool):
    name = "find"
    description = "Find an order. Use when the customer asks for one."
    input_schema = {"type": "object", "properties": {"order": {"type": "string"}}}

    def execute(self, input):
        return input["order"]


agent = LuaAgent(name="shop", persona="You sell tea.", skills=[LuaSkill("orders", "Orders", "For orders.", [Find()])])
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src/agent.py").write_text("from lua_cli import LuaAgent\n\nagent = LuaAgent(name='shop', skills=[])\n")
    (root / "pyproject.toml").write_text("[project]\nname = 'shop'\nversion = '1'\n\n[tool.lua]\n")
    return open_project(root)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders of runs are made."""
    folder = tmp_path / "places"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def begun_in(folder: str) -> beginning.Begun:
    environment = beginning.environment_in(folder, child_environment({}))
    return beginning.begin(sys.executable, environment, folder)


def test_an_interrupt_while_it_is_begun_leaves_no_folder(
    project: Project, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_given: Any, **_named: Any) -> None:
        assert list(places.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(looking, "begin", interrupted)
    ahead = Ahead()
    try:
        with pytest.raises(KeyboardInterrupt):
            ahead.begin(project)
    finally:
        ahead.drop()
    assert not list(places.iterdir())


def test_a_child_that_nobody_took_is_dropped_with_its_folder(project: Project, places: Path) -> None:
    ahead = Ahead()
    ahead.begin(project)
    assert len(list(places.iterdir())) == 1
    ahead.drop()
    assert not list(places.iterdir())
    assert ahead.take() is None


def test_where_no_folder_can_be_made_there_is_no_child(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_prefix: str) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(looking, "new_folder", full)
    ahead = Ahead()
    ahead.begin(project)
    assert ahead.take() is None


def test_a_child_without_an_order_removes_its_folder_when_nobody_is_left(places: Path) -> None:
    begun = begun_in(beginning.new_folder())
    begun.close_pipes()
    assert begun.process.wait(60)
    assert not list(places.iterdir())


def test_a_child_at_work_removes_its_folder_when_nobody_is_left(places: Path, tmp_path: Path) -> None:
    folder = Path(beginning.new_folder())
    artifact = tmp_path / "artifact"
    artifact.mkdir()
    (artifact / "slow.py").write_text(
        "import sys, time\nfrom pathlib import Path\nPath('kept.txt').write_text('x')\nprint('here')\ntime.sleep(100)\n"
    )
    skill = {"skill": "slow", "artifact": str(artifact), "tools": [["slow", "Slow"]], "condition": None}
    body = {"do": "look", "skills": [skill], "hidden": [], "pydantic": False, "values": {}, "each": 100.0}
    begun = begun_in(str(folder))
    order = Order(Path(sys.executable), body, {}, folder, 100.0, finals="", begun=begun)
    child, request, _ = start_child(order)
    child.order(request)
    child.pump(lambda: 60.0, lambda: bool(child.take_log()))
    assert (folder / "work/kept.txt").exists()
    begun.close_pipes()
    assert begun.process.wait(60)
    assert not list(places.iterdir())


def test_a_folder_that_cannot_be_made_whole_is_made_elsewhere(
    places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("TEMP", str(other))
    make = os.mkdir

    def full(path: str, *mode: int) -> None:
        if path.startswith(str(places)) and path.endswith("home"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        make(path, *mode)

    monkeypatch.setattr(os, "mkdir", full)
    assert Path(beginning.new_folder()).parent == other
    assert not list(places.iterdir())


def test_where_descriptors_are_few_none_is_kept(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(os.listdir("/dev/fd"))
    left, make = [4], os.pipe

    def pipe() -> tuple[int, int]:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return make()

    monkeypatch.setattr(os, "pipe", pipe)
    with pytest.raises(LuaError, match="Too many open files"):
        begun_in(beginning.new_folder())
    assert sorted(os.listdir("/dev/fd")) == before


def test_tools_are_looked_at_under_a_low_limit_of_open_files(write_project: WriteProject) -> None:
    root = write_project({"agent.py": AGENT})
    low = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))\n"
    line = f"{low}import sys; from lua_cli.main import run; sys.argv[1:] = ['compile']; run()"
    done = subprocess.run([sys.executable, "-c", line], cwd=root, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done.stdout


@pytest.mark.parametrize("cores", [1, 2])
def test_home_and_temporary_files_are_the_run_s_where_a_tool_asks_for_them(
    cores: int, write_project: WriteProject, lua: Lua, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A declared variable has the user's value, but for these two: they are what they are in a run."""
    monkeypatch.setattr(inspecting, "cores", lambda: cores)
    monkeypatch.setenv("HOME", "/home/of/the/user")
    monkeypatch.setenv("SHOP", "tea")
    shown = "[os.environ['HOME'], os.environ['TMPDIR'], os.environ['SHOP']]"
    source = AGENT.replace("class Find", f"SEEN = {shown}\n\n\nclass Find").replace(
        '{"type": "string"}', '{"type": "string", "enum": SEEN}'
    )
    root = write_project({"agent.py": f"import os\n\n{source}"})
    document = json.loads(lua("compile", "--json", cwd=root).stdout)
    home, temporary, shop = document["tools"][0]["inputSchema"]["properties"]["order"]["enum"]
    assert Path(home).parent == Path(temporary).parent
    assert Path(home).parent.parent == places
    assert shop == "tea"
