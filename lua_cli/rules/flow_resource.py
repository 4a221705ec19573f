"""A resource of a flow cannot be read.

`resource` is the path of a text file, relative to the YAML file that names it. The artifact holds its text, so it has
to be in the project: a path or a link that leads out of it is refused, and so are files of secrets.

What to do: mend the path, or put the file into the project.

Bad:

```yaml
# file: flows/shop.yaml
resources:
  templates:
    - resource: ../../refunds.md
      as: refunds
```

Good:

```yaml
# file: flows/shop.yaml
resources:
  templates:
    - resource: refunds.md
      as: refunds

# file: flows/refunds.md
Refunds take five days.
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.diagnostics import Diagnostic, Finding
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/flow-resource"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
