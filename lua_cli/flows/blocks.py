"""Chains of blocks. In: nodes, a Reader. Out: `Chain`s; what is wrong goes to the reader."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import chain, count
from typing import Any

from lua_cli.flows.agents import read_agent
from lua_cli.flows.kinds import KINDS, LEVELS, METHODS, MODES, SLOTS, Kind
from lua_cli.flows.model import AGENT, Block, Case, Chain, Rule
from lua_cli.flows.reading import KEY, VALUE, Reader
from lua_cli.records import record
from lua_cli.source.yaml_text import Node

_NAME = re.compile(r"[^\s.\[\]]+")
_MAX_NESTING = 30
# What other words for a key stand for.
_OF_CASES = {"condition": "when", "if": "when", "case": "when", "expr": "when", "then": "process", "body": "process"}
_OF_RULES = {"condition": "expr", "when": "expr", "if": "expr", "rule": "expr", "error": "message"}


@record(frozen=True)
class Blocks:
    """Reads chains with a reader. `depth` is how many blocks are around."""

    reader: Reader
    depth: int = 0

    def chain(self, node: Node | None, address: str) -> Chain:
        """A list of blocks, or a mapping with `process`."""
        if node is not None and isinstance(node.value, dict):
            items = self.reader.table(node, "a chain", ("process", "name"), ("process",))
            node = items.get("process")
        if self.depth > _MAX_NESTING:
            if node is not None:
                hint = "move the inner part into a flow of its own, and call it with flow-ref"
                self.reader.say(VALUE, self.reader.place(node), f"blocks are nested over {_MAX_NESTING} deep", hint)
            return Chain(address)
        elements = self.reader.elements(node, "a chain")
        if node is not None and node.value == ():
            self.reader.say(VALUE, self.reader.place(node), "the chain is empty", "add a block: - type: log")
        labels = self._labels(elements)
        pairs = zip(elements, labels, strict=True)
        blocks = [block for element, label in pairs if (block := self.block(element, address, label)) is not None]
        named = [(item.value, item) for element in elements if (item := _name_node(element)) is not None]
        self.reader.names_once([(name, item) for name, item in named if isinstance(name, str)], "blocks of this chain")
        return Chain(address, tuple(blocks))

    def block(self, node: Node, chain: str, label: str) -> Block | None:
        """One block; None for one that is not known. `label` is its name in the chain."""
        reader = self.reader
        if not isinstance(node.value, dict):
            reader.say(VALUE, reader.place(node), "a block must be a mapping", "- type: set-payload")
            return None
        if "type" not in node.value:
            reader.say(VALUE, reader.place(node), "the block has no `type`", f"one of: {', '.join(KINDS)}")
            return None
        name = reader.words(node.value["type"], "type")
        if name is None:
            return None
        kind = KINDS.get(name)
        if kind is None:
            near = difflib.get_close_matches(name, KINDS, n=1)
            said = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(KINDS)}"
            reader.say(KEY, reader.place(node.value["type"]), f"there is no block `{name}`", said)
            return None
        address = f"{chain}.{label}"
        values = self._values(node, name, kind, address)
        place = reader.place(node.value.get("name") or node.value["type"])
        return Block(name, label, address, place, values)

    def _labels(self, elements: Sequence[Node]) -> list[str]:
        """The names of a chain's blocks: their own, else the type, with a number from the second one on."""
        given = [self._label(node) for node in elements]
        taken, labels = {label for label in given if label}, []
        for node, label in zip(elements, given, strict=True):
            kind = node.value.get("type") if isinstance(node.value, dict) else None
            kind = str(kind.value) if kind is not None else "?"
            free = chain((kind,), (f"{kind}#{number}" for number in count(2)))
            labels.append(label or next(one for one in free if one not in taken))
            taken.add(labels[-1])
        return labels

    def _label(self, node: Node) -> str | None:
        given = _name_node(node)
        label = self.reader.words(given, "name") if given is not None else None
        if label is not None and given is not None and not _NAME.fullmatch(label):
            hint = "a name is part of the block's address: no spaces, dots or brackets"
            self.reader.say(VALUE, self.reader.place(given), f"{label!r} cannot be a block's name", hint)
        return label

    def _values(self, node: Node, name: str, kind: Kind, address: str) -> dict[str, Any]:
        """What the block takes, by key."""
        reader = self.reader
        common = ("type", "name", "settings") if kind.settings else ("type", "name")
        known = (*common, *kind.slots, *(key for key, meant in kind.also.items() if meant in kind.slots))
        for key in node.value:
            if key not in known:
                self._misplaced(node, key, name, kind, known)
        items = {key: item for key, item in node.value.items() if key in kind.slots or key in kind.also}
        if kind.settings and "settings" in node.value:
            keys = (*kind.settings, *kind.also)
            items |= reader.table(node.value["settings"], f"the settings of {name}", keys)
        given: dict[str, Node] = {}
        for key, item in items.items():
            meant = kind.also.get(key, key)
            if meant in given:
                reader.say(VALUE, reader.place(item), f"`{key}` and `{meant}` mean the same here", "keep one of them")
            given[meant] = item
        for key in kind.required:
            if key not in given and not (key == "name" and "name" in node.value and "name" not in kind.settings):
                where = f"settings: {{{key}: …}}" if key in kind.settings else f"{key}: …"
                if key == "name" and "name" in node.value:
                    where += "; the `name` beside `type` is the block's own"
                reader.say(VALUE, reader.place(node.value["type"]), f"{name} has no `{key}`", f"add {where}")
        if name == AGENT:
            return {"agent": read_agent(self, given, address)}
        table = kind.settings | kind.slots
        read = {key: self._read(item, key, table[key], address, name) for key, item in given.items()}
        return {key: value for key, value in read.items() if value is not None}

    def _misplaced(self, node: Node, key: str, name: str, kind: Kind, known: tuple[str, ...]) -> None:
        """Say that a key does not belong beside `type`."""
        what = f"the block {name}"
        if key in kind.settings or kind.also.get(key) in kind.settings:
            self.reader.unknown(node, key, what, known, f"`{key}` belongs under `settings` of {name}")
        elif key in SLOTS:
            takes = ", ".join(kind.slots) if kind.slots else "no slots: everything stands under `settings`"
            self.reader.unknown(node, key, what, known, f"`{key}` is a slot of other blocks; {name} has {takes}")
        elif key == "settings":
            self.reader.unknown(node, key, what, known, f"{name} has no settings: write its keys beside `type`")
        else:
            self.reader.unknown(node, key, what, known)

    def _read(self, node: Node, key: str, how: str, address: str, name: str) -> Any:
        """One value, read as the table says."""
        reader = self.reader
        match how:
            case "cel":
                return reader.expression(node, key)
            case "bool" | "list" | "key":
                return reader.expression(node, key, how)
            case "cels":
                return reader.expressions(node, key)
            case "template":
                return reader.template(node, key)
            case "flag":
                return reader.flag(node, key)
            case "status":
                return reader.number(node, key, 100, 599)
            case "seconds":
                return reader.number(node, key, 0.001, 3600, whole=False)
            case "method":
                return reader.choice(node, key, METHODS)
            case "level":
                return reader.choice(node, key, LEVELS)
            case "mode":
                return reader.choice(node, key, MODES)
            case "chain":
                return self.inner().chain(node, f"{address}[{key}]")
            case "cases":
                return self._cases(node, address)
            case "rules":
                return self._rules(node)
        value = reader.words(node, key)
        if how in ("flow", "connector", "resource", "tool"):
            reader.mention(how, value, node, {"rest": "http-client", "log": "logger"}.get(name, ""))
        return value

    def inner(self) -> Blocks:
        """For a chain within a block."""
        return Blocks(self.reader, self.depth + 1)

    def _cases(self, node: Node, address: str) -> tuple[Case, ...]:
        cases = []
        for number, element in enumerate(self.reader.elements(node, "cases")):
            items = self.reader.table(element, "a case", ("when", "process", "name"), ("when", "process"), _OF_CASES)
            when = self.reader.expression(items.get("when"), "when", "bool")
            name = self.reader.words(items.get("name"), "name") or str(number)
            chain = self.inner().chain(items.get("process"), f"{address}[{name}]")
            if when is not None:
                cases.append(Case(when, chain))
        return tuple(cases)

    def _rules(self, node: Node) -> tuple[Rule, ...]:
        rules = []
        for element in self.reader.elements(node, "rules"):
            items = self.reader.table(element, "a rule", ("expr", "message"), ("expr", "message"), _OF_RULES)
            expr = self.reader.expression(items.get("expr"), "expr", "bool")
            message = self.reader.words(items.get("message"), "message")
            if expr is not None and message is not None:
                rules.append(Rule(expr, message))
        return tuple(rules)


def _name_node(node: Node) -> Node | None:
    found = node.value.get("name") if isinstance(node.value, dict) else None
    return found if isinstance(found, Node) else None
