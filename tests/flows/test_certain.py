"""What fails whatever the message is: said where it is certain, and nowhere else."""

from __future__ import annotations

import pytest

from lua_cli.flows.cel import CelError, Scope, compile_cel
from lua_cli.flows.certain import mixed_numbers, wrong_type
from lua_cli.flows.disk import load_members

MESSAGE = Scope(body={"n": 4, "days": 3, "x": 2, "list": [1, 2], "o": {"n": 5}}, vars={"n": 7, "error": {"n": 1}})


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("body.days * 12", ["12"]),
        ("vars.n + 1", ["1"]),
        ("2 - body.x", ["2"]),
        ("2-body.x", ["2"]),
        ("body.n*-1", ["1"]),
        ("-1 * body.n", ["1"]),
        ("body.o.n / 0x10", ["0x10"]),
        ("body.n + 1u", ["1u"]),
        ("7 % body.n", ["7"]),
        ("2 * body.n * 3", ["2", "3"]),
        ("body.n + 1 * 3", ["1"]),
        ("size(body.list) / 2 - body.x", ["2"]),
        ("[body.n + 1, vars.n -\n 2]", ["1", "2"]),
        ("has(body.n) ? body.n + 1 : 0", ["1"]),
        ("body.list.map(each, vars.n + 1)", ["1"]),
        ("vars.error.n * 2 > 3", ["2"]),
    ],
)
def test_an_integer_beside_a_number_of_the_message_fails(source: str, numbers: list[str]) -> None:
    faults = list(mixed_numbers(source))
    assert [source[fault.at : fault.at + fault.size] for fault in faults] == numbers
    with pytest.raises(CelError, match="overload"):
        compile_cel(source).evaluate(MESSAGE)


@pytest.mark.parametrize(
    "source",
    [
        "body.days * 12.0",
        "int(body.n) + 1",
        "size(body.list) + 1",
        "body.list.size() * 2",
        "2 * body.list.size()",
        "2 - size(body.list)",
        "body.list[0] + 1.0",
        "body.list[1 + 1 - 2]",
        "body.n > 1 && 2 < vars.n",
        "body.n == 1 ? -1.0 : -body.n",
        "[body.n, -1]",
        "body.n * 1e-3",
        "1e-3 * body.n",
        "1E+3 - body.n",
        "body.n - .5",
        ".5 * body.n",
        "'body.n + 1' + \"2 - body.n\"",
        "body.n + // 1 is\n 1.0",
        "[1, 2].map(body, body + 1)",
        "[1, 2].map(vars, 2 * vars)",
        "{'body.n': 1, 'n': 2 - 1}",
        "double(1 + 2) * body.n",
        "1 + 1 == 2 || body.n > 1",
        "math.round(body.n) + 1.0",
    ],
)
def test_what_works_is_left_alone(source: str) -> None:
    assert list(mixed_numbers(source)) == []
    compile_cel(source).evaluate(MESSAGE)


def said(document: str, **documents: str) -> list[str]:
    members = {
        "a.yaml": document.encode(),
        **{name.replace("_", "."): text.encode() for name, text in documents.items()},
    }
    return [
        f"{f.code.removeprefix('lua/')} {f.place.path}:{f.place.line}:{f.place.column}-{f.place.end_column} {f.facts['message']} | {f.facts['help']}"
        for f in load_members(members).findings
    ]


def test_integers_are_said_at_their_places_in_expressions_and_templates() -> None:
    document = """\
resources: {templates: [{resource: note.md, as: note}]}
flows:
  - name: f
    process:
      - {type: set-payload, settings: {value: '{"cost": body.days * 12}'}}
      - type: set-payload
        settings:
          value: |
            {"a": 1,
             "b": body.n % 7}
      - type: ai-agent
        name: a
        prompt: "Wait {{ vars.n + 1 }} days."
"""
    assert said(document, note_md="One\n{{ body.n\n  - 2 }}\n") == [
        "flow-expression a.yaml:5:69-71 value: `body.days * 12` fails whatever the message is: its numbers are doubles, and 12 is an integer | write `12.0`",
        "flow-expression a.yaml:10:28-29 value: `body.n % 7` fails whatever the message is: its numbers are doubles, and `%` takes integers alone | make it one: int(…)",
        "flow-expression a.yaml:13:35-36 prompt: `vars.n + 1` fails whatever the message is: its numbers are doubles, and 1 is an integer | write `1.0`",
        "flow-expression note.md:3:5-6 template: `body.n - 2` fails whatever the message is: its numbers are doubles, and 2 is an integer | write `2.0`",
    ]  # fmt: skip


