"""A rule's page taken apart: what it says, and the little projects of its Bad and Good blocks.

A block without a `# file: …` line is `tools.py`. A block without an `agent.py` gets one that registers the last class
of `tools.py`: the page then shows only what it is about.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from lua_cli.records import record
from lua_cli.rules.judging.catalogue import Rule, all_rules

_BLOCK = re.compile(r"^(Bad|Good):\n\n```(?:python|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^# file: (\S+)\n", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)

_AGENT = """\
from lua_cli import LuaAgent, LuaSkill

from tools import {tool}

docs = LuaSkill(name="examples", context="The tools of this page.", tools=[{tool}()])
agent = LuaAgent(name="acme", skills=[docs])
"""


_HEAD = """\
# Rules

What `lua compile` says about a project. An error blocks bundling and cannot be silenced. A warning can be, on its line
with `# lua: ignore[tool-name-style]`, or in the whole project:

```toml
[tool.lua]
ignore = ["tool-name-style"]

[tool.lua.rules]
tool-description-vague = "error"
```

`lua explain CODE` prints a rule's page. This page is made from the same text: `scripts/render-rules`.

| rule | severity | what is wrong |
|---|---|---|
"""


@record(frozen=True)
class Page:
    """bad, good: path → text of each example's files."""

    title: str
    bad: Mapping[str, str]
    good: Mapping[str, str]


def page_of(rule: Rule) -> Page:
    """The page of a rule. Raises ValueError when it has not exactly one Bad and one Good block."""
    blocks = _BLOCK.findall(rule.page)
    if [label for label, _ in blocks] != ["Bad", "Good"]:
        raise ValueError(f"the page of {rule.code} needs one Bad and one Good block, in this order")
    bad, good = (_files(text) for _, text in blocks)
    return Page(rule.title, bad, good)


def markdown_of(rule: Rule) -> str:
    """The page as Markdown, with its code as the heading."""
    body = rule.page.strip().partition("\n")[2].strip()
    return f"# {rule.code} ({rule.severity})\n\n{rule.title}\n\n{body}\n"


def reference() -> str:
    """docs/rules.md: the table of all rules, then every page."""
    rules = all_rules()
    rows = "".join(f"| [`{rule.code}`](#{_anchor(rule)}) | {rule.severity} | {rule.title} |\n" for rule in rules)
    return _HEAD + rows + "".join(f"\n{_section(rule)}" for rule in rules)


def _anchor(rule: Rule) -> str:
    return rule.code.replace("/", "")


def _section(rule: Rule) -> str:
    """A page under a heading of the second level. Code that Python cannot read is shown as text."""
    body = markdown_of(rule).partition("\n")[2].strip()
    for _, block in _BLOCK.findall(rule.page):
        if not _parses(block):
            for language in ("python", "yaml"):  # files of YAML beside others are no YAML either
                body = body.replace(f"```{language}\n{block}", f"```\n{block}")
    body = re.sub(r"^(Bad|Good):$", r"**\1**", body, flags=re.MULTILINE)
    return f"## {rule.code}\n\nSeverity: {rule.severity}\n\n{body}\n"


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _files(block: str) -> dict[str, str]:
    parts = _FILE.split(block)
    files = {"tools.py": parts[0]} if parts[0].strip() else {}
    for path, text in zip(parts[1::2], parts[2::2], strict=True):
        files[path] = text.rstrip("\n") + "\n"
    if "agent.py" not in files and not any(path.startswith("flows/") for path in files):
        files["agent.py"] = _AGENT.format(tool=_CLASS.findall(files["tools.py"])[-1])
    return files
