"""The process that reads beside a compile: what it gives is what would have been read; without it, nothing is missing."""

from __future__ import annotations

import hashlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lua_cli.source import beside as module
from lua_cli.source import ir
from lua_cli.source.beside import Beside, can_begin, probable_files
from lua_cli.source.lowering import lower
from lua_cli.source.parsing import parse
from lua_cli.source.readings import readings_of
from lua_cli.source.store import entry_of
from tests.conftest import Result

pytestmark = pytest.mark.skipif(not can_begin(), reason="one core, or a system without memfd")

TEXTS = {
    "plain.py": "import os\nKEY = os.environ['KEY']\n\n\nclass A:\n    name = 'a'\n\n    def run(self):\n        return 1\n",
    "broken.py": "def (:\n",
    "latin.py": "# -*- coding: utf-8 -*-\nx = '\u00e9'\n",
}
PARTS = {0: "class A(B):\n    name = 'a' 'b'\n", 3: "class C:\n    x = 1\n", 4: "class (", 5: "X = 1\n"}


def statements(*, changed: Collection[int] = ()) -> dict[int, tuple[str, ir.Stmt]]:
    """Statements as `ast` reads them; at the numbers that are `changed`, as if it read something else."""

    def placed(text: str) -> tuple[str, ir.Stmt]:
        return text, lower(parse(text), text).body[0]

    other = placed("X = 2\n")[1]
    return {at: (text, other) if at in changed or text == "class (" else placed(text) for at, text in PARTS.items()}


ALIKE, OTHERWISE = statements(), statements(changed=[3, 5])


@pytest.fixture
def process() -> Iterator[Beside]:
    found = Beside()
    yield found
    found.end()
    found.end()


def written(folder: Path) -> dict[Path, str]:
    out = {}
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
        out[folder / name] = hashlib.sha256(text.encode()).hexdigest()
    return out


def read_whole(process: Beside, files: Mapping[Path, str], *, with_reads: bool = True) -> None:
    """Ask something, which is answered after all files were read or the reading was broken off; then wait for each."""
    process.read(list(map(str, files)), with_reads=with_reads)
    until = time.monotonic() + 60
    while process._marks[0] != module._DONE and time.monotonic() < until:  # the first file is the last to be read
        time.sleep(0.01)


@pytest.mark.parametrize("with_reads", [True, False])
def test_what_it_reads_is_what_would_be_read(process: Beside, tmp_path: Path, with_reads: bool) -> None:
    files = written(tmp_path)
    read_whole(process, files, with_reads=with_reads)
    for path, digest in files.items():
        entry = process.take(path, digest)
        if path.name == "broken.py":
            assert entry is None, "whoever asks has to say what is wrong with it"
        else:
            assert entry == entry_of(path.read_text("utf-8"), with_reads=with_reads)[1]
            assert process.take(path, "0" * 64) is None, "its content was another one"
    assert process.take(tmp_path / "other.py", "0" * 64) is None


def test_libcst_reads_there_what_it_reads_here(process: Beside) -> None:
    differing = {at: readings_of(PARTS)[at] for at in (3, 5)}
    assert list(process.ask([ALIKE, OTHERWISE, {}])()) == [{}, differing, {}]
    assert list(process.ask([OTHERWISE])()) == [differing], "and again"
    assert list(process.ask([])()) == []


def test_what_is_held_is_given_again_as_long_as_it_lasts(process: Beside) -> None:
    first, second = process.hold(b"first"), process.hold(b"x" * 100_000)
    assert first is not None
    assert second is not None
    assert list(process.ask([OTHERWISE])()) == [{at: readings_of(PARTS)[at] for at in (3, 5)}], "a question between"
    assert (first(), second(), first()) == (b"first", b"x" * 100_000, b"first")
    process.end()
    assert first() is None


def test_one_that_is_gone_is_missed_by_nobody(process: Beside, tmp_path: Path) -> None:
    os.kill(process._pid, signal.SIGKILL)
    files = written(tmp_path)
    process.read(list(map(str, files)), with_reads=True)
    assert [process.take(path, digest) for path, digest in files.items()] == [None] * len(files)
    assert list(process.ask([OTHERWISE, {}])()) == [{at: readings_of(PARTS)[at] for at in (3, 5)}, {}]


