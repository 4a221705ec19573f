"""YAML texts → `Flows`. In: texts by path, how resources are found, values of variables. Out: everything checked and
compiled, with findings. Reads no file itself, and runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.blocks import Blocks
from lua_cli.flows.cel_text import place_of
from lua_cli.flows.checks import check
from lua_cli.flows.model import Connector, Flow, Flows, Resource, Template, Variable
from lua_cli.flows.paths import check_paths
from lua_cli.flows.reading import YAML, Mention, Reader, plain_mapping
from lua_cli.flows.templates import TemplateError, parse_template, reads_body
from lua_cli.flows.variables import Substitution
from lua_cli.records import field, record
from lua_cli.source.yaml_text import Node, YamlError, parse_yaml

RESOURCE, HTTP = "lua/flow-resource", "http-client"
_SECTIONS = ("service", "env", "resources", "connectors", "flows")
_HTTP_SETTINGS = ("baseURL", "headers")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ResourceError(Exception):
    """A resource that cannot be had: why, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


Resources = Callable[[str, str], tuple[str, str]]
"""(path of the YAML file, path as written) → (path in the project, text). Raises ResourceError."""


def load(files: Mapping[str, str], resources: Resources, values: Mapping[str, str] | None = None) -> Flows:
    """All files as one. `values` are the variables' values; without them defaults stand in."""
    return _Loader(files, resources, values or {}).load()


