"""What the probe's child saw when it imported an artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.records import field, record

if TYPE_CHECKING:
    from lua_cli.analysis.model import Finding


@record(frozen=True)
class ToolSeen:
    """One tool as it really is: values read off the instance, and its schema, or the error that prevented one.

    error: {"step", "type", "message", "hint", "path", "line", "frames"} of the exception, `path` a member of the
    artifact; "step" is "import", "class", "instance" or "schema"; None when all went well. schema: the JSON Schema of
    the input (2020-12); None when the class names none (an open object is used then) or on error.
    """

    name: str | None
    description: str | None
    instantiable: bool
    schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    schema_from: str  # "input_schema", "annotation", "" when there is none
    error: Mapping[str, Any] | None = None


@record(frozen=True)
class SkillSeen:
    """What importing one artifact showed. Keys of `tools` are "module:qualname".

    error      the whole probe of this skill failed: {"type": "timeout" | "crashed", "message", "hint", "frames"}
    condition  what is wrong with the skill's condition, as a tool's `error`
    ran        the functions that ran meanwhile: member → lines at which they begin; None when that is not known. What
               did not run has not decided what was seen
    """

    skill: str
    tools: Mapping[str, ToolSeen]
    error: Mapping[str, Any] | None = None
    condition: Mapping[str, Any] | None = None
    ran: Mapping[str, Sequence[int]] | None = None

    @property
    def whole(self) -> bool:
        """Everything was seen: only then it is worth keeping."""
        return self.error is None and self.condition is None and all(tool.error is None for tool in self.tools.values())


@record(frozen=True)
class Probed:
    """The answer for all skills of a compile, by name, and what there is to say about them."""

    seen: Mapping[str, SkillSeen]
    findings: tuple[Finding, ...] = field(default=())
