"""A skill as a folder of the Agent Skills format (agentskills.io). In: an opened artifact. Out: the folder's name and
its files. Writes nothing.

SKILL.md has the name and description on top, then the skill's context, its tools and its document. The tools
themselves stay with `lua mcp`, which serves them to any client; references/tools.json has their schemas. A skill that
was made from such a folder is that folder again, with its context and tools beside; of an agent of flows the documents
are files beside (flow_skill.py).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.analysis.skill_folders import doubts
from lua_cli.bundle.flow_agent import held_agent
from lua_cli.errors import UsageError
from lua_cli.records import record
from lua_cli.scaffold.flow_skill import flow_skill
from lua_cli.sdk.skill_file import read_skill_file

if TYPE_CHECKING:
    from lua_cli.bundle.flow_agent import HeldAgent
    from lua_cli.bundle.model import OpenedArtifact

_NAME, _DESCRIPTION = 64, 1024
TOOLS = "references/tools.json"
_OTHER_TOOLS = "references/lua-tools.json"  # where the skill has a file of that name itself
_DERIVED = "the description is the context: write what it does and when to use it, description= in LuaSkill(…)"
_KEPT = ("license", "compatibility", "metadata", "allowed-tools")


@record(frozen=True)
class AgentSkill:
    """A folder to write: `files` by path, forward slashes. `notes` is what it lacks, or should say better."""

    name: str
    files: Mapping[str, bytes]
    notes: Sequence[str] = ()


def agent_skill(opened: OpenedArtifact) -> AgentSkill:
    """The folder for a skill. Raises UsageError for one without any words about what it is for."""
    held = held_agent(opened)
    if held is not None:
        return _of_flows(opened, held)
    about = opened.manifest["skill"]
    context, document = _context(about["context"]), _document(opened)
    description = " ".join((about["description"] or context).split())
    if not description:
        raise UsageError(f"the skill {opened.skill} has no description", hint="description= in LuaSkill(…)")
    name, files = _name(opened.skill), opened.beside
    tools = [_tool(tool) for tool in opened.manifest["tools"]]
    listed = _OTHER_TOOLS if TOOLS in files else TOOLS
    if "folder" in about:
        head, whole = _own_head(name, description, document)
        parts = [head, context, _tools(opened.skill, tools, listed), read_skill_file(document).body]
    else:
        whole, head, title = False, _head(name, description), f"# {opened.skill}"
        parts = [head, title, context, _tools(opened.skill, tools, listed), document]
    text = "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"
    text = document if whole and not (context or tools) else text
    if tools:
        files[listed] = (json.dumps(tools, ensure_ascii=False, indent=2) + "\n").encode()
    return AgentSkill(name, {"SKILL.md": text.encode(), **files}, () if about["description"] else (_DERIVED,))


def _of_flows(opened: OpenedArtifact, held: HeldAgent) -> AgentSkill:
    skill, name = flow_skill(opened.skill, held), _name(opened.skill)
    tools, files = [_tool(tool) for tool in opened.manifest["tools"]], dict(skill.files)
    listed = _OTHER_TOOLS if TOOLS in files else TOOLS
    if tools:
        files[listed] = (json.dumps(tools, ensure_ascii=False, indent=2) + "\n").encode()
    parts = [_head(name, skill.description), f"# {opened.skill}", *skill.texts]
    parts += [_tools(opened.skill, tools, listed), skill.documents]
    text = "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"
    return AgentSkill(name, {"SKILL.md": text.encode(), **files}, skill.notes)


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


def _own_head(name: str, description: str, document: str) -> tuple[str, bool]:
    """The frontmatter of a SKILL.md that is there: as it is, when the format allows it (True), else with what can be
    kept of it."""
    read = read_skill_file(document)
    if not list(doubts(read, name, "")):
        return f"---\n{read.head}\n---", True
    lines = (read.head or "").split("\n")
    kept = {key: lines[field.line - 2 : field.end_line - 1] for key, field in read.fields.items() if key in _KEPT}
    begun = _head(name, description).removesuffix("\n---")
    for keys in (kept, ()):
        head = "\n".join([begun, *(line for key in keys for line in kept[key]), "---"])
        if not list(doubts(read_skill_file(head), name, "")):
            break
    return head, False


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("---", "\\u002d--")  # some end the frontmatter at any `---`


def _context(context: str | Mapping[str, str]) -> str:
    return context if isinstance(context, str) else context.get("base") or context.get("text") or ""


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]}


def _tools(skill: str, tools: list[dict[str, Any]], listed: str) -> str:
    if not tools:
        return ""
    lines = [f"- `{tool['name']}`: {' '.join(tool['description'].split())}" for tool in tools]
    served = f"`lua mcp --skill {skill}` serves them; their input schemas are in [{listed}]({listed})."
    return "\n".join(["## Tools", "", *lines, "", served])


def _document(opened: OpenedArtifact) -> str:
    member = opened.manifest["skill"]["instructions"]
    return opened.files[member].decode("utf-8-sig", "replace") if member is not None else ""
