"""Nodes of YAML → checked values. In: a node, what is wanted. Out: the value, or nothing and a finding with its place.

What is wrong never stops the reading: one run says all there is to say.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.cel import CelError, Expression, compile_cel
from lua_cli.flows.cel_text import place_of
from lua_cli.flows.certain import mixed_numbers, wrong_type
from lua_cli.flows.meant import meant_number
from lua_cli.flows.model import Template
from lua_cli.flows.paths import Reading, keys_read
from lua_cli.flows.templates import TemplateError, expressions_at, parse_template
from lua_cli.records import field, record, replace
from lua_cli.source.yaml_text import Node

_DATE = re.compile(r"\d{4}-\d\d?-\d\d?")
YAML, KEY, VALUE, EXPRESSION = "lua/flow-yaml", "lua/flow-unknown-key", "lua/flow-value", "lua/flow-expression"

Span = Callable[[int, int], Place]
"""(offset in a text, how many characters) → their place."""


@record(frozen=True)
class Mention:
    """A name that something must have: checked when all files are read. `kind`: flow, connector, template, tool."""

    kind: str
    name: str
    place: Place
    wanted: str = ""


@record
class Reader:
    """Reads the nodes of one file. `path` is the file's in the project, `text` its text."""

    path: str
    text: str
    findings: list[Finding] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    readings: dict[int, list[Reading]] = field(default_factory=dict)
    valueless: frozenset[str] = frozenset()  # placeholders of variables without a value
    kept: list[Expression] = field(default_factory=list)  # while they live, so do their identities

    def say(self, code: str, place: Place, message: str, hint: str) -> None:
        """Note what is wrong."""
        self.findings.append(Finding(code, place, {"message": message, "help": hint}))

    def place(self, node: Node) -> Place:
        """Where a node stands: the whole of a scalar on one line, else its beginning."""
        line, column = node.end
        if line == node.line and column > node.column:
            return Place(self.path, node.line, node.column, line, column)
        return Place(self.path, node.line, node.column, node.line, node.column + 1)

    def key_place(self, node: Node, key: str) -> Place:
        """Where a key of a mapping stands."""
        line, column = (node.keys or {}).get(key, (node.line, node.column))
        return Place(self.path, line, column, line, column + max(len(key), 1))

    def table(
        self,
        node: Node | None,
        what: str,
        keys: Iterable[str],
        required: Iterable[str] = (),
        meant: Mapping[str, str] | None = None,
    ) -> dict[str, Node]:
        """The items of a mapping: unknown keys are said and left out, and so is what is missing. `meant`: what other
        words stand for.
        """
        known, instead = tuple(keys), meant or {}
        if node is None or not isinstance(node.value, dict):
            if node is not None:
                self.say(VALUE, self.place(node), f"{what} must be a mapping", f"keys: {', '.join(known)}")
            return {}
        for key in node.value:
            if key not in known:
                self.unknown(node, key, what, known, f"did you mean `{instead[key]}`?" if key in instead else "")
        for key in required:
            if key not in node.value and not any(instead.get(other) == key for other in node.value):
                self.say(VALUE, self.place(node), f"{what} has no `{key}`", f"add `{key}:`")
        return {key: item for key, item in node.value.items() if key in known}

    def unknown(self, node: Node, key: str, what: str, known: tuple[str, ...], hint: str = "") -> None:
        """Say that a key is not known."""
        near = difflib.get_close_matches(key, known, n=1)
        expected = f"expected keys: {', '.join(known)}" if known else "it takes no keys here"
        hint = hint or (f"did you mean `{near[0]}`? {expected}" if near else expected)
        self.say(KEY, self.key_place(node, key), f"unknown key `{key}` in {what}", hint)

    def elements(self, node: Node | None, what: str) -> tuple[Node, ...]:
        """The elements of a list."""
        if node is None:
            return ()
        if not isinstance(node.value, tuple):
            self.say(VALUE, self.place(node), f"{what} must be a list", "begin each element with `- `")
            return ()
        return node.value

    def words(self, node: Node | None, what: str) -> str | None:
        """A text that is not empty."""
        if node is None:
            return None
        if not isinstance(node.value, str) or not node.value.strip():
            self.say(VALUE, self.place(node), f"{what} must be a text", "put it in quotes")
            return None
        return node.value

    def later(self, node: Node) -> bool:
        """Whether it is a variable alone whose value is not known before it runs."""
        return node.value != node.written and node.written in self.valueless

    def _guessed(self, node: Node) -> bool:
        """Whether a variable without a value stands in it: its words are not those that will run."""
        return node.value != node.written and any(one in node.written for one in self.valueless)

    def flag(self, node: Node | None, what: str) -> bool:
        """true or false; false without one."""
        if node is None or self.later(node):
            return False
        if not isinstance(node.value, bool):
            meant = "false" if str(node.value).lower() in ("no", "off", "n", "false", "0") else "true"
            self.say(VALUE, self.place(node), f"{what} must be true or false", f"{what}: {meant}")
            return False
        return node.value

    def number(self, node: Node | None, what: str, least: float, most: float, *, whole: bool = True) -> Any:
        """A number within bounds; None without one."""
        if node is None or self.later(node):
            return None
        right = type(node.value) is int or (not whole and type(node.value) is float)
        if not right or not least <= node.value <= most:
            kind = "a whole number" if whole else "a number"
            meant = meant_number(node.value, least, most, whole=whole)
            said = f"{what} must be {kind} from {least} to {most}"
            self.say(VALUE, self.place(node), said, f"{what}: {least if meant is None else meant}")
            return None
        return node.value

    def choice(self, node: Node | None, what: str, options: tuple[str, ...]) -> str | None:
        """One of several words; None without one."""
        if node is None or self.later(node):
            return None
        if node.value not in options:
            near = difflib.get_close_matches(str(node.value), options, n=1)
            said = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(options)}"
            self.say(VALUE, self.place(node), f"{what} must be one of {', '.join(options)}", said)
            return None
        return str(node.value)

    def expression(self, node: Node | None, what: str, needed: str = "") -> Expression | None:
        """A CEL expression; a bare number, true or false is one too. `needed`: what it must come to, bool, list or
        key; anything without.
        """
        if node is None:
            return None
        source = node.value if isinstance(node.value, str) else None
        if isinstance(node.value, bool | int | float):
            source = json.dumps(node.value)
        if source is None:
            said = "null needs quotes, as every expression: 'null'" if node.value is None else "write it in one text"
            self.say(VALUE, self.place(node), f"{what} must be a CEL expression", said)
            return None
        if not node.style and _DATE.fullmatch(source):
            said = f"""a text needs quotes of its own: '"{source}"'; a time is timestamp("{source}T00:00:00Z")"""
            self.say(EXPRESSION, self.place(node), f"{what}: {source} is a subtraction, not a date", said)
            return None
        try:
            compiled = compile_cel(source)
        except CelError as error:
            hint = f"try it: lua flow eval '…' --data '{{}}' ({what} is CEL; a text needs quotes within: '\"text\"')"
            place = self.within(node, error.line, error.column)
            self.say(EXPRESSION, place, f"{what}: {error.message}", hint)
            return None
        certain = not self._guessed(node)
        self._words_of(compiled, what, lambda at, size: self.span(node, source, at, size), certain=certain)
        wrong = wrong_type(compiled, needed, what) if needed and certain else None
        if wrong is not None:
            self.say(EXPRESSION, self.span(node, source, wrong.at, wrong.size), wrong.message, wrong.hint)
        return compiled

    def _words_of(self, expression: Expression, what: str, span: Span, *, certain: bool) -> None:
        """What the words of an expression say: numbers that do not mix, keys, templates. `span` gives their places;
        `certain`: no word stands for one that only a run knows.
        """
        for fault in mixed_numbers(expression.source) if certain else ():
            self.say(EXPRESSION, span(fault.at, fault.size), f"{what}: {fault.message}", fault.hint)
        found = [Reading(root, name, span(at, len(name))) for root, name, at in keys_read(expression.source)]
        if found:
            self.kept.append(expression)
            self.readings[id(expression)] = found
        for token in expression.words.templates:
            self._template_named(token.text, span(token.at, 1))

    def _template_named(self, written: str, place: Place) -> None:
        """Remember a template that an expression names outright."""
        if "\\" not in written and written[0] in "\"'":
            self.mentions.append(Mention("resource", written.strip(written[0]), place))

    def span(self, node: Node, text: str, at: int, size: int) -> Place:
        """The place of some characters of a scalar's text."""
        return _widened(self.within(node, *place_of(text, at)), size)

    def expressions(self, node: Node | None, what: str) -> dict[str, Expression] | None:
        """A mapping of names to CEL expressions."""
        if node is None:
            return None
        if not isinstance(node.value, dict):
            self.say(
                VALUE, self.place(node), f"{what} must be a mapping of names to CEL", f"{what}:\n  name: body.name"
            )
            return None
        found = {key: self.expression(item, f"{what}.{key}") for key, item in node.value.items()}
        return {key: item for key, item in found.items() if item is not None}

    def template(self, node: Node | None, what: str) -> Template | None:
        """A text with `{{ CEL }}`."""
        text = self.words(node, what)
        if text is None or node is None:
            return None
        try:
            template = parse_template(text)
        except TemplateError as error:
            hint = "between {{ and }} stands CEL; {{raw}} … {{endraw}} keeps braces as they are"
            self.say(EXPRESSION, self.within(node, error.line, error.column), f"{what}: {error.message}", hint)
            return None
        certain = not self._guessed(node)
        self.words_of(template, text, what, lambda at, size: self.span(node, text, at, size), certain=certain)
        return template

    def words_of(self, template: Template, text: str, what: str, span: Span, *, certain: bool = True) -> None:
        """What the expressions of a template say, made of `text`."""
        expressions = [part for part in template.parts if isinstance(part, Expression)]
        for expression, start in zip(expressions, expressions_at(text), strict=True):

            def moved(at: int, size: int, start: int = start) -> Place:
                return span(start + at, size)

            self._words_of(expression, what, moved, certain=certain)

    def within(self, node: Node, line: int, column: int) -> Place:
        """A place in the text of a scalar, in the file; the scalar's own where the way it is written hides it."""
        if not line:
            return self.place(node)
        lines = self.text.split("\n")
        if node.style == "|":
            at = node.line + line
            content = lines[node.line : at]
            indent = next((len(one) - len(one.lstrip(" ")) for one in content if one.strip()), 0)
            if node.value != node.written:  # a variable's value stands there instead of its name
                column = 1
            return Place(self.path, at, indent + column, at, indent + column + 1)
        on_one_line = line <= 1 and node.line == node.end[0] and isinstance(node.value, str)
        if node.style == ">" or not on_one_line or node.value not in lines[node.line - 1]:
            return self.place(node)
        start = node.column + (1 if node.style else 0) + column - 1
        return Place(self.path, node.line, start, node.line, start + 1)

    def mention(self, kind: str, name: str | None, node: Node | None, wanted: str = "") -> None:
        """Remember a name that something must have."""
        if name is not None and node is not None:
            self.mentions.append(Mention(kind, name, self.place(node), wanted))

    def names_once(self, items: Iterable[tuple[str, Node]], what: str) -> None:
        """Say which names are there twice."""
        first: dict[str, Node] = {}
        for name, node in items:
            before = first.setdefault(name, node)
            if before is not node:
                self.twice(name, node, what, self.place(before))

    def twice(self, name: str, node: Node, what: str, before: Place) -> None:
        """Say that a name is there already."""
        facts = {"message": f"two {what} are called `{name}`", "help": "give each a name of its own"}
        related = ((before, "the first one"),)
        self.findings.append(Finding("lua/flow-duplicate-name", self.place(node), facts, related))


def _widened(place: Place, size: int) -> Place:
    """A place of one character as one of several; any other as it is."""
    if (place.line, place.column + 1) != (place.end_line, place.end_column):
        return place
    return replace(place, end_column=place.column + size)


def plain_mapping(node: Node | None) -> Mapping[str, Any]:
    """The settings of a connector or a source, as they are."""
    value = node.plain() if node is not None else {}
    return value if isinstance(value, dict) else {}
