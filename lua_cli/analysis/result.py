"""The abstract import, ended, as an `Analysis`: agents, skills, tools, classes, and the findings that matter to them.

In: the machine after the entry was imported. Out: the model. What nothing of the product depends on stays untold: an
unknown base of a class that is no tool, a decorator of somebody else's model.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lua_cli.analysis.class_info import ClassDescriber
from lua_cli.analysis.decoration import TRACKED
from lua_cli.analysis.flow_tools import FlowTools, is_flow_tool
from lua_cli.analysis.handing import hands_on
from lua_cli.analysis.model import AgentInfo, Analysis, Argument, Attribute, Entry, SkillInfo, ToolUse
from lua_cli.analysis.signatures import parameters_of
from lua_cli.analysis.values import (
    AgentValue,
    Ambiguous,
    Binding,
    Bound,
    CallSite,
    ClassValue,
    FunctionValue,
    Generic,
    Instance,
    Item,
    LambdaValue,
    Maybe,
    ModuleValue,
    SkillValue,
    Unknown,
    Value,
    Where,
    described,
)
from lua_cli.diagnostics import Place
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_SKILL_KEYS = ("name", "description", "context", "instructions")
_AGENT_KEYS = ("name", "persona", "model", "max_iterations", "mcp_servers")


class Result:
    def __init__(self, machine: Machine, entry: ModuleValue) -> None:
        self.machine = machine
        self.entry = entry
        self.describer = ClassDescriber(machine)
        self.flow_tools = FlowTools(machine, self.describer.attributes)
        self._used: dict[int, ClassValue] = {}
        self._skill_infos: tuple[SkillInfo, ...] = ()
        self._agent_infos: tuple[AgentInfo, ...] = ()

    @property
    def used(self) -> list[ClassValue]:
        """The classes that skills hold tools of."""
        return list(self._used.values())

    def find(self) -> None:
        """Find the agents, their skills and the classes of tools (`used`)."""
        agents = self._agents()
        held = {id(skill): skill for agent in agents for skill, _ in self._skills_of(agent)}
        skills = [s for s in self.machine.skills if id(s) in held or not self.machine.is_lazy(s.site.where.path)]
        positions = {id(skill): at for at, skill in enumerate(skills)}
        self._skill_infos = tuple(self._skill(skill, id(skill) in held) for skill in skills)
        self._agent_infos = tuple(self._agent(agent, positions) for agent in agents)

    def analysis(self) -> Analysis:
        """All of what was found."""
        self.machine.registrar.tell_late()
        self.describer.tell(self._used.values())
        return Analysis(
            entry=self.machine.project.relative(self.machine.project.entry),
            agents=self._agent_infos,
            skills=self._skill_infos,
            classes=self.describer.infos(self._used.values()) | self.flow_tools.infos,
            findings=self.machine.findings,
            modules={
                name: self.machine.index.shown(module.location.path)
                for name, module in sorted(self.machine.importer.modules.items())
                if module.location.origin == "first-party" and module.location.path is not None
            },
            hands_on=hands_on(self.machine),
        )

    # Agents

    def _agents(self) -> list[AgentValue]:
        """The agents that the entry's names stand for, by place."""
        found: dict[int, AgentValue] = {}
        for binding in self.entry.frame.names.values():
            for value in self._candidates(binding.value):
                if isinstance(value, AgentValue):
                    found.setdefault(id(value), value)
        return sorted(found.values(), key=lambda agent: (agent.site.where.path, agent.site.where.span))

    def _candidates(self, value: Value) -> Iterator[Value]:
        if isinstance(value, Ambiguous):
            for candidate in value.candidates:
                yield from self._candidates(candidate)
        else:
            yield value

    def _skills_of(self, agent: AgentValue) -> Iterator[tuple[SkillValue, Item]]:
        for item in agent.skills.items:
            for value in self._candidates(self.machine.force(item.value)):
                if isinstance(value, SkillValue):
                    yield value, item

    def _agent(self, agent: AgentValue, positions: dict[int, int]) -> AgentInfo:
        skills = [positions[id(skill)] for skill, _ in self._skills_of(agent)]
        for item in agent.skills.items:
            value = self.machine.force(item.value)
            if not any(isinstance(one, SkillValue) for one in self._candidates(value)):
                reason = value.reason if isinstance(value, Unknown) else f"it is {described(value)}, not a skill"
                self._unresolved(item, reason)
            elif item.maybe is not None or isinstance(value, Ambiguous):
                maybe = item.maybe or Maybe(value.reason, None) if isinstance(value, Ambiguous) else item.maybe
                self._perhaps(item, maybe)
        attributes = {key: self._given(agent, key) for key in _AGENT_KEYS}
        place, call = self._places(agent.site)
        return AgentInfo(place, call, agent.module, agent.variable, attributes, tuple(skills))

    # Skills

    def _skill(self, skill: SkillValue, registered: bool) -> SkillInfo:
        place, call = self._places(skill.site)
        condition, unknown = self._condition(skill)
        return SkillInfo(
            place=place,
            call=call,
            module=skill.module,
            registered=registered,
            attributes={key: self._given(skill, key) for key in _SKILL_KEYS},
            tools=tuple(use for item in skill.tools.items for use in self._uses(item)),
            variable=skill.variable,
            condition=condition,
            condition_unknown=unknown,
            folder=self._folder(skill),
        )

    def _given(self, made: SkillValue | AgentValue, key: str) -> Attribute:
        arg = made.given.get(key)
        if arg is not None:
            return self.describer.attributes.stated(key, Binding(arg.value, arg.where))
        if made.unknown is not None:
            return Attribute(key, "dynamic", None, None, None, made.unknown.reason)
        return Attribute(key, "missing")

    def _folder(self, skill: SkillValue) -> Attribute | None:
        arg = skill.folder
        if arg is None:
            return None
        if skill.unknown is not None:
            return Attribute("folder", "dynamic", None, self._place(arg.where), None, skill.unknown.reason)
        return self.describer.attributes.stated("folder", Binding(arg.value, arg.where))

    def _condition(self, skill: SkillValue) -> tuple[Entry | None, str]:
        arg = skill.given.get("condition")
        value = self.machine.settled(arg.value) if arg is not None else None
        if arg is None or value is None or described(value) == "None":
            return None, ""
        place = self._place(arg.where)
        match value:
            case FunctionValue(kind="function" | "staticmethod") if "<locals>" not in value.qualname:
                return Entry(value.module, value.qualname, place, self._required(value, bound=False)), ""
            case FunctionValue() | LambdaValue() | Bound() | Instance():
                named = self._named(value, skill)
                if named is not None:
                    function = value.function if isinstance(value, Bound) else value
                    return Entry(*named, place, self._required(function, bound=isinstance(value, Bound))), ""
                return None, f"{described(value)} without a name in a module"
            case Unknown(reason=reason):
                return None, reason
        return None, f"it is {described(value)}, not a function"

    def _required(self, value: Value | None, *, bound: bool) -> tuple[str, ...]:
        """Names of the parameters that a call must give, where they are known."""
        found = parameters_of(self.machine, value, bound=bound) or ()
        return tuple(one.name for one in found if one.required)

    def _named(self, value: Value, skill: SkillValue) -> tuple[str, str] | None:
        """A module-level name by which a value can be imported, looked for where the skill is made."""
        module = self.machine.importer.modules.get(skill.module)
        own = module.frame.names.get(skill.variable or "") if module else None
        if own is not None and own.value is skill:
            return skill.module, f"{skill.variable}.condition"  # the skill itself holds it, under its own name
        for name, binding in module.frame.names.items() if module else ():
            if binding.value is value:
                return skill.module, name
            if isinstance(value, Bound) and binding.value is value.owner:
                return skill.module, f"{name}.{value.name}"
        return None

    # Tools

    def _uses(self, item: Item) -> Iterator[ToolUse]:
        """An element of a skill's tools; of one that may be several things, each."""
        value = self.machine.force(item.value)
        if isinstance(value, Ambiguous):
            self._perhaps(item, Maybe(value.reason, value.where), value.choice)
            for at, candidate in enumerate(value.candidates):
                yield self._use(item, self.machine.force(candidate), maybe=at != value.taken or item.maybe is not None)
            return
        if item.maybe is not None:
            self._perhaps(item, item.maybe, value)
        yield self._use(item, value, maybe=item.maybe is not None)

    def _use(self, item: Item, value: Value, *, maybe: bool) -> ToolUse:
        place = self._place(item.where)
        text = self.machine.text(item.where)
        match value:
            case Instance(cls=ClassValue(module="builtins") as cls):
                return ToolUse("other", place, text, what=f"an instance of {cls.name}", maybe=maybe)
            case Instance(cls=ClassValue(local=True, name=name)) | ClassValue(local=True, name=name):
                reason = f"{name} is made inside a function, where no artifact can import it from"
                self._unresolved(item, reason)
                return ToolUse("unresolved", place, text, what=reason, maybe=maybe)
            case Instance() if is_flow_tool(value):
                return self._flow_use(item, value, maybe=maybe)
            case Instance(cls=cls):
                self._used[id(cls)] = cls
                self._mutated(value)
                arguments = tuple(self._argument(written) for written in value.site.args)
                dotted, call = self.describer.dotted(cls), self._place(value.site.where)
                return ToolUse(
                    "instance", place, text, dotted, arguments, maybe=maybe, variable=value.variable, call=call
                )
            case ClassValue() | Generic():
                cls = value.cls if isinstance(value, Generic) else value
                self._used[id(cls)] = cls
                uncertain = cls.dynamic is not None and cls.dynamic.taint
                # What a decorator returned may be an instance.
                form: Literal["instance", "class"] = "instance" if uncertain else "class"
                return ToolUse(form, place, text, self.describer.dotted(cls), maybe=maybe or uncertain)
            case Unknown(reason=reason):
                self._unresolved(item, reason)
                return ToolUse("unresolved", place, text, what=reason, maybe=maybe)
        return ToolUse("other", place, text, what=described(value), maybe=maybe)

    def _flow_use(self, item: Item, tool: Instance, *, maybe: bool) -> ToolUse:
        """A flow tool has its arguments to itself: none of them is dropped."""
        place, text = self._place(item.where), self.machine.text(item.where)
        reason = self.flow_tools.refused(tool)
        if reason:
            self._unresolved(item, reason)
            return ToolUse("unresolved", place, text, what=reason, maybe=maybe)
        dotted, call = self.flow_tools.describe(tool).dotted, self._place(tool.site.where)
        return ToolUse("instance", place, text, dotted, maybe=maybe, variable=tool.variable, call=call)

    def _argument(self, written: tuple[Path, ir.Arg]) -> Argument:
        path, arg = written
        where = Where(path, arg.span)
        return Argument(self.machine.text(where, 200), self._place(where), arg.keyword, arg.star)

    def _mutated(self, instance: Instance) -> None:
        for name, where in instance.changed.items():
            if name in TRACKED and not self.machine.is_lazy(where.path):
                what = instance.variable or f"an instance of {instance.cls.name}"
                self.machine.find(
                    "lua/runtime-mutation",
                    where,
                    expression=f"{what}.{name}",
                    name=self.describer.dotted(instance.cls),
                    reason="it is assigned on the instance, and a tool is built anew without it",
                )

    def _unresolved(self, item: Item, reason: str) -> None:
        if not self.machine.is_lazy(item.where.path):
            text = self.machine.text(item.where)
            self.machine.find("lua/unresolved-primitive-ref", item.where, expression=text, reason=reason)

    def _perhaps(self, item: Item, maybe: Maybe | None, value: Value | None = None) -> None:
        where = maybe.where if maybe is not None and maybe.where is not None else item.where
        if maybe is not None and not self.machine.is_lazy(where.path):
            text = self.machine.text(item.where)
            cls = self.machine.evaluator.class_of(value) if value is not None else None
            name = self.describer.dotted(cls) if cls is not None else ""
            self.machine.find("lua/ambiguous-binding", where, expression=text, name=name, reason=maybe.reason)

    # Places

    def _place(self, where: Where) -> Place:
        return self.machine.index.place(where.path, where.span)

    def _places(self, site: CallSite) -> tuple[Place, Place]:
        return self._place(site.func), self._place(site.where)
