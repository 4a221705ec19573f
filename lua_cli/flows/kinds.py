"""Which blocks there are and what each takes: one table. In: nothing. Out: `KINDS`.

A leaf has everything under `settings`; a block that holds blocks has its slots beside `type`. docs/flows.md says what
each does.
"""

from __future__ import annotations

from lua_cli.records import field, record

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
LEVELS = ("debug", "info", "warn", "error")
MODES = ("iterate", "map")

# How a key is read: text, cel (bool, list, key: an expression that comes to that), cels (a mapping of expressions),
# template, flag, chain, cases, rules, status, seconds, method, level, flow, connector, resource, tool.


@record(frozen=True)
class Kind:
    """A kind of block: its keys and how each is read. `also`: other names of a key."""

    settings: dict[str, str] = field(default_factory=dict)
    slots: dict[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    also: dict[str, str] = field(default_factory=dict)

    @property
    def leaf(self) -> bool:
        return not self.slots


KINDS: dict[str, Kind] = {
    "set-payload": Kind({"value": "cel"}, required=("value",)),
    "set-variable": Kind({"name": "text", "value": "cel"}, required=("name", "value")),
    "delete-variable": Kind({"name": "text"}, required=("name",)),
    "flow-ref": Kind({"flow": "flow"}, required=("flow",)),
    "if": Kind(slots={"condition": "bool", "then": "chain", "else": "chain"}, required=("condition", "then")),
    "switch": Kind(slots={"cases": "cases", "default": "chain"}, required=("cases",)),
    "foreach": Kind(
        slots={"items": "list", "as": "text", "mode": "mode", "body": "chain"},
        required=("items", "body"),
        also={"process": "body"},
    ),
    "filter": Kind(slots={"condition": "bool"}, required=("condition",)),
    "enrich": Kind(
        slots={"body": "chain", "setBody": "cel", "setVars": "cels"}, required=("body",), also={"process": "body"}
    ),
    "handle-errors": Kind(slots={"process": "chain", "error": "chain"}, required=("process", "error")),
    "validate": Kind(slots={"rules": "rules", "onReject": "chain", "rejectStatus": "status"}, required=("rules",)),
    "log": Kind({"message": "cel", "level": "level", "logger": "connector"}),
    "rest": Kind(
        {
            "connector": "connector", "method": "method", "path": "template", "query": "cels", "headers": "cels",
            "body": "cel", "failOnError": "flag", "statusVar": "text", "as": "text", "timeout": "seconds",
        },
        required=("connector", "path"),
    ),
    "template-resource": Kind(
        {"resource": "resource", "as": "text"}, required=("resource",), also={"id": "resource", "target": "as"}
    ),
    "object-read": Kind({"key": "key", "as": "text", "default": "cel", "existsVar": "text"}, required=("key",)),
    "object-write": Kind({"key": "key", "value": "cel"}, required=("key",)),
    "object-delete": Kind({"key": "key"}, required=("key",)),
    "fail": Kind({"message": "cel"}, required=("message",)),
    "lua-tool": Kind({"tool": "tool", "input": "cel"}, required=("tool",)),
    "ai-agent": Kind(
        slots={
            "connector": "connector", "prompt": "template", "guardrail": "template", "tools": "tools",
            "skills": "skills", "maxIterations": "iterations", "default": "chain", "input": "cel", "answer": "answer",
        },
        required=("name", "prompt"),
    ),
}  # fmt: skip

SLOTS = tuple(sorted({slot for kind in KINDS.values() for slot in (*kind.slots, *kind.also)}))
