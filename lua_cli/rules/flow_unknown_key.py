"""A key or a block of a flow is not known.

A misspelt key would otherwise do nothing, and nobody would see it. A block that does one thing has everything under
`settings`; a block that holds other blocks has its slots (`condition`, `then`, `items` …) beside `type`, and a slot on
another block is refused too.

What to do: write the key that is meant, or move it to where it belongs.

Bad:

```yaml
# file: flows/shop.yaml
flows:
  - name: hello
    process:
      - type: if
        condition: body.n > 1.0
        than:
          process:
            - type: log
        then:
          - type: log
```

Good:

```yaml
# file: flows/shop.yaml
flows:
  - name: hello
    process:
      - type: if
        condition: body.n > 1.0
        then:
          process:
            - type: log
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-unknown-key"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
