"""CEL: the one place that knows the engine. In: an expression's text; a scope. Out: an `Expression`; a JSON value, or a
`CelError`.

Numbers of JSON are doubles in CEL, and come back without a fraction where they have none. Evaluating is bounded by the
engine for comprehensions alone: `Expression.heavy` says where a limit is needed around it. Runs nothing but CEL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from typing import Any

from lua_cli.flows.cel_functions import declarations
from lua_cli.flows.cel_names import unknown_name
from lua_cli.flows.cel_text import Reading, place_of, read_words
from lua_cli.flows.cel_values import Converted, NotJsonError, from_cel, to_cel
from lua_cli.records import field, record

MAX_LENGTH = 10_000

_EXTENSIONS = ("lists", "sets", "strings", "math", "encoders", "two-var-comprehensions")
_PLACE = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): (.*?)(?:\n|$)")
_UNDECLARED = re.compile(r"undeclared reference to '(\w+)([.\w]*)'")
_NESTED = re.compile(r"recursion (depth|limit)")
_LIMIT_NODES, _LIMIT_TEXT = 1_000_000, 100_000_000

_render: ContextVar[Callable[[str], str]] = ContextVar("render")


class CelError(Exception):
    """An expression that cannot be compiled or evaluated. `line` and `column` count from 1 in the expression's text; 0
    where the engine does not say.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


def _no_templates(name: str) -> str:
    raise ValueError(f"there is no template {name!r} here")


@record(frozen=True)
class Scope:
    """What an expression sees. `render` gives the text of a template by its name."""

    body: Any = None
    vars: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    event_id: str = ""
    correlation_id: str = ""
    now: datetime | None = None
    render: Callable[[str], str] = _no_templates


@record(frozen=True)
class Expression:
    """A compiled expression, and what its words say of its cost."""

    source: str
    program: Any = field(repr=False, compare=False)
    words: Reading = field(default_factory=Reading, compare=False)

    def heavy(self, given: Converted) -> bool:
        """Whether evaluating it with this message could take more than an instant, or give far more than there was: a
        message that is named three times may come back three times as large.
        """
        words = self.words
        if words.unbounded:
            return True
        if not words.loops and words.mentions < 2:
            return False
        times, own = max(words.mentions, 1), len(self.source)
        nodes, text = given.nodes * times + own // 2, given.characters * times + own
        return nodes ** (words.loops + 1) > _LIMIT_NODES or text ** (2 if words.loops else 1) > _LIMIT_TEXT

    def evaluate(self, scope: Scope, given: Converted | None = None) -> Any:
        """Its value as JSON; `given` is the message where it is converted already. Raises CelError."""
        given = given or message_of(scope)
        token = _render.set(scope.render)
        try:
            return from_cel(_value(self.program.eval(data=_activation(scope, given))))
        except NotJsonError as error:
            raise CelError(str(error)) from None
        except (RuntimeError, MemoryError, ValueError, TypeError, OverflowError) as error:
            raise CelError(_said(str(error) or "out of memory")) from None
        finally:
            _render.reset(token)


def compile_cel(source: str) -> Expression:
    """Compile an expression. Raises CelError with the first thing that is wrong."""
    if not source.strip():
        raise CelError("the expression is empty", 1, 1)
    if len(source) > MAX_LENGTH:
        raise CelError(f"the expression is longer than {MAX_LENGTH:,} characters")
    if not source.isascii() and any("\ud800" <= character <= "\udfff" for character in source):
        raise CelError("the expression holds half of a character (a lone surrogate)", 1, 1)
    words = read_words(source)
    if words.refused:
        message = f"{words.refused.text} is not available: write the map out, or use transformList"
        raise CelError(message, *place_of(source, words.refused.at))
    try:
        program = _environment().compile(source)
    except (RuntimeError, TypeError, ValueError) as error:
        raise _compile_error(str(error), source) from None
    if words.twice:
        raise CelError(f"the key {words.twice.text} is there twice", *place_of(source, words.twice.at))
    return Expression(source, program, words)


def message_of(scope: Scope) -> Converted:
    """Body and variables as the engine takes them. Raises CelError for what is no JSON, and for what is too large."""
    try:
        return to_cel([scope.body, scope.vars])
    except (ValueError, OverflowError) as error:
        raise CelError(str(error)) from None


def _value(result: Any) -> Any:
    from cel_expr_python import cel

    if result.type() == cel.Type.ERROR:
        raise CelError(_said(str(result.value())))
    return result.plain_value()


def _activation(scope: Scope, given: Converted) -> dict[str, Any]:
    body, variables = given.value
    return {
        "body": body,
        "vars": variables,
        "env": dict(scope.env),
        "eventID": scope.event_id,
        "correlationID": scope.correlation_id,
        "now": scope.now or datetime.now(UTC),
    }


@cache
def _environment() -> Any:
    """The one environment: making it takes longer than compiling."""
    from cel_expr_python import cel

    kinds = cel.Type
    config = cel.NewEnvConfigFromYaml(f"extensions: [{', '.join(f'{{name: {name}}}' for name in _EXTENSIONS)}]")
    variables = {
        "body": kinds.DYN,
        "vars": kinds.Map(kinds.STRING, kinds.DYN),
        "env": kinds.Map(kinds.STRING, kinds.STRING),
        "eventID": kinds.STRING,
        "correlationID": kinds.STRING,
        "now": kinds.TIMESTAMP,
    }
    functions = declarations(cel, lambda name: _render.get(_no_templates)(name))
    return cel.NewEnv(config=config, variables=variables, functions=functions)


def _compile_error(text: str, source: str) -> CelError:
    """The first of the engine's errors, which carries line, column and a caret."""
    if _NESTED.search(text):
        return CelError("the expression is nested too deeply (at most 32 levels, counting each `+` of a chain)", 1, 1)
    found = _PLACE.search(text)
    if found is None:
        return CelError(_said(text), 1, 1)
    message, line, column = found[3].strip(), max(int(found[1]), 1), max(int(found[2]), 1)
    name = _UNDECLARED.match(message)
    if name:
        return CelError(*unknown_name(name[1], name[2], source, line, column))
    return CelError(_shorter(message), line, column)


def _shorter(message: str) -> str:
    """Without what a reader cannot use: the container that is always empty, the list of every token."""
    message = message.removesuffix(" (in container '')")
    head, expecting, _ = message.partition(" expecting {")
    said = head if expecting else message
    return said.replace("mismatched input '<EOF>'", "something is missing at the end").replace("'<EOF>'", "the end")


def _said(text: str) -> str:
    """An engine's error in words: without its status, and with a way out where there is one."""
    message = re.sub(r"^[A-Z_]+: ", "", text)
    message = re.sub(r" \[[A-Z_]+\]$", "", message).partition("\n")[0].strip()
    if "Iteration budget" in message:
        return "it takes too long: the iteration budget is exceeded"
    if "bad_alloc" in message or "vector::reserve" in message:
        return "it needs too much memory"
    missing = re.fullmatch(r'Key not found in map : "(.*)"', message)
    if missing:
        return f"there is no key {missing[1]!r} (ask with has(…) first)"
    overload = re.fullmatch(r"No matching overloads found : (.*)", message)
    if overload:
        mixed = {"double", "int64"} <= set(re.findall(r"\w+", overload[1]))
        return f"no overload fits {overload[1]}" + (" (numbers of messages are doubles: write 1.0)" if mixed else "")
    return message or "it cannot be evaluated"
