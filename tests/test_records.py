"""Records are what `dataclasses` would make of the same class."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import pytest

from lua_cli.records import as_dict, field, record, replace


@record(frozen=True)
class Point:
    """A point."""

    x: int
    y: int = 2
    tags: Mapping[str, Any] = field(default_factory=dict, compare=False)
    hidden: str = field(default="h", repr=False)
    maybe: list[int] | None = field(default_factory=list, compare=False)
    kind: ClassVar[str] = "point"

    def moved(self) -> Point:
        return replace(self, x=self.x + 1)


@record(frozen=True)
class Named(Point):
    name: str = "n"

    def moved(self) -> Named:
        found = super().moved()
        assert isinstance(found, __class__)  # type: ignore[name-defined]
        return found


@dataclasses.dataclass(frozen=True, slots=True)
class Other:
    x: int
    y: int = 2
    hidden: str = dataclasses.field(default="h", repr=False)


@record
class Changing:
    items: list[int] = field(default_factory=list)
    inner: Point | None = None


@record(slots=False, eq=False)
class Loose:
    text: str

    @cached_property
    def upper(self) -> str:
        return self.text.upper()


@record(frozen=True, order=True)
class Placed:
    path: str
    line: int


def test_values_defaults_and_equality() -> None:
    one, other = Point(1), Other(1)
    assert (one.x, one.y, one.tags, one.hidden, Point.kind) == (1, 2, {}, "h", "point")
    assert repr(one).replace("tags={}, ", "").replace(", maybe=[]", "") == repr(other).replace("Other", "Point")
    assert one == Point(x=1, tags={"a": 1})
    assert (one == Point(1, 3), one == Other(1), hash(one) == hash(Point(1)), len({one, Point(1)})) == (
        False,
        False,
        True,
        1,
    )
    assert one.tags is not Point(1).tags
    assert (Point(1, maybe=None).maybe, Point(1).maybe) == (None, [])


def test_what_is_missing_or_too_much_is_a_type_error() -> None:
    for given in ((), (1, 2, {}, "h", [], 6)):
        with pytest.raises(TypeError):
            Point(*given)
    with pytest.raises(TypeError):
        replace(Point(1), z=3)  # type: ignore[call-arg,unused-ignore]
    with pytest.raises(TypeError, match="the field b has no default"):

        @record
        class Wrong:
            a: int = 1
            b: str  # type: ignore[misc]

        Wrong(1, "b")


def test_slots_bases_and_super() -> None:
    one = Named(1, name="a")
    assert not hasattr(one, "__dict__")
    assert one.moved() == Named(2, name="a")
    assert (Point(1) == Named(1), Named.__match_args__[-1], Named.__doc__) == (False, "name", None)
    match one:
        case Named(x, 2, name=name):
            assert (x, name) == (1, "a")
        case _:
            pytest.fail("no match")


def test_what_changes_cannot_be_hashed_and_what_has_no_equality_is_itself() -> None:
    one = Changing()
    one.items.append(1)
    assert (one == Changing([1]), Changing.__hash__) == (True, None)
    loose = Loose("a")
    assert (loose.upper, loose == loose, loose == Loose("a"), len({loose, Loose("a")})) == ("A", True, False, 2)


def test_order_dictionaries_and_pickles() -> None:
    assert sorted([Placed("b", 1), Placed("a", 2), Placed("a", 1)]) == [Placed("a", 1), Placed("a", 2), Placed("b", 1)]
    assert as_dict(Changing([1], Point(1)))["inner"] == {"x": 1, "y": 2, "tags": {}, "hidden": "h", "maybe": []}
    assert pickle.loads(pickle.dumps(Named(1, name="a"))) == Named(1, name="a")