def test_what_is_looked_for(tmp_path: Path) -> None:
    names = (
        "a.py",
        "in/b.py",
        ".hidden/c.py",
        "venv/pyvenv.cfg",
        "venv/lib/d.py",
        "out/e.py",
        "node_modules/f.py",
        "g.txt",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = probable_files((tmp_path, tmp_path / "in"), (tmp_path / "out",))
    assert sorted(Path(path).relative_to(tmp_path).as_posix() for path in found) == ["a.py", "in/b.py"]


def test_a_compile_says_the_same_with_and_without_it(
    write_project: Callable[[Mapping[str, str]], Path], lua: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = "from lua_cli import LuaTool\nclass {n}(LuaTool):\n    name = '{n}'\n    description = 'd'\n    def execute(self, input: dict): return 1\n"
    agent = "from lua_cli import LuaAgent, LuaSkill\n" + "".join(f"from m{n} import T{n}\n" for n in range(30))
    agent += f"agent = LuaAgent('acme', 'p', [LuaSkill('s', 'd', 'c', [{', '.join(f'T{n}()' for n in range(30))}])])\n"
    root = write_project({"agent.py": agent, **{f"m{n}.py": tool.format(n=f"T{n}") for n in range(30)}})
    made: list[Beside] = []
    whole = Beside.__init__
    monkeypatch.setattr(Beside, "__init__", lambda self: (whole(self), made.append(self))[0])
    said: list[Any] = [json.loads(lua("compile", "--check", "--json", cwd=root).stdout)]
    assert [one._pid for one in made] == [0], "begun once, and ended"
    monkeypatch.setattr(module, "can_begin", lambda: False)
    said.append(json.loads(lua("compile", "--check", "--json", cwd=root).stdout))
    assert len(made) == 1
    assert said[0] == said[1]


def test_a_project_of_flows_alone_needs_none(
    write_project: Callable[[Mapping[str, str]], Path], lua: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_project({"flows/a.yaml": "flows: [{name: f, process: [{type: log}]}]\n"})
    assert lua("compile", cwd=root).exit_code == 0
    monkeypatch.setattr(Beside, "__init__", lambda _self: pytest.fail("begun"))
    (root / "flows" / "a.yaml").write_text("flows: [{name: g, process: [{type: log}]}]\n")
    assert lua("compile", cwd=root).exit_code == 0


def test_it_holds_no_pipe_of_others_open() -> None:
    """A child that is told to end by the end of a pipe (child/supervise.py) would not hear of it."""
    reading, writing = os.pipe()
    process = Beside()
    try:
        process.read([], with_reads=True)  # it runs by now, or soon
        os.close(writing)
        assert select.select([reading], [], [], 30)[0] == [reading]
        assert os.read(reading, 1) == b""
    finally:
        process.end()
        os.close(reading)


def test_where_no_file_may_be_written_all_is_read_by_whoever_asks(
    write_project: Callable[[Mapping[str, str]], Path],
) -> None:
    """Files without names count, too: `ulimit -f 0`."""
    tool = "from lua_cli import LuaTool\nclass T(LuaTool):\n    name = 't'\n    description = 'd'\n    def execute(self, input: dict): return 1\n"
    agent = "from lua_cli import LuaAgent, LuaSkill\nfrom m import T\nagent = LuaAgent('a', 'p', [LuaSkill('s', 'd', 'c', [T()])])\n"
    root = write_project({"agent.py": agent, "m.py": tool})
    checking = "from lua_cli.main import main; main(['compile', '--check', '--json'])"
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); {checking}"
    runs = [
        subprocess.run([sys.executable, "-B", "-c", code], cwd=root, capture_output=True, check=True, timeout=120)
        for code in (checking, limited)
    ]
    assert runs[0].stdout
    assert runs[0].stdout == runs[1].stdout
