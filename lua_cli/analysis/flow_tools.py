"""Flow tools: what each `FlowTool(…)` says.

In: an instance of the SDK's FlowTool that a skill holds. Out: a `ClassInfo` for it alone, since its name, its schema
and its flow are those of the call and of no class; or why it is none. Which flows there are, `flows/` knows.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from lua_cli.analysis.model import Attribute, ClassInfo
from lua_cli.analysis.values import Binding, ClassValue, FunctionValue, Instance, Unknown, Value, Where
from lua_cli.records import replace

if TYPE_CHECKING:
    from lua_cli.analysis.attributes import Attributes
    from lua_cli.analysis.machine import Machine

FLOW_TOOL = "lua_cli.sdk.flow_tool.FlowTool"
_GIVEN = ("name", "description", "input_schema", "voice_flags", "flow")


def is_flow_tool(value: Value) -> bool:
    """Whether it is an instance of FlowTool, or of a class that derives from it."""
    return isinstance(value, Instance) and any(_is_sdk(one) for one in value.cls.known_chain())


def _is_sdk(cls: ClassValue) -> bool:
    return cls.origin == "sdk" and cls.dotted == FLOW_TOOL


class FlowTools:
    """The flow tools that skills hold, each described once."""

    def __init__(self, machine: Machine, attributes: Attributes) -> None:
        self.machine, self._attributes = machine, attributes
        self._infos: dict[int, ClassInfo] = {}
        self.calls: list[Where] = []

    @property
    def infos(self) -> dict[str, ClassInfo]:
        """By dotted name, as other classes."""
        return {info.dotted: info for info in self._infos.values()}

    def refused(self, tool: Instance) -> str:
        """Why Python would refuse the call, in words; "" when it takes it. A misspelled argument is told at its
        place."""
        if not _is_sdk(tool.cls):
            return f"{tool.cls.name} derives from FlowTool, which takes no subclasses: register FlowTool(…) itself"
        if "flow" in tool.attributes:
            return ""
        parameters = self._parameters(tool.cls)
        given = {arg.keyword for _, arg in tool.site.args if arg.keyword}
        for path, arg in tool.site.args:
            if arg.keyword and arg.keyword not in parameters:
                near = difflib.get_close_matches(arg.keyword, parameters, n=1)
                facts = {"expression": "FlowTool", "name": arg.keyword, "reason": ", ".join(parameters)}
                where = Where(path, arg.span)
                self.machine.find("lua/unknown-argument", where, suggestion=near[0] if near else "", **facts)
                return f"FlowTool takes no argument {arg.keyword}"
        if any(not arg.keyword and not arg.star for _, arg in tool.site.args):
            return "the arguments of FlowTool are written with their names: FlowTool(flow=…, name=…)"
        missing = [f"`{name}`" for name in ("flow", "name") if name not in given]
        return f"FlowTool is called without {' and '.join(missing)}" if missing else "only a run knows its arguments"

    def _parameters(self, cls: ClassValue) -> list[str]:
        value = cls.namespace["__init__"].value
        return [param.name for param in self.machine.params(value)[1:]] if isinstance(value, FunctionValue) else []

    def describe(self, tool: Instance) -> ClassInfo:
        """What it is as a tool."""
        known = self._infos.get(id(tool))
        if known is None:
            known = self._infos[id(tool)] = self._described(tool)
            self.calls.append(tool.site.where)
        return known

    def _described(self, tool: Instance) -> ClassInfo:
        site = tool.site
        attributes = {name: self._attribute(tool, name) for name in _GIVEN}
        label = attributes["name"].text or attributes["flow"].text or "?"
        module = self._module(site.where)
        dotted = f"{module}.FlowTool({label})" if module else f"FlowTool({label})"
        if dotted in self.infos:
            dotted = f"{dotted} (line {site.where.span[0]}, column {site.where.span[1] + 1})"
        base = self.machine.shown(tool.cls)
        attributes |= {name: replace(attribute, owner=dotted) for name, attribute in attributes.items()}
        attributes["execute"] = Attribute("execute", "reference", f"{base}.execute", None, base)
        attributes["condition"] = Attribute("condition", "missing")
        place = self.machine.index.place
        return ClassInfo(
            dotted=dotted,
            module=module,
            qualname=dotted.removeprefix(f"{module}."),
            place=place(site.func.path, site.func.span),
            statement=place(site.where.path, site.where.span),
            is_tool=True,
            abstract=False,
            instantiable=True,
            mro=(dotted, *(self.machine.shown(one) for one in tool.cls.known_chain() if one.dotted not in _OUTSIDE)),
            bases_text=("FlowTool",),
            attributes=attributes,
        )

    def _attribute(self, tool: Instance, name: str) -> Attribute:
        """A value that the call gives, at the place where it is written."""
        binding = tool.attributes.get(name)
        value = binding.value if binding is not None else Unknown("only a run knows its arguments")
        written = next((Where(path, arg.value.span) for path, arg in tool.site.args if arg.keyword == name), None)
        changed = tool.changed.get(name)
        return self._attributes.stated(name, Binding(value, changed or written or tool.site.where))

    def _module(self, where: Where) -> str:
        modules = self.machine.importer.modules.values()
        return next((module.dotted for module in modules if module.location.path == where.path), "")


_OUTSIDE = ("builtins.object", "abc.ABC", "typing.Generic")
