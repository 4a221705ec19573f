"""Keys that are probably misspelled, where it can be known; what only a message knows is left alone."""

from __future__ import annotations

import pytest

from lua_cli.flows.disk import load_members

AGENT = """\
env: [{name: SHOP, default: acme}]
resources: {templates: [{resource: note.md, as: note}]}
flows:
  - name: support
    process:
      - {type: set-variable, settings: {name: customer, value: 'body.anything'}}
      - {type: foreach, items: '[1]', as: each, body: [{type: log, settings: {message: vars.each}}]}
      - type: ai-agent
        name: assistant
        prompt: Help.
        input: INPUT
        tools:
          - name: look
            description: Look up one order by its number.
            inputSchema: '{"type": "object", "properties": {"orderId": {"type": "string"}, "other": {}}}'
            process:
              - {type: set-variable, settings: {name: id, value: FIRST}}
              - {type: set-payload, settings: {value: SECOND}}
              - {type: log, settings: {message: LAST}}
"""
MEMBERS = {"INPUT": "body.message", "FIRST": "body.orderId", "SECOND": "vars.id", "LAST": "body.ordrId"}


def said(note: str = "", **changes: str) -> list[str]:
    text = AGENT
    for name, value in (MEMBERS | changes).items():
        text = text.replace(name, value)
    findings = load_members({"a.yaml": text.encode(), "note.md": note.encode()}).findings
    return [
        f"{f.code.removeprefix('lua/')} {f.place.line}:{f.place.column}-{f.place.end_column} "
        f"{f.facts['message']} | {f.facts['help']}"
        for f in findings
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"INPUT": "body.mesage"},
         ["flow-path 11:21-27 `body.mesage` is probably misspelled: `lua chat` gives the agent {message: …} | did you mean `body.message`?"]),
        ({"INPUT": "body.question"}, []),
        ({"INPUT": "'has(body.mesage) ? body.message : \"body.mesage\"'"}, []),
        ({"FIRST": "body.ordrId"},
         ["flow-path 17:71-77 `body.ordrId` is probably misspelled: the inputSchema of `look` has no such property | did you mean `body.orderId`?"]),
        ({"SECOND": "body.ordrId"},
         ["flow-path 18:60-66 `body.ordrId` is probably misspelled: the inputSchema of `look` has no such property | did you mean `body.orderId`?"]),
        ({"SECOND": "vars.custmer"},
         ["flow-path 18:60-67 `vars.custmer` is probably misspelled: no block sets it | did you mean `vars.customer`?"]),
        ({"SECOND": "'\"a\" in vars.asked ? vars.custmer : body.orderId'"},
         ["flow-path 18:81-88 `vars.custmer` is probably misspelled: no block sets it | did you mean `vars.customer`?"]),
        ({"SECOND": "'templateResource(\"nte\") + templateResource(\"note\") + templateResource(body.orderId)'"},
         ["flow-reference 18:73-74 there is no template `nte` | did you mean `note`?"]),
        ({"note": "See {{ templateResource('elsewhere') }}."},
         ["flow-reference 1:25-26 there is no template `elsewhere` | declare it: resources: {templates: [{resource: path, as: name}]}"]),
        ({"SECOND": "vars.somethingElse + vars.user.id"}, []),
        ({"SECOND": "env.SHOPP"},
         ["flow-reference 18:59-64 the variable SHOPP is not declared in `env` | did you mean `SHOP`?"]),
        ({"SECOND": "env.KEY"},
         ["flow-reference 18:59-62 the variable KEY is not declared in `env` | declare it: env: [{name: KEY}]"]),
        ({"SECOND": "'\"KEY\" in env ? env.KEY : \"\"'"}, []),
        ({"note": "To {{ env.KEY }}."},
         ["flow-reference 1:11-14 the variable KEY is not declared in `env` | declare it: env: [{name: KEY}]"]),
    ],
)  # fmt: skip
def test_what_can_be_known_is_said(changes: dict[str, str], expected: list[str]) -> None:
    assert said(**changes) == expected


TEMPLATES = """\
resources: {templates: [{resource: note.md, as: note}]}
connectors: [{name: api, type: http-client, settings: {baseURL: "https://api.example"}}]
flows:
  - name: support
    process:
      - {type: set-variable, settings: {name: customer, value: 'body.anything'}}
      - type: ai-agent
        name: assistant
        prompt: |
          You help.

          {{ "{{" + vars.customer }} asks {{ vars.custmer +
            body.mesage }}
        guardrail: Never for {{ body.mesage }}.
        tools:
          - name: look
            description: Look up the weather of a city.
            inputSchema: '{"type": "object", "properties": {"city": {"type": "string"}, "units": {}}}'
            process:
              - {type: validate, rules: [{expr: 'body.cty != ""', message: no city}]}
              - {type: if, condition: 'has(body.unit)', then: [{type: log, settings: {message: body.unit + body.ciy}}]}
              - {type: set-payload, settings: {value: body.cty}}
          - name: call
            description: Look up the weather of a place over there.
            inputSchema: '{"type": "object", "properties": {"city": {"type": "string"}}}'
            process:
              - {type: rest, settings: {connector: api, path: '/v1/{{ body.cty }}/{{ body.city }}/{{body.cityy}}', query: {q: body.ciy}}}
              - {type: set-payload, settings: {value: body.cty}}
"""


def test_templates_and_every_key_of_an_expression_are_looked_at() -> None:
    note = b"# Customers\n\nFor {{ vars.customer }}:\n{{raw}}{{ vars.custmer }}{{endraw}}\n- {{ vars.custome }} {{ vars.custmer }}\n"
    found = load_members({"a.yaml": TEMPLATES.encode(), "note.md": note}).findings
    texts = {"a.yaml": TEMPLATES.split("\n"), "note.md": note.decode().split("\n")}
    assert [
        f"{f.code} {f.place.path}:{f.place.line}:{f.place.column} {texts[f.place.path][f.place.line - 1][f.place.column - 1 : f.place.end_column - 1]} | {f.facts['help']}"
        for f in sorted(found, key=lambda one: one.place)
    ] == [
        "lua/flow-path a.yaml:12:51 custmer | did you mean `vars.customer`?",
        "lua/flow-path a.yaml:13:18 mesage | did you mean `body.message`?",
        "lua/flow-path a.yaml:14:38 mesage | did you mean `body.message`?",
        "lua/flow-path a.yaml:20:55 cty | did you mean `body.city`?",
        "lua/flow-path a.yaml:21:113 ciy | did you mean `body.city`?",
        "lua/flow-path a.yaml:27:76 cty | did you mean `body.city`?",
        "lua/flow-path a.yaml:27:106 cityy | did you mean `body.city`?",
        "lua/flow-path a.yaml:27:132 ciy | did you mean `body.city`?",
        "lua/flow-path note.md:5:11 custome | did you mean `vars.customer`?",
        "lua/flow-path note.md:5:30 custmer | did you mean `vars.customer`?",
    ]
