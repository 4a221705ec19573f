"""What was probably meant is said as it is to be typed: numbers in words and with units, keys of other names."""

from __future__ import annotations

import pytest

from tests.flows.test_loading import AGENT, flow, load, said

API = "connectors: [{name: api, type: http-client, settings: {baseURL: 'https://api.example'}}]\n"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (AGENT + "        maxIterations: eight\n", ["value a.yaml:7:24 maxIterations must be a whole number from 1 to 100 | maxIterations: 8"]),
        (AGENT + "        maxIterations: '12'\n", ["value a.yaml:7:24 maxIterations must be a whole number from 1 to 100 | maxIterations: 12"]),
        (AGENT + "        maxIterations: 200\n", ["value a.yaml:7:24 maxIterations must be a whole number from 1 to 100 | maxIterations: 100"]),
        (AGENT + "        maxIterations: 5s\n", ["value a.yaml:7:24 maxIterations must be a whole number from 1 to 100 | maxIterations: 1"]),
        *((API + flow(f"{{type: rest, settings: {{connector: api, path: /, timeout: {written}}}}}"), [
            f"value a.yaml:5:67 timeout must be a number from 0.001 to 3600 | timeout: {meant}",
        ]) for written, meant in (("5s", "5"), ("1500ms", "1.5"), ("'2 minutes'", "120"), ("soon", "0.001"), ("[5]", "0.001"))),
        (API + flow("{type: rest, settings: {connector: api, path: /, failOnError: no}}"), ["value a.yaml:5:71 failOnError must be true or false | failOnError: false"]),
        (flow("{type: switch, cases: [{condition: 'true', then: [{type: log}]}]}"), [
            "unknown-key a.yaml:4:33 unknown key `condition` in a case | did you mean `when`?",
            "unknown-key a.yaml:4:52 unknown key `then` in a case | did you mean `process`?",
        ]),
        (flow("{type: validate, rules: [{when: 'true', message: no}]}"), ["unknown-key a.yaml:4:35 unknown key `when` in a rule | did you mean `expr`?"]),
    ],
)  # fmt: skip
def test_the_hint_is_what_to_type(document: str, expected: list[str]) -> None:
    assert said(load(document)) == expected
