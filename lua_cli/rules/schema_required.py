"""A JSON Schema requires a property that is probably another one.

What `required` names, the model has to give: a name that `properties` does not describe is given without a type and a
description, and the property that was meant stays optional. It holds for the schemas of tools in Python, of `FlowTool`
and of `inputSchema` in flows.

What to do: write the same name in both.

Bad:

```python
from lua_cli import LuaTool


class FindOrder(LuaTool[dict[str, str]]):
    name = "find_order"
    description = "Look up one order by its number. Use when the customer names an order."
    input_schema = {"type": "object", "required": ["orderID"], "properties": {"orderId": {"type": "string"}}}

    def execute(self, input: dict[str, str]) -> str:
        return "sent"
```

Good:

```python
from lua_cli import LuaTool


class FindOrder(LuaTool[dict[str, str]]):
    name = "find_order"
    description = "Look up one order by its number. Use when the customer names an order."
    input_schema = {"type": "object", "required": ["orderId"], "properties": {"orderId": {"type": "string"}}}

    def execute(self, input: dict[str, str]) -> str:
        return "sent"
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.flows.schemas import misspelt_required
from lua_cli.rules.judging.context import Context, short
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/schema-required"
SEVERITY: Final = "warning"
LATER = True


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        schema = tool.info.attributes["input_schema"]
        if schema.state == "known" and isinstance(schema.value, dict):
            for fault in misspelt_required(schema.value):
                message = f"the input schema of {short(schema.owner or tool.info.dotted)}: {fault.message}"
                yield Diagnostic(CODE, SEVERITY, message, context.place_of(schema, tool), help=fault.hint)


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
