"""What the probe's child saw when it imported an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolSeen:
    """One tool as it really is: values read off the instance, and its schema, or the error that prevented one.

    error: {"type", "message", "path", "line", "frames"} of the exception, `path` a member of the artifact; None when
    all went well.
    schema: the JSON Schema of the input (2020-12); None when the class names none (an open object is used then) or on
    error.
    """

    name: str | None
    description: str | None
    instantiable: bool
    schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    schema_from: str  # "input_schema", "annotation", "" when there is none
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SkillSeen:
    """What importing one artifact showed. Keys of `tools` are "module:qualname"."""

    skill: str
    tools: Mapping[str, ToolSeen]
    error: Mapping[str, Any] | None = None  # the whole probe of this skill failed: a timeout, a crash
