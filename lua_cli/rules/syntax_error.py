"""A file is not valid Python.

Nothing in it can be read, and Python itself would refuse to import it. The same code stands for a file that cannot be
decoded: Python reads UTF-8 unless the first lines say otherwise.

What to do: mend the place that is shown, often the end of the line before it. A file that uses syntax of a newer Python
than the one that runs `lua` cannot be read by it: run `lua` with that Python.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way."
agent = LuaAgent(name="acme", skills=[orders])
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way.")
agent = LuaAgent(name="acme", skills=[orders])
```
"""

from __future__ import annotations

import re
from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of

CODE: Final = "lua/syntax-error"
SEVERITY: Final = "error"


def from_finding(finding: Finding) -> Diagnostic:
    reason = finding.facts.get("reason", "") or "invalid syntax"
    help_ = finding.facts.get("advice") or _help(reason)
    return diagnostic_of(finding, CODE, SEVERITY, f"not valid Python: {reason}", help_)


def _help(reason: str) -> str:
    newer = re.search(r"Python (\d+\.\d+) or newer", reason)
    if newer:
        return f"run lua-cli with Python {newer[1]}, or write it for the Python that runs it"
    if "decoded" in reason or "encoding" in reason:
        return "save the file as UTF-8, or name its encoding in the first line: `# -*- coding: latin-1 -*-`"
    return "mend it here, or at the end of the line before"
