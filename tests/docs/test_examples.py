"""What pages show is run: files make a project that compiles with nothing to say, other Python runs from top to bottom."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lua_cli.scaffold import scaffold, template_named
from tests.docs.blocks import PAGES, REPOSITORY, blocks

HERE = [page for page in PAGES if page.name != "rules.md"]  # its examples are run by the rules' own tests
WITH_FILES = [page for page in HERE if any(block.title for block in blocks(page))]
WITH_PYTHON = [page for page in HERE if any(b.language == "python" and not (b.title or b.bad) for b in blocks(page))]


@pytest.mark.parametrize("page", WITH_FILES, ids=lambda page: page.name)
def test_the_files_of_a_page_are_a_project_that_compiles(
    page: Path, tmp_path: Path, lua: Callable[..., object]
) -> None:
    root = scaffold(template_named("orders"), tmp_path / "project", "documented").root
    shutil.rmtree(root / "tests")
    for block in blocks(page):
        if block.title:
            (root / block.title).parent.mkdir(parents=True, exist_ok=True)
            (root / block.title).write_text(block.text, encoding="utf-8")
    # a page shows the files that it speaks of, and not always the one that registers a tool
    compiled = lua("compile", "--ci", "--strict", "--ignore", "unused-tool", "--format", "concise", cwd=root)
    assert (compiled.exit_code, compiled.stdout) == (0, ""), compiled
    if (root / "tests").exists():
        tested = lua("test", "--ci", cwd=root)
        assert tested.exit_code == 0, tested


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    """In a process of its own, each block at its own line of the page, so that a traceback points there."""
    parts = [b for b in blocks(page) if b.language == "python" and not (b.title or b.bad)]
    program = "\n".join(
        f"exec(compile({chr(10) * (block.line - 1) + block.text!r}, {page.name!r}, 'exec'))" for block in parts
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_pages_with_examples_are_found() -> None:
    assert {page.name for page in WITH_FILES} >= {"add-a-tool.md", "write-context.md"}
    assert REPOSITORY / "docs/reference.md" in WITH_PYTHON
