"""YAML text → plain values with places. In: text. Out: a Node tree, or a YamlError with line and column. Reads no file.

YAML 1.2, strictly: a key twice is refused, keys are strings, tags and documents after the first are refused, an alias
that leads into itself too, and numbers that JSON has not. What is neither null, a boolean nor a number is a string: a
date stays as it is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lua_cli.records import record
from lua_cli.source.yaml_words import plainly

_PLAIN = {f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")}
_STRING = {f"tag:yaml.org,2002:{name}" for name in ("str", "timestamp", "merge", "value")}
_GROUP = {f"tag:yaml.org,2002:{name}" for name in ("map", "seq")}
_MAX_DEPTH, _MAX_NODES = 100, 100_000
_MAX_BRACKETS = 300


class YamlError(Exception):
    """Text that is not the YAML that is read here. Line and column count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


@record(frozen=True)
class Node:
    """A value and where it stands. `value` is a scalar, a tuple of nodes, or a dict of nodes by key; `keys` has the
    keys' places. Of a scalar, `end` is where it ends, `style` how it is written: "", "'", '"', "|" or ">", and
    `written` its characters: `007` and `1.10` are more than the numbers that they are read as.
    """

    value: Any
    line: int
    column: int
    keys: Mapping[str, tuple[int, int]] | None = None
    end: tuple[int, int] = (0, 0)
    style: str = ""
    written: str = ""

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, tuple):
            return [node.plain() for node in self.value]
        return self.value

    def items(self) -> Iterator[tuple[str, Node]]:
        """Keys and nodes of a mapping; empty for anything else."""
        return iter(self.value.items() if isinstance(self.value, dict) else ())

    @property
    def elements(self) -> Sequence[Node]:
        """The nodes of a sequence; empty for anything else."""
        return self.value if isinstance(self.value, tuple) else ()


def parse_yaml(text: str) -> Node | None:
    """The tree of the one document in `text`; None for an empty one. Raises YamlError."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    other = re.match(r"%YAML\s+(?!1\.2\s)", text)
    if other:
        raise YamlError("only YAML 1.2 is read: leave the line out", 1, 1)
    if _deepest(text) > _MAX_BRACKETS:  # the parser would take minutes for some thousands
        raise YamlError("is nested too deeply", 1, 1)
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        said = str(error.problem or error.context or "cannot be read")
        raise YamlError(plainly(said, text, line, column), line, column) from None
    except RecursionError:
        raise YamlError("is nested too deeply", 1, 1) from None
    except (YAMLError, ValueError) as error:
        line, column = _place_of_control(text)
        raise YamlError(plainly(str(error).partition("\n")[0] or "cannot be read", text, 1, 1), line, column) from None
    return None if root is None else _Reader(yaml.constructor).read(root, 1)


def _place_of_control(text: str) -> tuple[int, int]:
    """The line and column of the first character that YAML does not have; (1, 1) without one."""
    found = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    before = text[: found.start()].split("\n") if found else [""]
    return len(before), len(before[-1]) + 1


class _Reader:
    def __init__(self, constructor: Any) -> None:
        self._constructor = constructor
        self._open: set[int] = set()
        self._count = 0

    def read(self, node: Any, depth: int) -> Node:
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        self._count += 1
        if depth > _MAX_DEPTH or self._count > _MAX_NODES or id(node) in self._open:
            raise YamlError("is nested too deeply, too large, or contains itself", line, column)
        self._open.add(id(node))
        value: Any
        keys: dict[str, tuple[int, int]] | None
        if node.id != "scalar" and _tag(node) not in _GROUP:
            raise YamlError(f"the tag {_tag(node)} is not known", line, column)
        if node.id == "mapping":
            value, keys = self._mapping(node, depth)
        elif node.id == "sequence":
            value, keys = tuple(self.read(item, depth + 1) for item in node.value), None
        else:
            value, keys = self._scalar(node, line, column), None
        self._open.discard(id(node))
        end = (node.end_mark.line + 1, node.end_mark.column + 1)
        written = node.value if node.id == "scalar" else ""
        return Node(value, line, column, keys, end, getattr(node, "style", None) or "", written)

    def _mapping(self, node: Any, depth: int) -> tuple[dict[str, Node], dict[str, tuple[int, int]]]:
        value: dict[str, Node] = {}
        keys: dict[str, tuple[int, int]] = {}
        for key, item in node.value:
            line, column = key.start_mark.line + 1, key.start_mark.column + 1
            if key.id != "scalar":
                raise YamlError("a key must be a string", line, column)
            if key.value in value:
                raise YamlError(f"the key `{key.value}` is there twice", line, column)
            value[key.value] = self.read(item, depth + 1)
            keys[key.value] = (line, column)
        return value, keys

    def _scalar(self, node: Any, line: int, column: int) -> Any:
        tag = _tag(node)
        if tag in _PLAIN and "_" in node.value and not node.style:
            return node.value  # 1_000 was a number in YAML 1.1
        if tag in _PLAIN:
            try:
                value = self._constructor.construct_object(node)
            except (ValueError, LookupError):  # what it says of itself with a tag: `!!int ""`, `!!bool maybe`
                kind = tag.rpartition(":")[2]
                raise YamlError(f"{node.value!r} is no value of the type {kind}", line, column) from None
            if isinstance(value, float) and not math.isfinite(value):
                raise YamlError(f"{node.value} is no number that JSON has", line, column)
            return value
        if tag in _STRING:
            return _whole(node.value, line, column)
        raise YamlError(f"the tag {tag} is not known", line, column)


def _whole(text: str, line: int, column: int) -> str:
    """A text whose characters are whole: JSON writes some as two halves, `"\\ud83d\\ude00"`. Raises YamlError."""
    if text.isascii() or not re.search("[\ud800-\udfff]", text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise YamlError("the text holds half of a character (a lone surrogate)", line, column) from None


def _deepest(text: str) -> int:
    """How deep `[` and `{` nest at most, quoted ones counted too."""
    depth = deepest = 0
    for found in re.finditer(r"[\[\]{}]", text):
        depth += 1 if found[0] in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _tag(node: Any) -> str:
    return str(node.ctag if hasattr(node, "ctag") else node.tag)
