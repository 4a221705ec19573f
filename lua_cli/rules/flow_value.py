"""A value in a flow is missing, or is not what it must be.

Each key of a flow takes one kind of value: a text, a number within bounds, true or false, a list, an expression. Names
of flows and blocks are parts of addresses (`support.assistant[lookup_order]`), so they have no dots and brackets; a
tool's name is what every model provider takes.

What to do: write a value of the kind that is named.

Bad:

```yaml
# file: flows/shop.yaml
flows:
  - name: support
    process:
      - type: ai-agent
        name: assistant
        prompt: You help customers.
        maxIterations: many
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
        maxIterations: 4
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-value"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
