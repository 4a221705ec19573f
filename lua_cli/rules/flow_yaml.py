"""A file of flows is not YAML.

Flows are YAML 1.2, read strictly: a key stands once in a mapping, keys are texts, there is one document in a file, no
tags. What another reader would quietly drop or change is said here.

What to do: mend the place that is shown. Two keys of one name are often a block that was copied.

Bad:

```yaml
# file: flows/shop.yaml
service: {name: shop}
flows:
  - name: hello
    process:
      - type: log
flows:
  - name: bye
    process:
      - type: log
```

Good:

```yaml
# file: flows/shop.yaml
service: {name: shop}
flows:
  - name: hello
    process:
      - type: log
  - name: bye
    process:
      - type: log
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-yaml"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
