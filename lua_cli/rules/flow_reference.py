"""A flow names something that is not there.

`flow-ref` names a flow without a source, `connector` a connector of the right type, `resource` a declared template,
`${NAME}` and `env.NAME` a declared variable, `lua-tool` a tool of a registered skill, and a `FlowTool` of a skill in
Python a flow without a source. All of them are looked up before anything runs.

What to do: declare it, or write the name that is meant.

Bad:

```yaml
# file: flows/shop.yaml
flows:
  - name: lookup-order
    process:
      - type: log
  - name: support
    process:
      - type: flow-ref
        settings: {flow: lookup-orders}
```

Good:

```yaml
# file: flows/shop.yaml
flows:
  - name: lookup-order
    process:
      - type: log
  - name: support
    process:
      - type: flow-ref
        settings: {flow: lookup-order}
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-reference"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
