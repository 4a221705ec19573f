"""`# lua: ignore[code]` comments. In: a source's text. Out: what each comment silences, and the diagnostics that are
left.

Comments are found by the tokenizer, so the same words in a string mean nothing. A file that does not tokenize to its
end has the comments up to there.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator

from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.records import record
from lua_cli.rules.judging.levels import full_code

_DIRECTIVE = re.compile(r"#\s*lua:\s*ignore\b\s*(?:\[(?P<codes>[^\]#]*)\])?")

_YAML_COMMENT = re.compile(r"(?:^|\s)(#.*lua:.*)$")


@record(frozen=True)
class Suppression:
    """One comment.

    place   the whole comment
    start, end   the columns of the directive in it (the comment may say more)
    codes   as written, each with its place
    alone   nothing but the comment stands on its line
    """

    place: Place
    start: int
    end: int
    codes: tuple[tuple[str, Place], ...]
    alone: bool


def suppressions_in(path: str, text: str) -> Iterator[Suppression]:
    """The suppressions of one source. Cheap where there are none."""
    if "lua:" not in text:
        return
    if path.endswith((".yaml", ".yml")):
        yield from _in_yaml(path, text)
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield from _in_comment(path, token)
    except (tokenize.TokenError, SyntaxError):
        return


def _in_yaml(path: str, text: str) -> Iterator[Suppression]:
    """A comment of YAML begins the line, or follows a space. What looks like one in a block of text counts as one."""
    for number, line in enumerate(text.split("\n"), start=1):
        found = _YAML_COMMENT.search(line)
        if found:
            start, end = (number, found.start(1)), (number, len(line))
            yield from _in_comment(path, tokenize.TokenInfo(tokenize.COMMENT, found[1], start, end, line))


def _in_comment(path: str, token: tokenize.TokenInfo) -> Iterator[Suppression]:
    line, column = token.start[0], token.start[1] + 1
    for match in _DIRECTIVE.finditer(token.string):
        codes = []
        if match["codes"] is not None:
            for item in re.finditer(r"[^\s,]+", match["codes"]):
                start = column + match.start("codes") + item.start()
                codes.append((item[0], Place(path, line, start, line, start + len(item[0]))))
        place = Place(path, line, column, line, column + len(token.string))
        alone = not token.line[: token.start[1]].strip()
        yield Suppression(place, column + match.start(), column + match.end(), tuple(codes), alone)


def silence(
    diagnostics: Iterable[Diagnostic], suppressions: Iterable[Suppression]
) -> tuple[list[Diagnostic], set[tuple[str, Place]]]:
    """The diagnostics that are left, and the (code, place) pairs of suppressions that silenced one."""
    by_line: dict[tuple[str, int, str], tuple[str, Place]] = {}
    for suppression in suppressions:
        for code, place in suppression.codes:
            by_line[place.path, place.line, full_code(code)] = (code, place)
    left: list[Diagnostic] = []
    used: set[tuple[str, Place]] = set()
    for diagnostic in diagnostics:
        suppression_of = by_line.get((diagnostic.place.path, diagnostic.place.line, diagnostic.code))
        if diagnostic.severity == "warning" and suppression_of is not None:
            used.add(suppression_of)
        else:
            left.append(diagnostic)
    return left, used
