"""What a version says of itself: read off an artifact's manifest, and kept as text in a registry. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lua_cli.registry.protocol import SkillFacts, ToolFacts


def facts_of(manifest: Mapping[str, Any]) -> SkillFacts:
    """The facts in a `manifest.json` (docs/artifact.md)."""
    skill = manifest["skill"]
    digests = {file["path"]: f"sha256:{file['sha256']}" for file in manifest["files"]}
    return SkillFacts(
        description=skill["description"],
        context=skill["context"],
        instructions=digests[skill["instructions"]] if skill["instructions"] else "",
        has_condition=skill["hasCondition"],
        tools=tuple(_tool(tool) for tool in manifest["tools"]),
        env=tuple(manifest["env"]),
        defaults=tuple(read["name"] for read in manifest["envReads"] if read["optional"]),
    )


def facts_to_json(facts: SkillFacts) -> str:
    """One line of JSON, the same for the same facts."""
    document = {
        "description": facts.description,
        "context": facts.context,
        "instructions": facts.instructions,
        "hasCondition": facts.has_condition,
        "tools": [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.input_schema,
                "hasCondition": tool.has_condition,
                "voiceFlags": list(tool.voice_flags),
            }
            for tool in facts.tools
        ],
        "env": list(facts.env),
        "defaults": list(facts.defaults),
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def facts_from_json(text: str) -> SkillFacts:
    """The inverse of `facts_to_json`."""
    document = json.loads(text)
    return SkillFacts(
        description=document["description"],
        context=document["context"],
        instructions=document["instructions"],
        has_condition=document["hasCondition"],
        tools=tuple(_tool(tool) for tool in document["tools"]),
        env=tuple(document["env"]),
        defaults=tuple(document["defaults"]),
    )


def _tool(document: Mapping[str, Any]) -> ToolFacts:
    return ToolFacts(
        name=document["name"],
        description=document["description"],
        input_schema=document["inputSchema"],
        has_condition=document["hasCondition"],
        voice_flags=tuple(document["voiceFlags"]),
    )
