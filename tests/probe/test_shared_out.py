"""The skills are shared out to children, one for each core; what is seen is the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.analysis import analyse
from lua_cli.bundle import collect
from lua_cli.bundle.model import Requirement
from lua_cli.probe import inspecting
from lua_cli.project import open_project
from lua_cli.source import SourceIndex

WriteProject = Callable[[Mapping[str, str]], Path]

SKILLS = 7
HEAD = "import os\nfrom lua_cli import LuaAgent, LuaSkill, LuaTool\n"
TOOL = """\
class Tool{n}(LuaTool):
    name = "tool_{n}"
    description = "Do the thing number {n}. Use when it is asked for."
    input_schema = {{"type": "object", "properties": {{"a{n}": {{"type": "string"}}}}}}
    def execute(self, input):
        return {n}
"""


def test_every_skill_is_seen_and_one_that_crashes_takes_none_along(
    write_project: WriteProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {f"m{n}.py": HEAD + TOOL.format(n=n) for n in range(SKILLS)}
    modules["m3.py"] += "os._exit(5)\n"
    imports = "".join(f"from m{n} import Tool{n}\n" for n in range(SKILLS))
    skills = ", ".join(f"LuaSkill('s{n}', 'd', 'c', [Tool{n}()])" for n in range(SKILLS))
    root = write_project({**modules, "agent.py": f"{HEAD}{imports}agent = LuaAgent('a', 'p', [{skills}])\n"})
    project = open_project(root)
    index = SourceIndex(project)
    drafts = collect(analyse(project, index), index, project, None).drafts
    monkeypatch.setattr(inspecting, "_START", 0)
    found = []
    for count in (1, 3):
        monkeypatch.setattr(inspecting, "cores", lambda count=count: count)
        found.append(inspecting.inspect(drafts, project, root / f"cache{count}"))
    assert found[0].seen == found[1].seen
    assert [finding.facts for finding in found[0].findings] == [finding.facts for finding in found[1].findings]
    seen = found[1].seen
    assert list(seen) == [f"s{n}" for n in range(SKILLS)]
    assert [skill for skill, one in seen.items() if one.error] == ["s3"]
    assert seen["s6"].tools["m6:Tool6"].schema == {"type": "object", "properties": {"a6": {"type": "string"}}}


def test_an_interrupt_ends_the_children(write_project: WriteProject, tmp_path: Path) -> None:
    """Each looks at a module that never comes to an end; whoever waits for it may stop."""
    waiting = (
        "import os, time, platformdirs\nopen(os.environ['SEEN'] + str(os.getpid()), 'w').close()\ntime.sleep(600)\n"
    )
    modules = {f"m{n}.py": HEAD + TOOL.format(n=n) + waiting for n in range(4)}
    imports = "".join(f"from m{n} import Tool{n}\n" for n in range(4))
    skills = ", ".join(f"LuaSkill('s{n}', 'd', 'c', [Tool{n}()])" for n in range(4))
    root = write_project({**modules, "agent.py": f"{HEAD}{imports}agent = LuaAgent('a', 'p', [{skills}])\n"})
    (tmp_path / "seen").mkdir()
    environment = {**os.environ, "SEEN": f"{tmp_path}/seen/"}
    (root / ".env").write_text(f"SEEN={tmp_path}/seen/\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "lua_cli", "compile"], cwd=root, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while not any((tmp_path / "seen").iterdir()) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=25)  # a skill has 30 seconds
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, errors.splitlines()[-1]) == (130, "interrupted")
    left = [Path("/proc") / path.name for path in (tmp_path / "seen").iterdir()]
    until = time.monotonic() + 20  # who kills them needs a moment
    while any(path.exists() for path in left) and time.monotonic() < until:
        time.sleep(0.02)
    assert [path for path in left if path.exists()] == []


@pytest.mark.parametrize(
    ("sizes", "count", "groups"),
    [
        ([1], 4, [[1]]),
        ([1, 1, 1], 4, [[1, 1, 1]]),
        ([20] * 4, 2, [[20] * 4]),  # to begin a child would take longer
        ([20] * 12, 2, [[20] * 8, [20] * 4]),
        ([20] * 50, 2, [[20] * 27, [20] * 23]),
        ([500, 100, 100, 100], 2, [[500], [100, 100, 100]]),
    ],
)
def test_groups_are_done_at_about_the_same_time(sizes: list[int], count: int, groups: list[list[int]]) -> None:
    assert _shared_out([_Draft(size) for size in sizes], count) == groups


@pytest.mark.parametrize(
    ("packages", "groups"),
    [(("numpy.linalg",), [[1, 1], [1, 1]]), (("pydantic", "pydantic.fields"), [[1, 1, 1, 1]])],
)
def test_skills_that_load_packages_are_looked_at_beside_each_other(packages: tuple[str, ...], groups: object) -> None:
    assert _shared_out([_Draft(1, *packages) for _ in range(4)], 2) == groups


class _Draft:
    def __init__(self, size: int, *packages: str) -> None:
        self.tools = [None] * size
        self.requires = [Requirement(name, "a.py:1", (), "", "") for name in packages]


def _shared_out(drafts: list[_Draft], count: int) -> list[list[int]]:
    found = inspecting.shared_out(drafts, count)  # type: ignore[arg-type]
    return [[len(each.tools) for each in group] for group in found]
