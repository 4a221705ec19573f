"""The project that tests of this folder edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.shop import FILES, Lua, Shop


@pytest.fixture
def shop(write_project: Callable[[dict[str, str]], Path], lua: Lua, monkeypatch: pytest.MonkeyPatch) -> Shop:
    import lua_cli.source.index as module

    read: list[object] = []
    real = module.SourceIndex.entry

    def counted(index: module.SourceIndex) -> Any:
        read.append(index)
        return real(index)

    monkeypatch.setattr(module.SourceIndex, "entry", counted)
    root = write_project(FILES)
    assert lua("compile", cwd=root).exit_code == 0
    return Shop(root, lua, read)
