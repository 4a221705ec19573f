"""Data: records in collections, which outlive a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lua_cli.sdk.state import ask


class Record(dict[str, Any]):
    """A record: `id`, `data`, and where it was found by `search`, `score` (the larger, the better)."""

    @property
    def id(self) -> str:
        return str(self["id"])

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = self["data"]
        return found

    @property
    def score(self) -> float | None:
        return self.get("score")


class Data:
    """Records (dicts of JSON values) in collections, which go by any name::

        note = Data.create("notes", {"text": "prefers the blue one"})
        Data.search("notes", "blue")[0].data["text"]

    Raises StateError for a record that is not there, and for values that are no JSON.
    """

    @staticmethod
    def create(collection: str, data: Mapping[str, Any], text: str | None = None) -> Record:
        """A new record. `search` looks into `text`, else into every text in `data`."""
        return Record(ask("data.create", collection=collection, data=dict(data), text=text))

    @staticmethod
    def get(collection: str, id: str) -> Record | None:
        """A record by its id; None when there is none."""
        found = ask("data.get", collection=collection, id=id)
        return None if found is None else Record(found)

    @staticmethod
    def update(collection: str, id: str, data: Mapping[str, Any], text: str | None = None) -> Record:
        """Set keys of a record's data; the others stay."""
        return Record(ask("data.update", collection=collection, id=id, data=dict(data), text=text))

    @staticmethod
    def delete(collection: str, id: str) -> bool:
        """Remove a record; whether there was one."""
        return bool(ask("data.delete", collection=collection, id=id))

    @staticmethod
    def search(collection: str, text: str = "", limit: int = 10) -> list[Record]:
        """Records that have words of `text`, the best first; without text all of them, the newest first."""
        return [Record(found) for found in ask("data.search", collection=collection, text=text, limit=limit)]
