"""A skill's document reads `body`.

The document is rendered when the model loads it. Until a tool runs, `body` is the agent's message; after that it is
what the last tool left. A document that reads it works in one order of calls and breaks in another.

What to do: keep what the document needs in a variable before the agent (`set-variable`), and read `vars` in it.

Bad:

```yaml
# file: flows/shop.yaml
resources:
  templates:
    - {resource: refunds.md, as: refunds}
flows:
  - name: support
    process:
      - type: ai-agent
        name: assistant
        prompt: You help customers.
        skills:
          - name: refunds
            description: How refunds work.
            resource: refunds

# file: flows/refunds.md
Refunds for {{ body.customer }} take five days.
```

Good:

```yaml
# file: flows/shop.yaml
resources:
  templates:
    - {resource: refunds.md, as: refunds}
flows:
  - name: support
    process:
      - type: set-variable
        settings: {name: customer, value: body.customer}
      - type: ai-agent
        name: assistant
        prompt: You help customers.
        skills:
          - name: refunds
            description: How refunds work.
            resource: refunds

# file: flows/refunds.md
Refunds for {{ vars.customer }} take five days.
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-document-body"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
