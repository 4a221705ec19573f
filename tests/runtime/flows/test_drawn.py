"""No document, expression or message ends in anything but a value, findings, or an error with words.

LUA_FLOW_DRAWS sets how many are drawn.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lua_cli.flows.cel import CelError, Scope, compile_cel
from lua_cli.flows.disk import load_members
from lua_cli.flows.kinds import KINDS, LEVELS, METHODS, MODES
from lua_cli.flows.model import Flows
from lua_cli.flows.templates import TemplateError, parse_template
from lua_cli.runtime.flows.around import Around
from lua_cli.runtime.flows.engine import Engine
from lua_cli.runtime.flows.guarded import evaluate
from lua_cli.runtime.flows.invoking import run
from lua_cli.runtime.flows.message import Message
from lua_cli.runtime.flows.objects import ObjectStore
from lua_cli.runtime.models.scripted import Scripted
from lua_cli.sdk.scripted import ScriptedModel

DRAWS = int(os.environ.get("LUA_FLOW_DRAWS", "120"))
drawn = settings(
    max_examples=DRAWS, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)  # fmt: skip

NAMES = st.sampled_from(["a", "b", "f", "g", "t", "load_skill", "x y", "a.b", "ünï", "", "f[error]"])
TEXT = st.one_of(
    st.text(max_size=12), st.sampled_from(["{{ body }}", "{{", "${A}", "${", "{{raw}}", "body.a", "'", "null"])
)
ATOMS = st.sampled_from(
    ["body", "vars", "env", "now", "eventID", "body.a", "body.list", "vars.x", "env.A", "1", "1.0", "0.0", "-1", "9223372036854775807",
     "null", "true", "'a'", '"\\u00e9"', "b'x'", "[]", "{}", "[1, 'a', null]", "{'a': 1.5}", "duration('1s')", "timestamp('2026-01-01T00:00:00Z')",
     "type(1)", "int", "1u", "templateResource('r')", "fromJson('[1]')", "''"]
)  # fmt: skip
FORMS = st.sampled_from(
    ["{0} + {1}", "{0} == {1}", "{0}[{1}]", "{0}.a", "!{0}", "-{0}", "{0} ? {1} : {0}", "{0} && {1}", "{0} in {1}", "has({0}.a)",
     "size({0})", "string({0})", "int({0})", "toJson({0})", "{0}.map(i, {1})", "{0}.filter(i, {1})", "{0}.all(i, i == {1})", "[{0}, {1}]",
     "{{'k': {0}}}", "{{{0}: {1}}}", "({0})", "{0} / {1}", "{0} % {1}", "{0}.split({1})", "{0}.join('-')", "{0}.sort()", "{0}.distinct()",
     "{0}.format([{1}])", "lists.range({0})", "math.greatest({0}, {1})", "{0}.sortBy(i, {1})", "{0}.flatten()", "regexExtract({0}, {1})",
     "fromJson({0})", "{0}.transformList(i, v, {1})", "{0}.matches({1})", "sets.contains({0}, {1})", "toFormData({0})", "{0} {1}", "{0}("]
)  # fmt: skip


@st.composite
def formed(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    return draw(FORMS).format(draw(inner), draw(inner))


EXPRESSIONS = st.one_of(st.recursive(ATOMS, formed, max_leaves=6), st.text(max_size=20))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=8,
)
MESSAGES = st.one_of(JSON, st.fixed_dictionaries({"a": JSON, "list": st.lists(JSON, max_size=3)}))


def scope(body: Any) -> Scope:
    return Scope(body, {"x": body}, {"A": "1"}, "e", "c", render=lambda name: name)


@drawn
@given(EXPRESSIONS, MESSAGES)
def test_an_expression_has_a_value_or_an_error(source: str, body: Any) -> None:
    try:
        value = evaluate(compile_cel(source), scope(body))
    except CelError as error:
        assert error.message.strip()
        return
    json.dumps(value, allow_nan=False)


@drawn
@given(st.lists(st.one_of(TEXT, EXPRESSIONS.map(lambda source: "{{" + source + "}}")), max_size=4))
def test_a_text_is_a_template_or_not(parts: list[str]) -> None:
    text = "".join(parts)
    try:
        parse_template(text)
    except TemplateError as error:
        assert error.line <= text.count("\n") + 1


def values(draw: st.DrawFn, how: str, depth: int) -> Any:
    """A value for a key: mostly of its kind, sometimes anything."""
    if draw(st.integers(0, 11)) == 0:
        return draw(JSON)
    match how:
        case "cel":
            return draw(EXPRESSIONS)
        case "cels":
            return draw(st.dictionaries(NAMES, EXPRESSIONS, max_size=2))
        case "chain":
            return chain(draw, depth + 1)
        case "cases":
            return [
                {"when": draw(EXPRESSIONS), "process": chain(draw, depth + 1)} for _ in range(draw(st.integers(0, 2)))
            ]
        case "rules":
            return [{"expr": draw(EXPRESSIONS), "message": draw(TEXT)}]
        case "tools":
            return [
                {"name": draw(NAMES), "description": draw(TEXT), "process": chain(draw, depth + 1),
                 **({"inputSchema": draw(st.one_of(TEXT, JSON, st.just('{"type": "object"}')))} if draw(st.booleans()) else {})}
                for _ in range(draw(st.integers(0, 2)))
            ]  # fmt: skip
        case "skills":
            return [{"name": draw(NAMES), "description": draw(TEXT), "resource": draw(st.sampled_from(["r", "q"]))}]
    choices: dict[str, list[Any]] = {"flag": [True, False], "status": [200, 99], "seconds": [1, 0.5], "method": list(METHODS), "level": list(LEVELS),
               "mode": list(MODES), "flow": ["f", "g"], "connector": ["c", "n"], "resource": ["r", "q"], "tool": ["t"],
               "iterations": [1, 2, 0], "answer": ["json", "text"]}  # fmt: skip
    return draw(st.sampled_from(choices[how])) if how in choices else draw(st.one_of(NAMES, TEXT))


def chain(draw: st.DrawFn, depth: int) -> Any:
    if depth > 3:
        return [{"type": "log"}]
    blocks = []
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from([*KINDS, "nope"]))
        kind = KINDS.get(name)
        block: dict[str, Any] = {"type": name}
        if draw(st.integers(0, 3)) == 0 or name == "ai-agent":
            block["name"] = draw(NAMES)
        if kind is not None:
            wanted = [key for key in (*kind.settings, *kind.slots) if key in kind.required or draw(st.booleans())]
            inside = {key: values(draw, kind.settings[key], depth) for key in wanted if key in kind.settings}
            block |= {key: values(draw, kind.slots[key], depth) for key in wanted if key in kind.slots}
            if inside:
                block["settings"] = inside
        if draw(st.integers(0, 15)) == 0:
            block[draw(st.text(max_size=4))] = draw(JSON)
        blocks.append(block)
    return blocks


@st.composite
def documents(draw: st.DrawFn) -> str:
    flows = [{"name": name, "process": chain(draw, 0)} for name in ("f", "g")]
    if draw(st.booleans()):
        flows[0]["error"] = chain(draw, 2)
    document: dict[str, Any] = {
        "service": {"name": "s"},
        "env": [{"name": "A", "default": "1"}],
        "resources": {"templates": [{"resource": "r.md", "as": "r"}]},
        "connectors": [{"name": "c", "type": draw(st.sampled_from(["llm", "http-client"]))}],
        "flows": flows,
    }
    if draw(st.integers(0, 7)) == 0:
        document[draw(st.sampled_from(list(document)))] = draw(JSON)
    text = json.dumps(document, ensure_ascii=draw(st.booleans()))
    if draw(st.integers(0, 5)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.text(max_size=3)) + text[at + draw(st.integers(0, 3)) :]
    return text


def loaded(text: str, template: str) -> Flows:
    flows = load_members(
        {"flows/a.yaml": text.encode("utf-8", "replace"), "flows/r.md": template.encode("utf-8", "replace")}
    )
    for finding in flows.findings:
        assert finding.facts["message"]
        assert finding.facts["help"]
        assert finding.place.line >= 1
        assert finding.place.column >= 1
    return flows


@drawn
@given(
    st.one_of(documents(), st.text(max_size=60)),
    st.one_of(TEXT, EXPRESSIONS.map(lambda e: "{{" + e + "}}")),
    MESSAGES,
    st.data(),
)
def test_a_document_is_refused_or_runs(text: str, template: str, body: Any, data: st.DataObject) -> None:
    flows = loaded(text, template)
    if any(finding.code != "lua/flow-document-body" for finding in flows.findings):
        return
    turn = st.one_of(
        st.just({"text": "{}"}), st.just({"refusal": True}),
        st.fixed_dictionaries({"name": NAMES.filter(bool), "arguments": JSON}).map(lambda call: {"toolCalls": [call]}),
    )  # fmt: skip
    for name in flows.flows:
        script = ScriptedModel(data.draw(st.lists(turn, max_size=3)))
        around = Around(
            env={"A": "1"}, store=ObjectStore(None), model=lambda _connector, script=script: Scripted(script),  # type: ignore[misc]
            until=time.monotonic() + 10,
        )  # fmt: skip
        result = run(Engine(flows, around), name, Message(body, {"x": body}))
        if result.error is not None:
            assert result.error.message.strip()
        json.dumps(result.document(), allow_nan=False)
