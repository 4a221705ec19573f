"""Where places are after an edit of function bodies. In: the ranges of the bodies before and after, and the places of
what is asked for in them. Out: documents and manifests with their places moved. Raises MovedError for a place that
cannot be told: in a body, at something that is not compared. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from lua_cli.bundle.document import Document

    Position = tuple[int, int, int, int]
    _T = TypeVar("_T")


_OF_TWO = " (line "  # what tells two classes of one name apart (analysis/class_info.py): the line is part of the name


class MovedError(Exception):
    """A place in a body that was edited: what stands there now, only the long way can say."""


class Moved:
    """One file. `blanks` are ranges of lines, `inside` places in them, before and after, in the same order; `changed`
    are lines outside of them that say something else now."""

    def __init__(
        self,
        blanks: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]],
        inside: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]],
        changed: Sequence[int] = (),
    ) -> None:
        self._before, self._after = blanks
        self._changed = changed
        self._places: dict[Position, set[Position]] = {}
        self._lines: dict[int, set[int]] = {}
        for old, new in zip(*inside, strict=True):
            self._places.setdefault(_position(old), set()).add(_position(new))
            self._lines.setdefault(old[0], set()).add(new[0])
        self.is_still = [list(one) for one in self._before] == [list(one) for one in self._after]

    def line(self, line: int) -> int:
        """Where a line is that stands outside of the bodies, or at which something is asked for."""
        found = self._outside(line)
        return found if found is not None else _only(self._lines.get(line, ()))

    def place(self, place: Position) -> Position:
        first, last = self._outside(place[0]), self._outside(place[2])
        if first is not None and last is not None:
            return first, place[1], last, place[3]
        return _only(self._places.get(place, ()))

    def holds(self, first: int, last: int) -> bool:
        """Whether one of the lines is, or was, in a body, or says something else now."""
        ranges = (*self._before, *self._after, *((line, line) for line in self._changed))
        return any(first <= end and start <= last for start, end in ranges)

    def _outside(self, line: int) -> int | None:
        shift = 0
        for (first, last), (new_first, new_last) in zip(self._before, self._after, strict=True):
            if line < first:
                break
            if line <= last:
                return None
            shift += (new_last - new_first) - (last - first)
        return line + shift


def _position(numbers: Sequence[int]) -> Position:
    line, column, end_line, end_column = numbers
    return line, column, end_line, end_column


def _only(found: Iterable[_T]) -> _T:
    every = list(found)
    if len(every) != 1:
        raise MovedError
    return every[0]


def moved_parts(document: Document, moves: Mapping[str, Moved]) -> dict[str, Any]:
    """The parts of a compile's document that change. Its diagnostics are sorted anew. Where no line moved, neither did
    what is listed: what the analysis found it looked into, so none of it stands in a body.
    """
    out: dict[str, Any] = {}
    if not all(moved.is_still for moved in moves.values()):
        if any(_OF_TWO in one["class"] for one in document["classes"]):
            raise MovedError
        for part in ("agents", "skills", "tools"):
            out[part] = [
                {**one, "line": moves[one["path"]].line(one["line"])} if one["path"] in moves else one
                for one in document[part]
            ]
    out["diagnostics"] = ordered(_diagnostic(one, moves) for one in document["diagnostics"])
    return out


def ordered(diagnostics: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The diagnostics of a document as they are sorted in it."""
    return sorted(diagnostics, key=_order)


def _order(one: Mapping[str, Any]) -> tuple[Any, ...]:
    return one["path"], one["line"], one["column"], one["code"], one["message"]


def _diagnostic(one: Mapping[str, Any], moves: Mapping[str, Moved]) -> dict[str, Any]:
    restless = [path for path, moved in moves.items() if not moved.is_still]
    if restless and any(_OF_TWO in text or f"{path}:" in text for text in texts_of(one) for path in restless):
        raise MovedError
    out = _span(one, moves)
    if one["fix"]:
        out["fix"] = {**one["fix"], "edits": [_span(edit, moves) for edit in one["fix"]["edits"]]}
    out["related"] = [_span(related, moves) for related in one["related"]]
    return out


def texts_of(one: Mapping[str, Any]) -> Iterator[str]:
    """All that a diagnostic says in words."""
    yield from (one["message"], one["help"] or "")
    yield from (related["message"] for related in one["related"])
    if one["fix"]:
        yield from (one["fix"]["title"], *(edit["text"] for edit in one["fix"]["edits"]))


def spans_of(one: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All places of a diagnostic."""
    yield one
    yield from one["related"]
    if one["fix"]:
        yield from one["fix"]["edits"]


def _span(one: Mapping[str, Any], moves: Mapping[str, Moved]) -> dict[str, Any]:
    moved = moves.get(one["path"])
    if moved is None:
        return dict(one)
    line, column, end_line, end_column = moved.place((one["line"], one["column"], one["endLine"], one["endColumn"]))
    return {**one, "line": line, "column": column, "endLine": end_line, "endColumn": end_column}


def moved_manifest(manifest: Mapping[str, Any], moves: Mapping[str, Moved]) -> dict[str, Any]:
    """The manifest of an artifact: the places ("path:line") of what it requires and reads."""
    out = dict(manifest)
    for part in ("requires", "envReads"):
        out[part] = [{**one, "place": _text(one["place"], moves)} for one in manifest[part]]
    return out


def _text(place: str, moves: Mapping[str, Moved]) -> str:
    path, _, line = place.rpartition(":")
    return f"{path}:{moves[path].line(int(line))}" if path in moves and line.isdecimal() else place
