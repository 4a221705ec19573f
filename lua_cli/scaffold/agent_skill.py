"""A skill as a folder of the Agent Skills format (agentskills.io). In: an opened artifact. Out: the folder's name and
its files. Writes nothing.

SKILL.md has the name and description on top, then the skill's context, its tools and its document. The tools
themselves stay with `lua mcp`, which serves them to any client; references/tools.json has their schemas.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lua_cli.errors import UsageError

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact

_NAME, _DESCRIPTION = 64, 1024
TOOLS = "references/tools.json"


@dataclass(frozen=True, slots=True)
class AgentSkill:
    """A folder to write: `files` by path, forward slashes."""

    name: str
    files: Mapping[str, str]


def agent_skill(opened: OpenedArtifact) -> AgentSkill:
    """The folder for a skill. Raises UsageError for one without any words about what it is for."""
    about = opened.manifest["skill"]
    context = _context(about["context"])
    description = " ".join((about["description"] or context).split())
    if not description:
        raise UsageError(f"the skill {opened.skill} has no description", hint="description= in LuaSkill(…)")
    name = _name(opened.skill)
    tools = [_tool(tool) for tool in opened.manifest["tools"]]
    parts = [_head(name, description), f"# {opened.skill}", context, _tools(opened.skill, tools), _document(opened)]
    files = {"SKILL.md": "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"}
    if tools:
        files[TOOLS] = json.dumps(tools, ensure_ascii=False, indent=2) + "\n"
    return AgentSkill(name, files)


def _name(skill: str) -> str:
    """The name as the format has it: lower case, letters, digits and single hyphens, at most 64. Raises UsageError."""
    plain = unicodedata.normalize("NFKC", skill).lower()
    words = "".join(character if character.isalnum() else " " for character in plain).split()
    name = "-".join(words)[:_NAME].strip("-")
    if not name:
        raise UsageError(f"the skill {skill!r} has no letters that a folder could be named by")
    return name


def _head(name: str, description: str) -> str:
    """The frontmatter; quoted as JSON, which YAML reads alike."""
    short = description if len(description) <= _DESCRIPTION else description[: _DESCRIPTION - 1] + "…"
    return f"---\nname: {_quoted(name)}\ndescription: {_quoted(short)}\n---"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _context(context: str | Mapping[str, str]) -> str:
    return context if isinstance(context, str) else context.get("base") or context.get("text") or ""


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]}


def _tools(skill: str, tools: list[dict[str, Any]]) -> str:
    if not tools:
        return ""
    lines = [f"- `{tool['name']}`: {' '.join(tool['description'].split())}" for tool in tools]
    served = f"`lua mcp --skill {skill}` serves them; their input schemas are in [{TOOLS}]({TOOLS})."
    return "\n".join(["## Tools", "", *lines, "", served])


def _document(opened: OpenedArtifact) -> str:
    member = opened.manifest["skill"]["instructions"]
    return opened.files[member].decode("utf-8-sig", "replace") if member is not None else ""
