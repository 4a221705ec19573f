"""An expression of a flow reads a key that is probably misspelled.

Messages are what their senders make them, so most keys cannot be known. Where they can, a name that is nearly right is
said: an argument of a tool by its `inputSchema`, a variable that some block sets, and `body.message` of an agent, in
expressions, in templates (prompts, paths) and in documents. Reading a key that is not there fails the block.

What to do: write the key that is meant. `has(body.key)` asks whether it is there.

Bad:

```yaml
# file: flows/shop.yaml
flows:
  - name: support
    process:
      - type: ai-agent
        name: assistant
        prompt: You help customers.
        input: body.mesage
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
        input: body.message
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-path"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
