"""The rules that judge what tools are called and what is said of them: those that run again when that alone has changed
(docs/architecture.md). All others may say a name, and none decides by one: tests/rules/test_worded.py sees to it.

In: a Context. Out: their diagnostics, each once. Imports only these rules.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lua_cli.diagnostics import Diagnostic
    from lua_cli.rules.judging.context import Context

_RULES = (
    "duplicate_tool", "provider_limits", "tool_confusion", "tool_description_missing", "tool_description_vague",
    "tool_name_invalid", "tool_name_style",
)  # fmt: skip
CODES = tuple("lua/" + name.replace("_", "-") for name in _RULES)


def judge_words(context: Context) -> list[Diagnostic]:
    """What these rules say, before levels and suppressions."""
    modules = [import_module(f"lua_cli.rules.{name}") for name in _RULES]
    return list(dict.fromkeys(one for module in modules for one in module.check(context)))
