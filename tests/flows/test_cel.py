"""The table of expressions, and what the wrapper adds to the engine: words, places, limits, JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lua_cli.flows.cel import MAX_LENGTH, CelError, Scope, compile_cel
from lua_cli.flows.cel_names import FUNCTIONS, MACROS, METHODS, SPACES

TABLE = json.loads((Path(__file__).parent / "expressions.json").read_text("utf-8"))


def scope() -> Scope:
    given = TABLE["scope"]
    return Scope(given["body"], given["vars"], given["env"], given["eventID"], given["correlationID"])


def outcome(source: str, given: Scope | None = None) -> dict[str, Any]:
    try:
        program = compile_cel(source)
    except CelError:
        return {"error": "compile"}
    try:
        return {"value": program.evaluate(given or scope())}
    except CelError:
        return {"error": "eval"}


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["expr"])
def test_an_expression_comes_to_its_value(case: dict[str, Any]) -> None:
    found = outcome(case["expr"])
    if case.get("error") == "any":
        assert found in ({"error": "compile"}, {"error": "eval"})
        return
    assert found == {key: case[key] for key in ("value", "error") if key in case}
    if "value" in case:
        assert json.dumps(found["value"]) == json.dumps(as_printed(case["value"]))


def as_printed(value: Any) -> Any:
    """The table's numbers as they are printed: without a fraction where they have none, keys sorted."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: as_printed(value[key]) for key in sorted(value)}
    return [as_printed(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("source", "message", "line", "column"),
    [
        ("bdy.a", "undeclared reference to 'bdy.a' (did you mean `body`?)", 1, 1),
        ("size(bdy . a.b) > 1", "undeclared reference to 'bdy.a.b' (did you mean `body`?)", 1, 6),
        ("mth.abs(1)", "undeclared reference to 'mth' (did you mean `math`?)", 1, 1),
        ("hello", "undeclared reference to 'hello' (a text needs quotes of its own: \"hello\")", 1, 1),
        ("body.a ==", "Syntax error: something is missing at the end", 1, 10),
        ("body.a\n  + nope(1)", "undeclared reference to 'nope' (there is no such function: docs/flows.md)", 2, 5),
        ("fromJsn(body.x)", "undeclared reference to 'fromJsn' (did you mean `fromJson`?)", 1, 1),
        ("body.x.uperAscii()", "undeclared reference to 'uperAscii' (did you mean `upperAscii`?)", 1, 8),
        ("1.0 + math.greatst(1, 2)", "undeclared reference to 'math.greatst' (did you mean `math.greatest`?)", 1, 7),
        ("body.a &&\n body.b.fliter(x, x)", "undeclared reference to 'fliter' (did you mean `filter`?)", 2, 9),
        ("body.toJson()", "undeclared reference to 'toJson' (it is no method: write toJson(…))", 1, 6),
        ("trim(body.a)", "undeclared reference to 'trim' (it is a method: write ….trim(…))", 1, 1),
        ("toJson(1, 2)", "undeclared reference to 'toJson' (it takes other arguments)", 1, 1),
        ("lists.range()", "undeclared reference to 'lists.range' (it takes other arguments)", 1, 1),
        (
            '{"a": 1}\n.transformMap(k, v, v)',
            "transformMap is not available: write the map out, or use transformList",
            2,
            2,
        ),
        (
            "+".join(["1"] * 40),
            "the expression is nested too deeply (at most 32 levels, counting each `+` of a chain)",
            1,
            1,
        ),
        ("'" + "a" * MAX_LENGTH + "'", "the expression is longer than 10,000 characters", 0, 0),
    ],
)
def test_a_compile_error_says_what_and_where(source: str, message: str, line: int, column: int) -> None:
    with pytest.raises(CelError) as raised:
        compile_cel(source)
    assert (raised.value.message, raised.value.line, raised.value.column) == (message, line, column)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("body.missing", "there is no key 'missing' (ask with has(…) first)"),
        ("body.n + 1", "no overload fits _+_(double, int64) (numbers of messages are doubles: write 1.0)"),
        ("[1][3]", "Index error: index=3 size=1"),
        ("double('nan')", "the result holds nan, which JSON cannot say"),
    ],
)
def test_an_evaluation_error_says_what(source: str, message: str) -> None:
    with pytest.raises(CelError) as raised:
        compile_cel(source).evaluate(scope())
    assert raised.value.message == message


@pytest.mark.parametrize(
    "body", [{"a": 10**400}, {"a": {1, 2}}, {"a": "\ud800"}, [[[]]] * 3, 2**64, {"a": None, "b": True}]
)
def test_any_message_has_a_value_or_an_error(body: Any) -> None:
    found = outcome("body", Scope(body=body))
    assert found == {"error": "eval"} or json.dumps(found["value"])


def test_templates_are_rendered_by_who_evaluates() -> None:
    program = compile_cel('"<" + templateResource("a") + ">"')
    assert program.evaluate(Scope(render=lambda name: f"text of {name}")) == "<text of a>"


def test_values_are_printed_without_a_fraction_that_is_none() -> None:
    from lua_cli.flows.json_text import as_text, normal

    assert as_text({"b": [1.0, 2.5], "a": 1e21, "c": True}) == '{"a":1e+21,"b":[1,2.5],"c":true}'
    assert list(normal({"b": 1.0, "a": {"d": 1, "c": -0.0}})) == ["a", "b"]
    assert as_text("5.0") == "5.0"


def compiles(*calls: str) -> bool:
    """Whether the engine knows one of the calls."""
    for call in calls:
        try:
            compile_cel(call)
        except CelError as error:
            if "undeclared" in error.message:
                continue
        return True
    return False


def test_the_names_that_are_proposed_are_those_that_there_are() -> None:
    given = ("", "body.a", "body.a, body.b", "k, k.a", "k, body.a", "[body.a]")
    for name in FUNCTIONS:
        assert compiles(*(f"{name}({one})" for one in given)), name
    for name in (*METHODS, *MACROS):
        assert compiles(*(f"body.x.{name}({one})" for one in given), f"body.x.{name}(i, k, k)"), name
    for space, names in SPACES.items():
        for name in names:
            assert compiles(*(f"{space}.{name}({one})" for one in given)), f"{space}.{name}"
