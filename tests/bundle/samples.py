"""Small drafts, for tests that need an artifact but not how it came about."""

from __future__ import annotations

import json
from typing import Any

from lua_cli.bundle.manifest import build_manifest
from lua_cli.bundle.model import Artifact, BundledFile, Draft, DraftTool, EnvUse, Lock, Requirement
from lua_cli.bundle.sealing import seal
from lua_cli.diagnostics import Place
from lua_cli.packed import Packed

PLACE = Place("src/skills/orders.py", 1, 1, 1, 9)
SCHEMA = {"type": "object", "properties": {"number": {"type": "string"}, "city": {"type": "string"}}}


def module(name: str, text: str = "x = 1\n") -> BundledFile:
    return BundledFile(name, Packed(text.encode()), "module", "imported", f"src/{name}")


def draft(skill: str = "orders", files: tuple[BundledFile, ...] | None = None, **changes: Any) -> Draft:
    values: dict[str, Any] = {
        "skill": skill,
        "description": "Orders",
        "context": {"base": "Use it.", "voice": "Kürzer."},
        "instructions": None,
        "condition": None,
        "tools": (DraftTool("get_order", "Look up.", "skills.tools", "GetOrder", True, ("ignore_on_enter",), PLACE),),
        "files": files if files is not None else (module("skills/tools.py"), module("skills/__init__.py", "")),
        "requires": (Requirement("yaml", "src/skills/tools.py:1", ("PyYAML==6.0.2",), "uv.lock", "PyYAML"),),
        "env": ("SHOP_TOKEN",),
        "python": ">=3.11",
        "place": PLACE,
        "env_uses": (EnvUse("SHOP_TOKEN", ("src/skills/tools.py:3",), optional=False),),
        "lock": Lock("uv.lock", "0" * 64),
    }
    return Draft(**{**values, **changes})


SCHEMAS = {"skills.tools:GetOrder": {"inputSchema": SCHEMA, "outputSchema": None}}


def artifact(skill: str = "orders", **changes: Any) -> Artifact:
    return seal(draft(skill, **changes), SCHEMAS)


def manifest(skill: str = "orders", **changes: Any) -> Any:
    """What `artifact` has in its manifest.json."""
    return json.loads(json.dumps(build_manifest(draft(skill, **changes), SCHEMAS)))
