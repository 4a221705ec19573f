"""The input schema of a flow's tool is no JSON Schema.

The model fills in the arguments by this schema, and they are checked against it before the tool's chain runs. It is the
JSON text (or YAML) of a JSON Schema of an object; of a `FlowTool` in Python, the dict `input_schema`.

What to do: mend the JSON, or what is wrong in the schema. Without `inputSchema` a tool takes any object.

Bad:

```yaml
# file: flows/shop.yaml
flows:
  - name: support
    process:
      - type: ai-agent
        name: assistant
        prompt: You help customers.
        tools:
          - name: lookup_order
            description: Look up one order by its id.
            inputSchema: '{"type": "object", "required": "orderId"}'
            process:
              - type: log
```

Good:

```yaml
# file: flows/shop.yaml
flows:
  - name: support
    process:
      - type: ai-agent
        name: assistant
        prompt: You help customers.
        tools:
          - name: lookup_order
            description: Look up one order by its id.
            inputSchema: '{"type": "object", "required": ["orderId"]}'
            process:
              - type: log
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-schema"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
