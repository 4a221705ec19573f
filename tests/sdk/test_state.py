"""`User`, `Data` and `ScriptedModel`, in a plain Python process: nobody is known, and data lives in memory."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lua_cli import Data, ScriptedModel, StateError, User
from lua_cli.sdk.scripted import ScriptEndedError, ScriptError
from lua_cli.sdk.state import connect, memory
from lua_cli.sdk.store import Store


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    store = Store(":memory:")
    connect(memory(store))
    yield
    connect(None)
    store.close()


def test_nobody_is_known() -> None:
    assert User.get() is None


def test_the_user_and_what_is_known() -> None:
    store = Store(":memory:")
    connect(memory(store, {"id": "ada", "data": {"plan": "gold"}}))
    user = User.get()
    assert user is not None
    assert (user.id, user.data, repr(user)) == ("ada", {"plan": "gold"}, "User('ada')")
    assert user.update({"plan": "free"}, visits=2) == {"plan": "free", "visits": 2}
    again = User.get()
    assert again is not None
    assert again.data == user.data == {"plan": "free", "visits": 2}
    store.close()


def test_records() -> None:
    note = Data.create("notes", {"text": "likes the blue one", "count": 1})
    assert note == {"id": note.id, "data": {"text": "likes the blue one", "count": 1}}
    assert Data.get("notes", note.id) == note
    assert Data.get("others", note.id) is None
    assert Data.update("notes", note.id, {"count": 2}).data == {"text": "likes the blue one", "count": 2}
    assert Data.delete("notes", note.id) is True
    assert Data.delete("notes", note.id) is False
    assert Data.get("notes", note.id) is None


def test_search() -> None:
    blue = Data.create("notes", {"text": "likes the blue one", "of": ["Ada"]})
    red = Data.create("notes", {"text": "RED, and Übergrößen"})
    Data.create("others", {"text": "blue"})
    named = Data.create("notes", {"text": "blue"}, text="something else")
    assert [record.id for record in Data.search("notes", "blue")] == [blue.id]
    assert Data.search("notes", "blue")[0].score is not None
    assert [record.id for record in Data.search("notes", "ubergroßen")] == [red.id]
    assert [record.id for record in Data.search("notes", "ada")] == [blue.id]
    assert [record.id for record in Data.search("notes", "else")] == [named.id]
    assert [record.id for record in Data.search("notes")] == [named.id, red.id, blue.id]
    assert len(Data.search("notes", limit=2)) == 2
    Data.update("notes", blue.id, {"text": "green"})
    assert Data.search("notes", "blue") == []
    assert [record.id for record in Data.search("notes", "green")] == [blue.id]
    Data.delete("notes", blue.id)
    assert Data.search("notes", "green") == []


@given(st.text())
def test_any_text_can_be_searched_for(text: str) -> None:
    assert Data.search("notes", text) == []


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: Data.create("", {}), "a collection goes by a name"),
        (lambda: Data.create("n", {"a": object()}), "the record is not JSON"),
        (lambda: Data.create("n", {"a": float("nan")}), "the record is not JSON"),
        (lambda: Data.create("n", {"a": "x" * 1024 * 1024}), "larger than 1024 KiB"),
        (lambda: Data.update("n", "none", {}), "there is no record 'none' in 'n'"),
        (lambda: Data.search("n", "x", 0), "limit is a whole number from 1 to 1000"),
    ],
)
def test_what_cannot_be_kept(work: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        work()


def test_a_file_is_used_by_several_at_once(tmp_path: Path) -> None:
    stores = [Store(str(tmp_path / "data.db")) for _ in range(2)]
    errors: list[BaseException] = []

    def write(store: Store) -> None:
        try:
            for number in range(50):
                store.answer("data.create", {"collection": "n", "data": {"number": number}})
        except sqlite3.Error as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(store,)) for store in (*stores, *stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    found = stores[0].answer("data.search", {"collection": "n", "limit": 1000})
    for store in stores:
        store.close()
    assert (errors, len(found)) == ([], 200)


def shown(*tools: str, system: str = "Be kind.") -> dict[str, Any]:
    return {"system": system, "messages": [], "tools": [{"name": tool} for tool in tools]}


def test_a_script_says_what_it_was_shown() -> None:
    model = ScriptedModel([{"toolCalls": [{"name": "a"}]}, {"text": "b"}])
    assert model.play(shown("a", "b"))["toolCalls"] == [{"name": "a"}]
    model.assert_shown("a", "b")
    model.assert_prompt_has("kind")
    with pytest.raises(AssertionError, match="c was not offered; there were: a, b"):
        model.assert_shown("c")
    with pytest.raises(AssertionError, match="b was offered"):
        model.assert_not_shown("b")
    with pytest.raises(AssertionError, match="the prompt has no 'rude'"):
        model.assert_prompt_has("rude")
    with pytest.raises(AssertionError, match="1 of 2 turns were not played"):
        model.assert_finished()
    model.play(shown("a"))
    model.assert_finished()
    model.assert_shown("b", call=0)
    with pytest.raises(ScriptEndedError, match="the script has 2 turns, and the model was called once more"):
        model.play(shown())


def test_a_script_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('[{"text": "hi"}]', "utf-8")
    assert ScriptedModel.from_file(tmp_path / "s.json").name == "scripted:s.json"
    with pytest.raises(ScriptError, match="/0: a turn is an object"):
        ScriptedModel([1])  # type: ignore[list-item]
    with pytest.raises(AssertionError, match="the model was not called"):
        ScriptedModel([]).assert_shown("a")
