"""Facts that were kept are those that reading gives, and whatever is wrong with what is kept, it is as if nothing was."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path

import pytest

from lua_cli.project import open_project
from lua_cli.source import SourceIndex
from lua_cli.source.store import FactsStore

SOURCES = {
    "agent.py": "from other import *\nfrom lua_cli import LuaAgent\n\nagent = LuaAgent(name='a', skills=[])\n",
    "other.py": (
        "import os\nfrom pathlib import Path\n\nX: int = -1\nY = (1j, ..., b'\\0', 2.5, None, True, 10**40, 'é')\n\n\n"
        "class A:\n    '''Doc.'''\n\n    def f(self, a: int = 3, *b: str, **c: object) -> None:\n        global X\n"
        "        X = int(os.environ['X'])\n        open(Path(__file__).parent / 'a.csv')\n        yield 1\n"
    ),
}


def read_all(root: Path, store: FactsStore | None, *, reads: bool = True) -> list[object]:
    index = SourceIndex(open_project(root), store, reads=reads)
    out: list[object] = []
    for name in ("agent", "other"):
        location = index.locate(name)
        assert location is not None
        out += [index.facts(location), index.imports(location), index.env_reads(location), index.data_reads(location)]
        out += [location.path and index.outline(location.path, ())]
    return out


def whole(store: FactsStore) -> bytes:
    """The file as it is to be."""
    parts = store.content()
    assert parts is not None
    return b"".join(parts)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "pyproject.toml").write_text("[tool.lua]\n")
    store = FactsStore(tmp_path / "facts.bin", "me")
    read_all(tmp_path, store)
    (tmp_path / "facts.bin").write_bytes(whole(store))
    return tmp_path


def test_what_is_kept_is_what_is_read(kept: Path) -> None:
    store = FactsStore(kept / "facts.bin", "me")
    assert read_all(kept, store) == read_all(kept, None)
    assert store.content() is None, "everything came out of the store: there is nothing to write"


def test_what_is_read_for_a_check_is_read_whole_where_it_is_asked_for(kept: Path) -> None:
    assert read_all(kept, None, reads=False) == read_all(kept, None)
    assert read_all(kept, FactsStore(kept / "facts.bin", "me", writes=False), reads=False) == read_all(kept, None)


def test_what_nobody_asks_for_any_more_is_dropped(kept: Path) -> None:
    (kept / "other.py").write_text("X = 2\n")
    store = FactsStore(kept / "facts.bin", "me")
    assert read_all(kept, store) == read_all(kept, None)
    (kept / "facts.bin").write_bytes(whole(store))
    assert sorted(FactsStore(kept / "facts.bin", "me")._entries()) == sorted(
        hashlib.sha256((kept / name).read_bytes()).hexdigest() for name in SOURCES
    )


@pytest.mark.parametrize("at", range(0, 101, 4))
def test_damage_is_as_good_as_nothing(kept: Path, at: int) -> None:
    path = kept / "facts.bin"
    content = path.read_bytes()
    position = (len(content) - 1) * at // 100
    for damaged in (content[:position], content[:position] + bytes([content[position] ^ 16]) + content[position + 1 :]):
        path.write_bytes(damaged)
        assert read_all(kept, FactsStore(path, "me")) == read_all(kept, None)


def test_facts_of_another_program_are_not_used(kept: Path) -> None:
    store = FactsStore(kept / "facts.bin", "somebody else")
    assert read_all(kept, store) == read_all(kept, None)
    assert store.content() is not None


class Evil:
    def __reduce__(self) -> object:
        return os.mkdir, ("made",)


def test_nothing_but_facts_is_made_of_what_is_kept(kept: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever can write the file can state its checksum too."""
    monkeypatch.chdir(tmp_path)
    store = FactsStore(kept / "facts.bin", "me")
    digest = SourceIndex(open_project(kept))
    location = digest.locate("other")
    assert location is not None
    digest.facts(location)
    assert location.path is not None
    evil = pickle.dumps(Evil())
    store.put(digest.read[location.path], len(evil).to_bytes(4, "little") + evil)
    (kept / "facts.bin").write_bytes(whole(store))
    assert read_all(kept, FactsStore(kept / "facts.bin", "me")) == read_all(kept, None)
    assert not (tmp_path / "made").exists()


def test_what_another_process_holds_is_kept_as_if_it_was_read_here(kept: Path) -> None:
    """A process that is gone gives nothing any more: then it is read here."""
    there = FactsStore(kept / "facts.bin", "me")
    entries = {hashlib.sha256(text.encode()).hexdigest(): b"" for text in SOURCES.values()}
    for digest in entries:
        entries[digest] = bytes(there.get(digest) or b"")
    store = FactsStore(kept / "new.bin", "me")
    for digest, entry in entries.items():
        store.lend(digest, lambda entry=entry: entry)
    assert read_all(kept, store) == read_all(kept, None)
    (kept / "new.bin").write_bytes(whole(store))
    assert {key: bytes(value) for key, value in FactsStore(kept / "new.bin", "me")._entries().items()} == entries
    for digest in entries:
        store.lend(digest, lambda: None)
    assert read_all(kept, store) == read_all(kept, None)


def test_statements_that_were_read_alike_are_remembered(kept: Path) -> None:
    store = FactsStore(kept / "facts.bin", "me")
    assert not store.agreed("d", "1 2")
    store.agree("d", "1 2")
    (kept / "facts.bin").write_bytes(whole(store))
    again = FactsStore(kept / "facts.bin", "me")
    assert again.agreed("d", "1 2")
    assert not again.agreed("d", "1 3")
    assert not again.agreed("e", "1 2")
