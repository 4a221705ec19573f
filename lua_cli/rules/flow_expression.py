"""An expression of a flow is not valid CEL, or fails whatever the message is.

Values of `set-payload`, conditions, keys, and what stands between `{{` and `}}` in templates are CEL
(https://cel.dev). They are compiled before anything runs. A text within CEL has quotes of its own, so in YAML it has
two pairs: `'"text"'`. Numbers of messages are doubles, and CEL adds no integer to a double: `body.n + 1.0` works, and
`body.n + 1` never does. An expression whose type is known must be one that the block takes: true or false for a
condition, a list for `items`, a text for `key`.

What to do: try it with `lua flow eval 'EXPRESSION' --data JSON`. Where braces are meant as text, `template: false` on
the resource, or `{{raw}}` and `{{endraw}}` around them, keeps them.

Bad:

```yaml
# file: flows/shop.yaml
flows:
  - name: hello
    process:
      - type: set-payload
        settings:
          value: hello
```

Good:

```yaml
# file: flows/shop.yaml
flows:
  - name: hello
    process:
      - type: set-payload
        settings:
          value: '"hello"'
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-expression"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