def block(text: str) -> str:
    return f"flows:\n  - name: f\n    process:\n      - {text}\n"


LOG = "[{type: log}]"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (block(f"{{type: if, condition: '1 + 1', then: {LOG}}}"),
         ["flow-expression a.yaml:4:32-37 condition must be true or false, and this is an integer whatever the message is | compare it: 1 + 1 > 0"]),
        (block("{type: filter, condition: '\"yes\"'}"),
         ["flow-expression a.yaml:4:36-41 condition must be true or false, and this is a text whatever the message is | write a condition: true, or body.status == \"open\""]),
        (block(f"{{type: switch, cases: [{{when: 'size(body.x)', process: {LOG}}}]}}"),
         ["flow-expression a.yaml:4:40-52 when must be true or false, and this is an integer whatever the message is | compare it: size(body.x) > 0"]),
        (block("{type: validate, rules: [{expr: '\"x\"', message: no}]}"),
         ["flow-expression a.yaml:4:42-45 expr must be true or false, and this is a text whatever the message is | write a condition: true, or body.status == \"open\""]),
        (block(f"{{type: foreach, items: '\"abc\"', body: {LOG}}}"),
         ["flow-expression a.yaml:4:33-38 items must be a list, and this is a text whatever the message is | write a list: [\"abc\"]"]),
        (block(f"{{type: foreach, items: 'vars', body: {LOG}}}"),
         ["flow-expression a.yaml:4:33-37 items must be a list, and this is a map whatever the message is | write a list: [vars]"]),
        (block("{type: object-write, settings: {key: '5'}}"),
         ["flow-expression a.yaml:4:47-48 key must be a text, and this is an integer whatever the message is | a text has quotes within: \"5\""]),
        (block("{type: object-read, settings: {key: 5, as: x}}"),
         ["flow-expression a.yaml:4:45-46 key must be a text, and this is an integer whatever the message is | a text has quotes within: \"5\""]),
        (block("{type: object-delete, settings: {key: '[1]'}}"),
         ["flow-expression a.yaml:4:48-51 key must be a text, and this is a list whatever the message is | make it one: string([1])"]),
        (block(f"{{type: if, condition: 'null', then: {LOG}}}"),
         ["flow-expression a.yaml:4:32-36 condition must be true or false, and this is null whatever the message is | write a condition: true, or body.status == \"open\""]),
        ("env: [{name: ON, default: 'true'}, {name: LATER}]\n"
         + block("{type: if, condition: '${ON}', then: [{type: filter, condition: '${LATER}'}]}"), []),
        ("env: [{name: FACTOR}, {name: PART}]\n"
         + block("{type: set-payload, settings: {value: 'body.n * ${FACTOR}'}}")
         + "      - {type: object-read, settings: {key: '${PART}${PART}', as: x}}\n"
         + "      - {type: ai-agent, name: a, prompt: 'For {{ body.n * ${FACTOR} }}'}\n", []),
        ("env: [{name: FACTOR, default: '12'}]\n" + block("{type: set-payload, settings: {value: 'body.n * ${FACTOR}'}}"),
         ["flow-expression a.yaml:5:47-67 value: `body.n * 12` fails whatever the message is: its numbers are doubles, and 12 is an integer | write `12.0`"]),
        *((block(text), []) for text in (
            f"{{type: if, condition: true, then: {LOG}}}",
            f"{{type: if, condition: body.x, then: {LOG}}}",
            f"{{type: if, condition: 'has(body.x)', then: {LOG}}}",
            f"{{type: if, condition: 'body.x || dyn(1) == 1', then: {LOG}}}",
            f"{{type: foreach, items: '[1, 2]', body: {LOG}}}",
            f"{{type: foreach, items: 'fromJson(body.x)', body: {LOG}}}",
            f"{{type: foreach, items: 'body.x.map(each, each)', body: {LOG}}}",
            "{type: object-write, settings: {key: '\"a/\" + body.id', value: '5'}}",
            "{type: object-write, settings: {key: now}}",
            "{type: object-write, settings: {key: body.id}}",
        )),
    ],
)  # fmt: skip
def test_an_expression_that_cannot_be_what_is_needed(document: str, expected: list[str]) -> None:
    assert said(document) == expected


def test_a_type_that_the_engine_cannot_say_is_not_known() -> None:
    assert wrong_type(compile_cel("{{'a': body}: 1}"), "bool", "condition") is None
