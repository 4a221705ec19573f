"""The object store outlives its process, and refuses what it cannot keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from lua_cli.runtime.flows.message import BlockError
from lua_cli.runtime.flows.objects import ObjectStore


def test_values_outlive_the_store(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path / "new" / "objects.db")
    store.write("a", {"b": [1, None]})
    store.write("a", {"b": [2]})
    store.close()
    store.close()
    assert ObjectStore(tmp_path / "new" / "objects.db").read("a") == (True, {"b": [2]})


def test_two_stores_share_a_file(tmp_path: Path) -> None:
    one, other = (ObjectStore(tmp_path / "objects.db") for _ in range(2))
    one.write("a", 1)
    assert other.read("a") == (True, 1)
    other.delete("a")
    assert one.read("a") == (False, None)


def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "objects.db").write_text("this is no database, and it is long enough to be seen as one" * 20)
    with pytest.raises(BlockError, match="the object store cannot be used"):
        ObjectStore(tmp_path / "objects.db").read("a")
    store = ObjectStore(None)
    for key in ("", "k" * 1025, "\ud800"):
        with pytest.raises(BlockError):
            store.write(key, 1)
    with pytest.raises(BlockError, match="larger than 10 MiB"):
        store.write("a", "x" * 10 * 1024**2)
