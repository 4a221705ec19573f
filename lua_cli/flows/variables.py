"""`${NAME}` in YAML. In: a node, the values of declared variables. Out: the node with values; what is not declared is
said.

A value that is exactly one placeholder has the variable's natural type; within a longer text it is text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from lua_cli.flows.reading import Reader
from lua_cli.records import record, replace
from lua_cli.source.yaml_text import Node

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NATURAL: Mapping[str, Any] = {"true": True, "false": False, "null": None, "": ""}


@record(frozen=True)
class Substitution:
    """Replaces placeholders in one file. `values` has every declared name."""

    reader: Reader
    values: Mapping[str, str]

    def apply(self, node: Node) -> Node:
        """The node with every placeholder replaced."""
        if isinstance(node.value, dict):
            return replace(node, value={key: self.apply(item) for key, item in node.value.items()})
        if isinstance(node.value, tuple):
            return replace(node, value=tuple(self.apply(item) for item in node.value))
        if not isinstance(node.value, str) or "${" not in node.value:
            return node
        for found in _PLACEHOLDER.finditer(node.value):
            if found[1] not in self.values:
                self._undeclared(found[1], node)
        whole = _PLACEHOLDER.fullmatch(node.value)
        if whole:
            return replace(node, value=_natural(self.values.get(whole[1], "")))
        return replace(node, value=_PLACEHOLDER.sub(lambda found: self.values.get(found[1], ""), node.value))

    def _undeclared(self, name: str, node: Node) -> None:
        near = difflib.get_close_matches(name, self.values, n=1)
        said = f"did you mean `{near[0]}`?" if near else f"declare it: env: [{{name: {name}}}]"
        place = self.reader.place(node)
        self.reader.say("lua/flow-reference", place, f"the variable {name} is not declared in `env`", said)


def _natural(text: str) -> Any:
    if text in _NATURAL:
        return _NATURAL[text]
    if re.fullmatch(r"[-+]?(0|[1-9][0-9]*)", text):
        return int(text)
    if re.fullmatch(r"[-+]?[0-9]+\.[0-9]+", text):
        return float(text)
    return text
