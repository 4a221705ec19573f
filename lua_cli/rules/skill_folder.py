"""A skill's folder cannot be used.

`LuaSkill.from_folder("skills/pdf")` takes a folder of the [Agent Skills](https://agentskills.io) format, relative to
the file that names it: SKILL.md begins with the name and the description between two lines of `---`, and goes on with
what the model reads when it loads the skill. Without a description the model could not choose it.

What to do: mend the path, or what the message names in SKILL.md.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

pdf = LuaSkill.from_folder("skills/pdf")
agent = LuaAgent(name="acme", skills=[pdf])

# file: skills/pdf/SKILL.md
# PDF files

Split and merge PDF files.
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

pdf = LuaSkill.from_folder("skills/pdf")
agent = LuaAgent(name="acme", skills=[pdf])

# file: skills/pdf/SKILL.md
---
name: pdf
description: Split and merge PDF files. Use when the customer sends one.
---
# PDF files
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/skill-folder"
SEVERITY: Final = "error"


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
