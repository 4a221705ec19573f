"""The document of a skill is not there.

`instructions` is the path of a Markdown file, relative to the file that names it. The artifact holds the document, so
that the model can load it; without it the skill has nothing to say.

What to do: mend the path, or write the document.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

refunds = LuaSkill(name="refunds", description="How refunds work.", instructions="refund.md")
agent = LuaAgent(name="acme", skills=[refunds])

# file: refunds.md
Refunds take five days.
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

refunds = LuaSkill(name="refunds", description="How refunds work.", instructions="refunds.md")
agent = LuaAgent(name="acme", skills=[refunds])

# file: refunds.md
Refunds take five days.
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, subject

CODE: Final = "lua/document-missing"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "the document")
    help_ = "`instructions` is a path relative to the file that names it"
    return diagnostic_of(finding, CODE, SEVERITY, f"cannot bundle the document {what}{because(finding)}", help_)
