"""What of a source is left when the bodies of functions are taken out that nothing has looked into.

In: a module's tree, text and reads, and the numbers of the functions whose bodies somebody has read or run. Out: an
`Outline`: two texts with equal outlines mean the same to whoever did not look into the bodies that were taken out.
Pure.

What a body says to the outside stays in (`Body.says`), and all that it asks for (imports, variables, files), in order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lua_cli.digests import sha256_hex
from lua_cli.source.spans import Span, shown_span

if TYPE_CHECKING:
    from lua_cli.source.function_bodies import Body
    from lua_cli.source.reads import RawReads

_STAYS = "lua:"  # a body with a suppression stays in


class Outline(NamedTuple):
    """`blanks` are the ranges of lines that were taken out; `inside` are the places of what is asked for in
    them, as people count, in a fixed order."""

    digest: str
    blanks: tuple[tuple[int, int], ...]
    inside: tuple[Span, ...]


def outline(text: str, bodies: Sequence[Body], reads: RawReads, kept: Collection[int]) -> Outline:
    """The outline of a module; `kept` are the numbers of the bodies that stay in."""
    lines = text.split("\n")
    blanks: list[tuple[int, int]] = []
    left: list[str] = []
    at = 1
    for number, body in enumerate(bodies):
        if number in kept or body.first > body.end or any(_STAYS in line for line in lines[body.first - 1 : body.end]):
            continue
        left += lines[at - 1 : body.first - 1]
        left.append(f"\0{body.says}")
        blanks.append((body.first, body.end))
        at = body.end + 1
    left += lines[at - 1 :]
    asked, inside = _asked(reads, blanks, lines)
    content = "\n".join([*left, "\0", *asked])
    return Outline(sha256_hex(content.encode("utf-8", "surrogatepass")), tuple(blanks), inside)


def _asked(
    reads: RawReads, blanks: Sequence[tuple[int, int]], lines: Sequence[str]
) -> tuple[list[str], tuple[Span, ...]]:
    """What is asked for, with the number of the body that asks; and where in bodies."""
    said: list[str] = []
    inside: list[Span] = []
    for span, what in _every(reads):
        number = next((at for at, (first, last) in enumerate(blanks) if first <= span[0] <= last), -1)
        said.append(f"{number} {what!r}")
        if number >= 0:
            inside.append(shown_span(span, lines))
    return said, tuple(inside)


def _every(reads: RawReads) -> Iterator[tuple[Span, tuple[object, ...]]]:
    for one in reads.imports:
        yield one.span, ("import", one.kind, one.module, one.name, one.level, one.guard)
    for name, span, has_default, need in reads.env:
        yield span, ("env", name, has_default, need)
    for text, span, has_default, need in reads.computed:
        yield span, ("computed", text, has_default, need)
    for kind, text, span in reads.local:
        yield span, ("local", kind, text)
    for target, package, span in reads.data:
        yield span, ("data", target, package)
