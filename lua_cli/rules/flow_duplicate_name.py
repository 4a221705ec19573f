"""Two things in the flows have the same name.

Flows, connectors, templates, variables, agents, the blocks of one chain, and the tools and skills of one agent are
found by name, so each name may be there once, over all files of the folder. An agent's name is its skill's, which no
skill in Python may have either.

What to do: give one of the two another name.

Bad:

```yaml
# file: flows/shop.yaml
flows:
  - name: lookup
    process:
      - type: log

# file: flows/more.yaml
flows:
  - name: lookup
    process:
      - type: log
```

Good:

```yaml
# file: flows/shop.yaml
flows:
  - name: lookup
    process:
      - type: log

# file: flows/more.yaml
flows:
  - name: lookup-more
    process:
      - type: log
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-duplicate-name"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
