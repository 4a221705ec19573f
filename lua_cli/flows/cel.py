"""CEL: the one place that knows the engine. In: an expression's text; a scope. Out: an `Expression`; a JSON value, or a
`CelError`.

Numbers of JSON are doubles in CEL, and come back without a fraction where they have none. Evaluating is bounded by the
engine for comprehensions alone: `Expression.heavy` says where a time limit is needed around it. Runs nothing but CEL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from lua_cli.flows.cel_functions import declarations
from lua_cli.flows.cel_names import unknown_name
from lua_cli.flows.cel_values import Converted, NotJsonError, from_cel, to_cel

MAX_LENGTH = 10_000

_EXTENSIONS = ("lists", "sets", "strings", "math", "encoders", "two-var-comprehensions")
_PLACE = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): (.*?)(?:\n|$)")
_LOOPS = re.compile(
    r"\b(all|exists|exists_one|existsOne|map|filter|sortBy|transformList|distinct|flatten|contains|equivalent|intersects"
    r"|replace|join|sort)\s*\("
)
_UNBOUNDED = re.compile(r"\b(range|regexExtract)\s*\(")
_REFUSED = re.compile(r"\.\s*(transformMap|transformMapEntry)\s*\(")
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


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression sees. `render` gives the text of a template by its name."""

    body: Any = None
    vars: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    event_id: str = ""
    correlation_id: str = ""
    now: datetime | None = None
    render: Callable[[str], str] = _no_templates


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression. `loops` counts what walks over a list or a text once more; `unbounded`: it may make
    values of any size.
    """

    source: str
    program: Any = field(repr=False, compare=False)
    loops: int = 0
    unbounded: bool = False

    def heavy(self, scope: Scope) -> bool:
        """Whether evaluating it in this scope could take more than an instant."""
        if self.unbounded:
            return True
        if not self.loops:
            return False
        try:
            given = to_cel([scope.body, scope.vars])
        except (ValueError, OverflowError):  # evaluating says so
            return False
        nodes, text = given.nodes + len(self.source) // 2, given.characters + len(self.source)
        return nodes ** (self.loops + 1) > _LIMIT_NODES or text**2 > _LIMIT_TEXT

    def evaluate(self, scope: Scope) -> Any:
        """Its value as JSON. Raises CelError."""
        token = _render.set(scope.render)
        try:
            return from_cel(_value(self.program.eval(data=_activation(scope))))
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
    refused = _REFUSED.search(source)
    if refused:
        line = source.count("\n", 0, refused.start(1)) + 1
        column = refused.start(1) - source.rfind("\n", 0, refused.start(1))
        raise CelError(f"{refused[1]} is not available: write the map out, or use transformList", line, column)
    try:
        program = _environment().compile(source)
    except (RuntimeError, TypeError, ValueError) as error:
        raise _compile_error(str(error), source) from None
    return Expression(source, program, len(_LOOPS.findall(source)), _UNBOUNDED.search(source) is not None)


def _value(result: Any) -> Any:
    from cel_expr_python import cel

    if result.type() == cel.Type.ERROR:
        raise CelError(_said(str(result.value())))
    return result.plain_value()


def _activation(scope: Scope) -> dict[str, Any]:
    values: Converted = to_cel([scope.body, dict(scope.vars)])
    body, variables = values.value
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
    return head.replace("'<EOF>'", "the end") if expecting else message.replace("'<EOF>'", "the end")


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
