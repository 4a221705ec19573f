"""What a YAML parser says → what is wrong, for somebody who does not know its grammar. In: its words, the text, the
place. Out: one sentence. Reads no file.
"""

from __future__ import annotations

import re

_RESERVED = "a text that begins with `{}` needs quotes"
_TOKEN = re.compile(r"found character '(.+)' that cannot start any token")
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"found unexpected end of stream", "a quote is opened and not closed"),
        (r"expected the node content, but found '<stream end>'", "a `[` or `{` is opened and not closed"),
        (r"expected ',' or '[]}]', but got '<stream end>'", "a `[` or `{` is opened and not closed"),
        (r"expected ',' or '([]}])', but got", r"a `,` or `\1` is missing before this"),
        (r"found undefined alias '(.+)'", r"`*\1` refers to an anchor that is not there; a text that begins with `*` "
                                          "needs quotes"),
        (r"found another document", "there is a second document: `---` may not stand here"),
        (r"found unknown escape character '(.+)'", r"`\\\1` means nothing in double quotes; "
                                                   "in single quotes a backslash is itself"),
        (r"(?:unacceptable character|special characters are not allowed)", "the text has a control character"),
        (r"could not find expected ':'", "a `:` is missing"),
        (r"expected <block end>, but found '<scalar>'", "text goes on after a closing quote: a quote inside of a text "
                                                        "is written twice, '', or use the other kind"),
        (r"expected <block end>, but found", "the indentation is not that of the lines before"),
    )
)  # fmt: skip


def plainly(said: str, text: str, line: int, column: int) -> str:
    """`said`, as the parser has it at a place of `text` (both from 1), in words for the reader."""
    token = _TOKEN.search(said)
    if token:
        return "a tab is used for indentation: use spaces" if token[1] == "\\t" else _RESERVED.format(token[1])
    if "mapping values are not allowed here" in said:
        return _colon(text.split("\n"), line, column)
    for pattern, words in _WORDS:
        found = pattern.search(said)
        if found:
            return found.expand(words)
    return said


def _colon(lines: list[str], line: int, column: int) -> str:
    """A `:` where none may be: in a text, behind a line that lacks its own, or in a line that stands too deep."""
    here = lines[line - 1] if line <= len(lines) else ""
    if ": " in here[: max(column - 1, 0)]:
        return "a text with `: ` in it needs quotes"
    before = next((one for one in reversed(lines[: line - 1]) if one.strip()), "")
    if before and not re.search(r":(\s|$)", before.strip().removeprefix("- ")):
        return f"the line before, `{before.strip()}`, has no `: `"
    return "the indentation is not that of the lines before"