@record
class _Loader:
    files: Mapping[str, str]
    resources: Resources
    values: Mapping[str, str]
    findings: list[Finding] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    service: str = ""
    env: dict[str, Variable] = field(default_factory=dict)
    templates: dict[str, Resource] = field(default_factory=dict)
    connectors: dict[str, Connector] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def load(self) -> Flows:
        read = [
            (reader, items) for path, text in sorted(self.files.items()) for reader, items in self._parsed(path, text)
        ]
        for reader, items in read:
            self._env(reader, items.get("env"))
        values = {name: self._value(variable) for name, variable in self.env.items()}
        given = {name for name, variable in self.env.items() if self._given(variable) is not None}
        valueless = frozenset(f"${{{name}}}" for name in self.env if name not in given)
        for reader, items in read:
            reader.valueless = valueless
            self._resources(reader, items.get("resources"))
            substitution = Substitution(reader, values)
            rest = {key: substitution.apply(items[key]) for key in ("service", "connectors", "flows") if key in items}
            self._service(reader, rest.get("service"))
            self._connectors(reader, rest.get("connectors"))
            self._flows(reader, rest.get("flows"))
            self.findings += reader.findings
            self.mentions += reader.mentions
        flows = Flows(
            self.service, self.env, self.templates, self.connectors, self.flows, (), {**self.files, **self.texts}
        )
        unread = any(finding.code == YAML for finding in self.findings)
        self.findings += check(flows, () if unread else self.mentions)  # what a name is, such a file may say
        readings = {key: found for reader, _ in read for key, found in reader.readings.items()}
        self.findings += check_paths(flows, readings)
        self.findings.sort(key=lambda finding: (finding.place, finding.code))
        return Flows(
            self.service, self.env, self.templates, self.connectors, self.flows, tuple(self.findings), flows.files
        )

    def _value(self, variable: Variable) -> str:
        """Its value; where there is none yet, something that stands for a text and for a number."""
        given = self._given(variable)
        return "0" if given is None else given

    def _given(self, variable: Variable) -> str | None:
        return self.values.get(variable.name, variable.default)

    def _parsed(self, path: str, text: str) -> list[tuple[Reader, dict[str, Node]]]:
        reader = Reader(path, text)
        try:
            tree = parse_yaml(text)
        except YamlError as error:
            place = Place(path, error.line, error.column, error.line, error.column + 1)
            hint = "a key may be there once" if "twice" in error.message else "the format is YAML 1.2: docs/flows.md"
            if "with `: ` in it" in error.message:
                hint = "a text that holds `: ` needs quotes, and so does an expression with `? … : …`"
            reader.say(YAML, place, error.message, hint)
            self.findings += reader.findings
            return []
        if tree is None:
            return []
        return [(reader, reader.table(tree, "a file of flows", _SECTIONS))]

    def _service(self, reader: Reader, node: Node | None) -> None:
        if node is None:
            return
        items = reader.table(node, "service", ("name",), ("name",))
        self.service = reader.words(items.get("name"), "name") or self.service

    def _env(self, reader: Reader, node: Node | None) -> None:
        for element in reader.elements(node, "env"):
            items = reader.table(element, "a variable", ("name", "default", "required"), ("name",))
            name = reader.words(items.get("name"), "name")
            if name is None:
                continue
            if not _VARIABLE.fullmatch(name):
                hint = "letters, digits and `_`, no digit first"
                reader.say("lua/flow-value", reader.place(items["name"]), f"{name!r} cannot be a variable's name", hint)
                continue
            place = reader.place(items["name"])
            if name in self.env:
                reader.twice(name, items["name"], "variables", self.env[name].place)
                continue
            default = _default(reader, items.get("default"))
            self.env[name] = Variable(name, place, default, reader.flag(items.get("required"), "required"))

    def _resources(self, reader: Reader, node: Node | None) -> None:
        if node is None:
            return
        sections = reader.table(node, "resources", ("templates",))
        for element in reader.elements(sections.get("templates"), "templates"):
            items = reader.table(element, "a template", ("resource", "as", "template"), ("resource",))
            written = reader.words(items.get("resource"), "resource")
            alias = reader.words(items.get("as"), "as") or written
            plain = reader.flag(items.get("template"), "template") is False and "template" in items
            if written is None or alias is None:
                continue
            node_of = items.get("as") or items["resource"]
            if alias in self.templates:
                reader.twice(alias, node_of, "templates", self.templates[alias].place)
                continue
            self._resource(reader, written, alias, items["resource"], plain)

    def _resource(self, reader: Reader, written: str, alias: str, node: Node, plain: bool) -> None:
        place = reader.place(node)
        try:
            path, text = self.resources(reader.path, written)
        except ResourceError as error:
            reader.say(RESOURCE, place, error.message, error.hint)
            self.templates[alias] = Resource(alias, written, place, Template(()))
            return
        self.texts[path] = text
        template, body = Template((text,)), None
        if not plain:
            try:
                template = parse_template(text)
                reader.words_of(template, text, "template", lambda at, size: _in_document(path, text, at, size))
                at = reads_body(text)
                body = Place(path, at[0], at[1], at[0], at[1] + len("body")) if at else None
            except TemplateError as error:
                at_error = Place(path, error.line, error.column, error.line, error.column + 1)
                hint = "`template: false` on the resource, or {{raw}} … {{endraw}}, keeps braces as they are"
                reader.say("lua/flow-expression", at_error, error.message, hint)
        self.templates[alias] = Resource(alias, path, place, template, body)

    def _connectors(self, reader: Reader, node: Node | None) -> None:
        for element in reader.elements(node, "connectors"):
            items = reader.table(element, "a connector", ("name", "type", "settings"), ("name", "type"))
            name, kind = reader.words(items.get("name"), "name"), reader.words(items.get("type"), "type")
            settings = items.get("settings")
            if settings is not None and not isinstance(settings.value, dict):
                reader.say("lua/flow-value", reader.place(settings), "settings must be a mapping", "settings: {…}")
            elif kind == HTTP and settings is not None:
                reader.table(settings, f"the settings of {HTTP}", _HTTP_SETTINGS, ("baseURL",))
            elif kind == HTTP:
                hint = "settings: {baseURL: https://api.example}"
                reader.say("lua/flow-value", reader.place(items["type"]), f"{HTTP} has no `baseURL`", hint)
            if name is None or kind is None:
                continue
            if name in self.connectors:
                reader.twice(name, items["name"], "connectors", self.connectors[name].place)
                continue
            self.connectors[name] = Connector(name, kind, plain_mapping(settings), reader.place(items["name"]))

    def _flows(self, reader: Reader, node: Node | None) -> None:
        for element in reader.elements(node, "flows"):
            items = reader.table(element, "a flow", ("name", "process", "error", "source"), ("name", "process"))
            name = reader.words(items.get("name"), "name")
            if name is not None and re.search(r"[\s.\[\]]", name):
                hint = "a name is part of addresses: no spaces, dots or brackets"
                reader.say("lua/flow-value", reader.place(items["name"]), f"{name!r} cannot be a flow's name", hint)
            flow = self._flow(reader, items, name or "?", element)
            if name is None:
                continue
            if name in self.flows:
                reader.twice(name, items["name"], "flows", self.flows[name].place)
                continue
            self.flows[name] = flow

    def _flow(self, reader: Reader, items: Mapping[str, Node], name: str, element: Node) -> Flow:
        blocks = Blocks(reader)
        chain = blocks.chain(items.get("process"), name)
        error = blocks.chain(items["error"], f"{name}[error]") if "error" in items else None
        source: dict[str, Any] | None = None
        if "source" in items:
            parts = reader.table(items["source"], "a source", ("connector", "type", "settings"), ("type",))
            connector = reader.words(parts.get("connector"), "connector")
            reader.mention("connector", connector, parts.get("connector"))
            source = {"type": reader.words(parts.get("type"), "type"), "connector": connector}
        place = reader.place(items["name"]) if "name" in items else reader.place(element)
        return Flow(name, place, chain, error, source)


def _in_document(path: str, text: str, at: int, size: int) -> Place:
    line, column = place_of(text, at)
    return Place(path, line, column, line, column + size)


def _default(reader: Reader, node: Node | None) -> str | None:
    if node is None:
        return None
    if isinstance(node.value, str):
        return node.value
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    if isinstance(node.value, int | float):
        return node.written  # variables are texts: 007 stays 007, and 1.10 is not 1.1
    reader.say("lua/flow-value", reader.place(node), "default must be a text", "put it in quotes")
    return None
