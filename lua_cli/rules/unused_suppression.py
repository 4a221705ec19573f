"""A `# lua: ignore[…]` comment silences nothing.

A suppression that is no longer needed hides the next real warning on its line, and one with a misspelt code never
worked. Errors cannot be silenced: what they report fails when the tool runs.

What to do: remove the comment, or the code in it that is not needed (`lua compile --fix` does).

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"  # lua: ignore[tool-name-style]
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Edit, Fix, Place
from lua_cli.rules.judging.catalogue import find_rule
from lua_cli.rules.judging.context import Context, Outcome
from lua_cli.rules.judging.levels import full_code, near_codes
from lua_cli.rules.judging.suppressions import Suppression

CODE: Final = "lua/unused-suppression"
SEVERITY: Final = "warning"
LAST = True

_HIDES_OTHERS = frozenset(
    {"lua/syntax-error", "lua/unresolved-import", "lua/unresolved-base", "lua/unresolved-primitive-ref"}
)


def check(context: Context) -> Iterator[Diagnostic]:
    if context.outcome is not None:
        yield from unused(context.outcome, context.text)


def unused(
    outcome: Outcome, text_of: Callable[[str], str], decided: Collection[str] = frozenset()
) -> Iterator[Diagnostic]:
    """What is wrong with the comments. `decided` are rules of later stages that have had their say all the same."""
    known = not any(diagnostic.code in _HIDES_OTHERS for diagnostic in outcome.found)
    for suppression in outcome.suppressions:
        idle = [(code, at) for code, at in suppression.codes if not _needed(code, at, outcome, known, decided)]
        if not suppression.codes:
            message, help_ = "this comment names no rule and silences nothing", "write `# lua: ignore[code]`"
            yield Diagnostic(CODE, SEVERITY, message, suppression.place, help_, _removal(suppression, [], text_of))
        for code, place in idle:
            message, help_ = _words(code, place, outcome)
            fix = _removal(suppression, [code for code, _ in idle], text_of)
            yield Diagnostic(CODE, SEVERITY, message, place, help_, fix)


def _needed(code: str, place: Place, outcome: Outcome, known: bool, decided: Collection[str]) -> bool:
    """It silenced something, may do so in a stage after this one, or may once the rest is known."""
    rule = find_rule(code)
    if rule is None or (code, place) in outcome.used:
        return rule is not None
    later = rule.later and rule.code not in decided
    return later or not (known or _error_there(code, place, outcome))


def _error_there(code: str, place: Place, outcome: Outcome) -> bool:
    line = (full_code(code), place.path, place.line)
    return any((found.code, found.place.path, found.place.line) == line for found in outcome.found)


def _words(code: str, place: Place, outcome: Outcome) -> tuple[str, str]:
    full = full_code(code)
    if find_rule(code) is None:
        near = near_codes(code)
        return f"there is no rule `{full}`", f"did you mean `{near[0]}`?" if near else "remove the comment"
    if _error_there(code, place, outcome):
        return f"`{full}` is an error here and cannot be silenced", f"`lua explain {full}` says what to do"
    return f"`{full}` has nothing to say on this line", "remove the comment"


def _removal(suppression: Suppression, idle: list[str], text_of: Callable[[str], str]) -> Fix:
    """Takes the codes out; the whole directive when none is left, and the whole line when nothing else stands on it."""
    place = suppression.place
    line = text_of(place.path).split("\n")[place.line - 1]
    kept = [code for code, _ in suppression.codes if code not in idle]
    start, end, text = suppression.start, suppression.end, ""
    if kept:
        text = f"# lua: ignore[{', '.join(kept)}]"
    else:
        rest = line[end - 1 :]
        end = end + rest.index("#") if "#" in rest else len(line) + 1
        start = len(line[: start - 1].rstrip()) + 1 if end > len(line) else start
        if suppression.alone and start == 1 and end > len(line):
            return Fix("Remove the comment", (Edit(Place(place.path, place.line, 1, place.line + 1, 1), ""),))
    return Fix("Remove the suppression", (Edit(Place(place.path, place.line, start, place.line, end), text),))
