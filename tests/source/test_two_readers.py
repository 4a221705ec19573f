"""The two readers say the same: libcst, whose reading is judged and rewritten, and `ast`, which finds the statements.

The files are real ones: the program's own and the templates'.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lua_cli.source import ir
from lua_cli.source.cst import read
from lua_cli.source.grafting import equal, is_fit, pruned
from lua_cli.source.lowering import lower
from lua_cli.source.parsing import parse
from tests.conftest import REPOSITORY

FILES = sorted([*(REPOSITORY / "lua_cli").rglob("*.py"), *(REPOSITORY / "templates").rglob("*.py")])
FOLDERS = sorted({path.parent for path in FILES})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(REPOSITORY)))
def test_libcst_and_ast_read_the_same(folder: Path) -> None:
    compared = 0
    for path in (file for file in FILES if file.parent == folder):
        text = path.read_text("utf-8")
        lines = text.split("\n")
        for statement in lower(parse(text), text).body:
            if isinstance(statement, ir.Import | ir.FromImport | ir.Function):
                continue
            source = pruned(statement, lines)
            if not is_fit(statement, len(source)):
                continue
            (reading,) = read(source)
            assert equal(reading, statement), f"{path.relative_to(REPOSITORY)}:{statement.span[0]}\n{source}"
            compared += 1
    assert compared or all(file.stat().st_size < 600 for file in FILES if file.parent == folder)


def test_a_difference_would_be_seen() -> None:
    text = "class A:\n    name = 'a'\n"
    (statement,) = lower(parse(text), text).body
    (other,) = read("class A:\n    name = 'b'\n")
    assert not equal(other, statement)
