"""The SKILL.md of a folder is not quite what the format asks for.

lua-cli takes it all the same. Other programs that read [Agent Skills](https://agentskills.io) may refuse the folder: a
name that is not the folder's, or has other characters than lower-case letters, digits and single hyphens; more than 64
characters of name, 1024 of description, 500 of compatibility; a field that the format does not have; a text that YAML
reads otherwise, often for its `: `.

What to do: write what the message asks for. `lua export agent-skill` writes names and fields as the format wants them.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

pdf = LuaSkill.from_folder("skills/pdf")
agent = LuaAgent(name="acme", skills=[pdf])

# file: skills/pdf/SKILL.md
---
name: PDF
description: Split and merge PDF files. Use when: the customer sends one.
---
# PDF files
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
description: "Split and merge PDF files. Use when: the customer sends one."
---
# PDF files
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import said

CODE: Final = "lua/skill-folder-format"
SEVERITY: Final = "warning"


def from_finding(finding: Finding) -> Diagnostic:
    return said(finding, CODE, SEVERITY)
