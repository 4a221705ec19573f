"""What differences of versions mean: to callers of tools, to the model, in the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lua_cli.registry.changes import Changes, Rename, Tokens, Wording, changes_between, tokens_of
from lua_cli.registry.content import FileChange, content_changes
from lua_cli.registry.protocol import SkillFacts, ToolFacts
from lua_cli.registry.schemas import schema_changes
from lua_cli.report.registry import change_lines
from tests.registry.artifacts import build


def told(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(change.kind, change.path, change.message) for change in schema_changes(before, after)]


def record(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (record(a=TEXT), record(a=TEXT), []),
        (record(), record("a", a=TEXT), [("breaking", "/a", "is new and required")]),
        (record(), record(a=TEXT), [("widening", "/a", "is new and optional")]),
        (record(a=TEXT), record(), [("breaking", "/a", "was removed")]),
        (record(a=TEXT), record("a", a=TEXT), [("breaking", "/a", "is required now")]),
        (record("a", a=TEXT), record(a=TEXT), [("widening", "/a", "is optional now")]),
        (record(a=TEXT), record(a={"type": "integer"}), [("breaking", "/a", "string became integer")]),
        (record(a={"type": "integer"}), record(a={"type": "number"}), [("widening", "/a", "integer became number")]),
        (record(a={"type": "number"}), record(a={"type": "integer"}), [("breaking", "/a", "number became integer")]),
        (record(a=TEXT), record(a={}), [("widening", "/a", "string became anything")]),
        (record(a=TEXT), record(a={**TEXT, "description": "d"}), [("wording", "/a", "description changed")]),
        (record(a={"enum": [1, 2]}), record(a={"enum": [2]}), [("breaking", "/a", "no longer takes 1")]),
        (record(a={"enum": ["x"]}), record(a={"enum": ["x", "y"]}), [("widening", "/a", 'takes "y", too')]),
        (record(a={"const": 1}), record(a={"enum": [1, 2]}), [("widening", "/a", "takes 2, too")]),
        (record(a=TEXT), record(a={**TEXT, "maxLength": 5}), [("breaking", "/a", "maxLength is 5")]),
        (
            record(a={**TEXT, "maxLength": 5}),
            record(a={**TEXT, "maxLength": 9}),
            [("widening", "/a", "maxLength is 9, was 5")],
        ),
        (record(a={"minimum": 5}), record(a={"minimum": 6}), [("breaking", "/a", "minimum is 6, was 5")]),
        (record(a={**TEXT, "pattern": "a"}), record(a=TEXT), [("widening", "/a", "pattern is gone")]),
        (record(a=TEXT), record(a={**TEXT, "format": "date"}), [("breaking", "/a", "format changed")]),
        (record(), {**record(), "additionalProperties": False}, [("breaking", "", "takes no other properties now")]),
        (
            record(a=TEXT),
            record(a={"anyOf": [TEXT, {"type": "null"}]}),
            [("widening", "/a", "takes null, too")],
        ),
        (
            record(a={"anyOf": [TEXT, {"type": "null"}]}),
            record(a=TEXT),
            [("breaking", "/a", "no longer takes null")],
        ),
        (
            record(a={"type": "array", "items": TEXT}),
            record(a={"type": "array", "items": {"type": "integer"}}),
            [("breaking", "/a/*", "string became integer")],
        ),
        (
            {**record(a={"$ref": "#/$defs/A"}), "$defs": {"A": record(x=TEXT)}},
            {**record(a={"$ref": "#/$defs/B"}), "$defs": {"B": record("x", x=TEXT)}},
            [("breaking", "/a/x", "is required now")],
        ),
        (
            {**record(a={"$ref": "#/$defs/A"}), "$defs": {"A": record(next={"$ref": "#/$defs/A"})}},
            {**record(a={"$ref": "#/$defs/A"}), "$defs": {"A": record(next={"$ref": "#/$defs/A"}, x=TEXT)}},
            [("widening", "/a/x", "is new and optional")],
        ),
    ],
)
def test_what_a_change_of_a_schema_means(before: Any, after: Any, expected: list[tuple[str, str, str]]) -> None:
    assert told(before, after) == expected


def schemas() -> st.SearchStrategy[dict[str, Any]]:
    numbers = st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": st.integers(-2, 2), "maximum": st.integers(-2, 2)},
    )
    texts = st.fixed_dictionaries({"type": st.just("string")}, optional={"maxLength": st.integers(0, 3)})
    values = st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["a", "b", 1, None]), min_size=1, unique=True)})
    leaf = st.one_of(numbers, texts, values, st.just({}))
    choice = st.fixed_dictionaries({"anyOf": st.lists(leaf, min_size=1, max_size=2)})
    either = st.one_of(leaf, choice)
    names = st.sampled_from(["a", "b"])
    return st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "properties": st.dictionaries(names, either),
            "required": st.lists(names, unique=True),
        },
        optional={"additionalProperties": st.booleans()},
    )


INPUTS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]), st.sampled_from(["a", "b", "abcd", "", 1, 0, -3, 7, 0.5, None, [], {}])
)


@given(schemas(), schemas(), st.lists(INPUTS, min_size=1, max_size=8))
def test_without_a_breaking_change_whatever_was_accepted_still_is(
    before: dict[str, Any], after: dict[str, Any], inputs: list[Any]
) -> None:
    if any(change.kind == "breaking" for change in schema_changes(before, after)):
        return
    old, new = jsonschema_rs.validator_for(before), jsonschema_rs.validator_for(after)
    for value in inputs:
        # an added optional property may have held anything before, when others were let in
        added = after["properties"].keys() - before["properties"].keys()
        if old.is_valid(value) and not added & value.keys():
            assert new.is_valid(value), (value, schema_changes(before, after))


def skill(*tools: ToolFacts, context: str = "") -> SkillFacts:
    return SkillFacts(context=context, tools=tools)


def test_a_tool_that_went_and_one_that_came_may_be_the_same() -> None:
    order = record("number", number=TEXT)
    before = skill(
        ToolFacts("get_order", "Look up one order.", order), ToolFacts("track", "Follow a parcel.", record(p=TEXT))
    )
    after = skill(ToolFacts("find_order", "Find one order.", order), ToolFacts("pay", "Pay back.", record(sum=TEXT)))
    changes = changes_between(before, after)
    assert changes.renamed == (Rename("get_order", "find_order", parts=("description",)),)
    assert changes.wording == (Wording("find_order", "description", "Look up one order.", "Find one order."),)
    assert change_lines(changes, texts=True)[:3] == [
        "+ find_order  (looks like get_order, renamed; description)",
        "    - Look up one order.",
        "    + Find one order.",
    ]
    assert (changes.added, changes.removed) == (("find_order", "pay"), ("get_order", "track"))
    assert changes.breaking


def test_a_context_is_counted_in_tokens_before_and_after() -> None:
    assert (tokens_of(""), tokens_of("abcd"), tokens_of("abcde"), tokens_of({"base": "ab", "voice": "cd"})) == (
        0,
        1,
        2,
        1,
    )
    changes = changes_between(skill(context="abcd" * 10), skill(context="abcd" * 30))
    wording = (Wording("", "context", "abcd" * 10, "abcd" * 30),)
    assert changes == Changes(parts=("context",), tokens=Tokens(10, 30), wording=wording)
    assert not changes.breaking


def test_files_and_packages(tmp_path: Path) -> None:
    one = build(tmp_path / "a", source="a = 1\nb = 2\n").open()
    two = build(tmp_path / "b", source="a = 1\nb = 3\nc = 4\n").open()
    assert content_changes(one, two).files == (FileChange("agent.py", "changed", 2, 1),)
    assert content_changes(one, one).files == ()
