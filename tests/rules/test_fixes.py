"""Fixes as a plan: which go together, what the bytes are then, and that writing is all or nothing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.diagnostics import Diagnostic, Edit, Fix, Place
from lua_cli.errors import LuaError
from lua_cli.project import Project, open_project
from lua_cli.rules.fixes import diff_of, plan_fixes, write_fixes

WriteProject = Callable[[Mapping[str, str]], Path]


def fixing(path: str, *edits: tuple[int, int, int, int, str]) -> Diagnostic:
    made = tuple(Edit(Place(path, *place), text) for *place, text in edits)
    return Diagnostic("lua/x", "warning", "m", Place(path, 1, 1, 1, 1), fix=Fix("Mend it", made))


@pytest.fixture
def project(write_project: WriteProject) -> Project:
    return open_project(write_project({"agent.py": "a = 1\nb = 2\nc = 3\n"}))


def fixed(project: Project, *diagnostics: Diagnostic) -> bytes:
    plan = plan_fixes(diagnostics, project)
    write_fixes(plan, project)
    return (project.root / "agent.py").read_bytes()


def test_edits_of_several_fixes_go_into_one_file(project: Project) -> None:
    first = fixing("agent.py", (1, 5, 1, 6, "10"), (3, 5, 3, 6, "30"))
    assert fixed(project, first, fixing("agent.py", (2, 1, 3, 1, ""))) == b"a = 10\nc = 30\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nnew = 0\r\nb = 2\r\n"),
        (b"a = 1\rb = 2\r", b"a = 1\rnew = 0\rb = 2\r"),
        (b"\xef\xbb\xbfa = 1\nb = 2", b"\xef\xbb\xbfa = 1\nnew = 0\nb = 2"),
        (
            "# -*- coding: latin-1 -*-\nb = 'größe'\n".encode("latin-1"),
            "# -*- coding: latin-1 -*-\nnew = 0\nb = 'größe'\n".encode("latin-1"),
        ),
        (b"a = '\x0c'\r\nb = 2\nc = 3\r\n", b"a = '\x0c'\r\nnew = 0\r\nb = 2\nc = 3\r\n"),
    ],
)
def test_everything_else_stays_byte_for_byte(project: Project, before: bytes, after: bytes) -> None:
    (project.root / "agent.py").write_bytes(before)
    assert fixed(project, fixing("agent.py", (2, 1, 2, 1, "new = 0\n"))) == after


def test_a_line_after_the_last_is_the_end(project: Project) -> None:
    (project.root / "agent.py").write_bytes(b"a = 1\n# gone")
    assert fixed(project, fixing("agent.py", (2, 1, 3, 1, ""))) == b"a = 1\n"


def test_fixes_that_overlap_wait_for_the_next_round(project: Project) -> None:
    first, same, other = (
        fixing("agent.py", (1, 1, 1, 6, "a = 9")),
        fixing("agent.py", (1, 1, 1, 6, "a = 9")),
        fixing("agent.py", (1, 5, 1, 6, "8"), (2, 5, 2, 6, "8")),
    )
    plan = plan_fixes([first, same, other], project)
    assert plan.applied == (first, same)
    assert plan.left == ((other, "another fix changes the same place: run it again"),)
    assert plan.changes[0].after == b"a = 9\nb = 2\nc = 3\n"


def test_a_fix_that_breaks_the_file_is_not_taken(project: Project) -> None:
    broken, good = fixing("agent.py", (1, 5, 1, 6, "(")), fixing("agent.py", (2, 5, 2, 6, "7"))
    plan = plan_fixes([broken, good], project)
    assert [reason for _, reason in plan.left] == ["the result would not be valid Python"]
    assert plan.changes[0].after == b"a = 1\nb = 7\nc = 3\n"


def test_a_file_that_is_broken_already_is_left_alone(project: Project) -> None:
    (project.root / "agent.py").write_text("a = (\n")
    plan = plan_fixes([fixing("agent.py", (1, 1, 1, 2, "b"))], project)
    assert (plan.changes, plan.left[0][1]) == ((), "the file is not valid Python")


def test_what_cannot_be_written_in_the_encoding_is_not_taken(project: Project) -> None:
    (project.root / "agent.py").write_bytes("# coding: latin-1\na = 'ä'\n".encode("latin-1"))
    plan = plan_fixes([fixing("agent.py", (2, 5, 2, 8, "'検'"))], project)
    assert (plan.changes, plan.left[0][1]) == ((), "the result would not be valid Python")


def test_files_outside_of_the_project_are_left_alone(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("a = 1\n")
    plan = plan_fixes([fixing(str(outside), (1, 5, 1, 6, "2")), fixing("gone.py", (1, 1, 1, 1, "x"))], project)
    assert plan.changes == ()
    assert plan.left[0][1] == "the file is not the project's"
    assert plan.left[1][1].startswith("the file cannot be read")


def test_the_diff_is_one_that_git_applies(project: Project) -> None:
    (project.root / "agent.py").write_bytes(b"a = 1\r\nb = 2")
    plan = plan_fixes([fixing("agent.py", (2, 5, 2, 6, "3"))], project)
    diff = diff_of(plan)
    assert diff.startswith("--- a/agent.py\n+++ b/agent.py\n@@ ")
    assert (project.root / "agent.py").read_bytes() == b"a = 1\r\nb = 2"
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=project.root, check=True)
    assert (project.root / "agent.py").read_bytes() == b"a = 1\r\nb = 3" == plan.changes[0].after


def test_writing_keeps_mode_and_links(project: Project) -> None:
    entry, real = project.root / "agent.py", project.root / "real.py"
    entry.rename(real)
    entry.symlink_to(real)
    real.chmod(0o755)
    fixed(project, fixing("agent.py", (1, 5, 1, 6, "2")))
    assert entry.is_symlink()
    assert (real.read_text()[:5], real.stat().st_mode & 0o777) == ("a = 2", 0o755)


def test_when_one_file_cannot_be_written_none_is(write_project: WriteProject) -> None:
    project = open_project(write_project({"agent.py": "a = 1\n", "sub/tools.py": "b = 1\n"}))
    diagnostics = [fixing("agent.py", (1, 5, 1, 6, "2")), fixing("sub/tools.py", (1, 5, 1, 6, "2"))]
    plan = plan_fixes(diagnostics, project)
    shutil.rmtree(project.root / "sub")
    with pytest.raises(LuaError, match="cannot write"):
        write_fixes(plan, project)
    assert sorted(path.name for path in project.root.iterdir()) == ["agent.py", "pyproject.toml"]
    assert (project.root / "agent.py").read_text() == "a = 1\n"
