"""manifest.json: what an artifact says of itself. docs/artifact.md documents each key.

In: a draft and the schemas of its tools, or the bytes of a manifest. Out: the checked document.
Nothing of the time, the machine, the user or the CLI goes in: those belong to the record of a push.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.bundle.canonical import manifest_bytes
from lua_cli.bundle.shape import Check, ManifestError, check, each, maybe, one_of, record, table

if TYPE_CHECKING:
    from lua_cli.bundle.model import Draft, DraftTool

FORMAT = 1
_OPEN_OBJECT: Mapping[str, Any] = {"type": "object"}


def build_manifest(draft: Draft, schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The document for a draft. `schemas` goes by "module:qualname"; a tool that is not in it has null for its schemas
    (not known yet), a tool without an input schema of its own takes any object."""
    called = [{"tool": name, "module": module, "qualname": qualname} for name, module, qualname in draft.called]
    if draft.flow is not None:
        flow = {"flow": {"flow": draft.flow.flow, "block": draft.flow.block, "python": called}}
    else:
        flow = {"flows": {"python": called}} if any(tool.flow for tool in draft.tools) else {}
    condition = draft.condition and {"module": draft.condition[0], "attribute": draft.condition[1]}
    return {
        "format": FORMAT,
        "skill": {
            "name": draft.skill,
            "description": draft.description,
            "context": draft.context if isinstance(draft.context, str) else dict(draft.context),
            "instructions": draft.instructions,
            "hasCondition": condition is not None,
            "condition": condition,
            **({"folder": draft.folder} if draft.folder else {}),
        },
        "tools": [_tool(tool, schemas.get(f"{tool.module}:{tool.qualname}")) for tool in draft.tools],
        "files": [
            {"path": file.name, "sha256": file.packed.sha256, "size": file.packed.size, "kind": file.kind}
            for file in sorted(draft.files, key=lambda file: file.name)
        ],
        "requires": [
            {
                "imports": requirement.imports,
                "place": requirement.place,
                "distribution": requirement.distribution or None,
                "pins": list(requirement.pins),
                "pinnedFrom": requirement.pinned_from or None,
            }
            for requirement in draft.requires
        ],
        "lock": draft.lock and {"file": draft.lock.file, "sha256": draft.lock.sha256},
        "env": sorted(draft.env),
        "envReads": [
            {"name": use.name, "place": use.places[0], "optional": use.optional}
            for use in sorted(draft.env_uses, key=lambda use: use.name)
        ],
        "python": draft.python,
        **flow,
    }


def _tool(tool: DraftTool, schemas: Mapping[str, Any] | None) -> dict[str, Any]:
    if tool.flow:
        schemas = {"inputSchema": tool.schema}
    known = schemas or {}
    open_object = None if schemas is None else _OPEN_OBJECT
    return {
        "name": tool.name,
        "description": tool.description,
        "module": tool.module or None,
        "qualname": tool.qualname or None,
        **({"flow": tool.flow} if tool.flow else {}),
        "inputSchema": known.get("inputSchema") or open_object,
        "outputSchema": known.get("outputSchema"),
        "hasCondition": tool.has_condition,
        "voiceFlags": sorted(tool.voice_flags),
    }


def parse_manifest(content: bytes) -> dict[str, Any]:
    """The document in `content`. Raises ManifestError for anything that this version would not have written."""
    try:
        document = json.loads(content.decode("utf-8"))
        canonical = manifest_bytes(document) == content if isinstance(document, dict) else False
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, NaN, lone surrogates, deep nesting
        raise ManifestError(f"manifest.json is not JSON ({type(error).__name__})") from None
    if not isinstance(document, dict):
        raise ManifestError("manifest.json is not an object")
    if type(document.get("format")) is int and document["format"] > FORMAT:
        raise ManifestError(f"it has format {document['format']}, this lua-cli reads {FORMAT}: upgrade it")
    check(document, _MANIFEST, "manifest.json")
    if not canonical:
        raise ManifestError("manifest.json is not in canonical form")
    return document


def _text(pattern: str, what: str) -> Check:
    compiled = re.compile(pattern)

    def matches(value: object, at: str) -> None:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            raise ManifestError(f"{at} is not {what}")

    return matches


_DOTTED = _text(r"[^\W\d]\w*(\.[^\W\d]\w*)*", "a dotted name")
_HEX = _text(r"[0-9a-f]{64}", "a SHA-256 in hexadecimal")
_SCHEMA = maybe(table(object))
_CALLED = each(record(tool=str, module=_DOTTED, qualname=_DOTTED))
_MANIFEST = record(
    format=one_of(FORMAT),
    skill=record(
        name=_text(r"(?s).+", "a name"),
        description=str,
        context=one_of(str, record(base=str, voice=str, text=str, may_lack=("base", "voice", "text"))),
        instructions=maybe(str),
        hasCondition=bool,
        condition=maybe(record(module=_DOTTED, attribute=_DOTTED)),
        folder=str,
        may_lack=("folder",),
    ),
    tools=each(
        record(
            name=_text(r"[a-zA-Z0-9_-]{1,64}", "a tool name"),
            description=str,
            module=maybe(_DOTTED),
            qualname=maybe(_DOTTED),
            flow=str,
            may_lack=("flow",),
            inputSchema=_SCHEMA,
            outputSchema=_SCHEMA,
            hasCondition=bool,
            voiceFlags=each(str),
        )
    ),
    files=each(record(path=str, sha256=_HEX, size=int, kind=one_of("module", "data", "flow", "document"))),
    requires=each(record(imports=str, place=str, distribution=maybe(str), pins=each(str), pinnedFrom=maybe(str))),
    lock=maybe(record(file=str, sha256=_HEX)),
    env=each(_text(r"[^=\x00]+", "the name of a variable")),
    envReads=each(record(name=str, place=str, optional=bool)),
    python=str,
    flow=record(flow=str, block=str, python=_CALLED),
    flows=record(python=_CALLED),
    may_lack=("flow", "flows"),
)
