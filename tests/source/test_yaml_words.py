"""YAML that cannot be read is said in words that help, at its place."""

from __future__ import annotations

import pytest

from lua_cli.source.yaml_text import YamlError, parse_yaml

INDENTATION, OPEN = "the indentation is not that of the lines before", "a `[` or `{` is opened and not closed"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("cases:\n\t- name: a\n", 2, 1, "a tab is used for indentation: use spaces"),
        ("cases:\n  - name: a\n\ttool: b\n", 3, 1, "a tab is used for indentation: use spaces"),
        ("cases:\n  - name: a: b\n    tool: x\n", 2, 12, "a text with `: ` in it needs quotes"),
        ("cases:\n  - name: a\n   tool: x\n", 3, 4, INDENTATION),
        ("cases:\n - name: a\n     tool: x\n", 3, 10, INDENTATION),
        ("cases:\n  - a\n  b: c\n", 3, 3, INDENTATION),
        ("cases:\n  - name a\n    tool: b\n", 3, 9, "the line before, `- name a`, has no `: `"),
        ('cases:\n  - name: "a\n    tool: x\n', 4, 1, "a quote is opened and not closed"),
        ("cases: [\n", 2, 1, OPEN),
        ("cases: {a: 1\n", 2, 1, OPEN),
        ("cases:\n  - {name: a, tool: b\n  - x: y\n", 3, 6, "a `,` or `}` is missing before this"),
        ("cases:\n  - {name: a tool: b}\n", 2, 18, "a `,` or `}` is missing before this"),
        ("cases: [a: 1 b: 2]\n", 1, 15, "a `,` or `]` is missing before this"),
        ("cases:\n  - name: @x\n", 2, 11, "a text that begins with `@` needs quotes"),
        ("cases:\n  - name: %x\n", 2, 11, "a text that begins with `%` needs quotes"),
        ("cases:\n  - name: *x\n", 2, 11, "`*x` refers to an anchor that is not there"),
        ("cases:\n  - name: 'it's'\n", 2, 15, "text goes on after a closing quote"),
        ('cases:\n  - name: "a\\q"\n', 2, 14, "`\\q` means nothing in double quotes"),
        ("a: 1\n---\nb: 2\n", 2, 1, "there is a second document"),
        ('ü: ok\ncases: "a\x07"\n', 2, 10, "the text has a control character"),
    ],
)
def test_what_is_wrong_is_said_plainly_at_its_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(YamlError) as caught:
        parse_yaml(text)
    assert words in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('a: "\\ud83d\\ude00"', {"a": "\U0001f600"}),
        ("a: 1_000", {"a": "1_000"}),
        ("a: 0o17", {"a": 15}),
        ("a: 017", {"a": 17}),
        ("%YAML 1.2\n---\na: 1", {"a": 1}),
        ("a: !!int '5'", {"a": 5}),
    ],
)
def test_what_is_read(text: str, value: object) -> None:
    tree = parse_yaml(text)
    assert tree is not None
    assert tree.plain() == value
