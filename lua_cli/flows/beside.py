"""Flows beside Python. In: the flows, names of the project's skills and Python tools. Out: findings. Runs nothing."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.checks import REFERENCE
from lua_cli.flows.model import PYTHON, Flows


def beside_python(flows: Flows, skills: Mapping[str, Place], tools: Collection[str]) -> Iterator[Finding]:
    """Agents whose names are those of skills, and Python tools that are not there."""
    for _, block in flows.agents():
        if block.label in skills:
            message = f"the agent and a skill in Python are both called `{block.label}`"
            facts = {"message": message, "help": "give each a name of its own: both become artifacts"}
            yield Finding("lua/flow-duplicate-name", block.place, facts, ((skills[block.label], "the skill"),))
    for flow in flows.flows.values():
        for block in flow.blocks():
            name = block.values.get("tool") if block.type == PYTHON else None
            if name is not None and name not in tools:
                near = difflib.get_close_matches(name, tools, n=1)
                known = f"there are: {', '.join(sorted(tools))}" if tools else "register it in a skill of the agent"
                facts = {
                    "message": f"no registered skill has a Python tool `{name}`",
                    "help": f"did you mean `{near[0]}`?" if near else known,
                }
                yield Finding(REFERENCE, block.place, facts)
