"""Registration: `LuaSkill(...)` and `LuaAgent(...)`, and what is done to them afterwards.

In: calls of the SDK's classes on abstract values. Out: skills and agents with what they hold. A skill copies its list
when it is made: what is added to that list later does not reach it, and what is added to the skill does.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    AgentValue,
    Binding,
    CallSite,
    ClassValue,
    FunctionValue,
    Given,
    Item,
    ListValue,
    SkillValue,
    Unknown,
    Value,
    Where,
)

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

LUA_SKILL, LUA_AGENT = "lua_cli.sdk.skill.LuaSkill", "lua_cli.sdk.agent.LuaAgent"


class Registrar:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._late: list[tuple[ListValue, int, Where]] = []

    def construct(
        self, cls: ClassValue, given: Sequence[Given], site: CallSite, frame: Frame
    ) -> SkillValue | AgentValue | None:
        """A skill or an agent; None for an instance of any other class."""
        chain = cls.known_chain()
        base = next((one for one in chain if one.origin == "sdk" and one.dotted in (LUA_SKILL, LUA_AGENT)), None)
        if base is None:
            return None
        own = ListValue("list", [])
        made: SkillValue | AgentValue
        if base.dotted == LUA_SKILL:
            made = SkillValue(cls, site, frame.module.dotted, {}, own, maybe=self.machine.perhaps)
            self.machine.skills.append(made)
        else:
            made = AgentValue(cls, site, frame.module.dotted, {}, own, maybe=self.machine.perhaps)
            self.machine.agents.append(made)
        own.depth = len(self.machine.conditions)
        constructor = self.machine.evaluator.lookup(cls, "__init__")
        if not isinstance(constructor, tuple) or not isinstance(constructor[0].value, FunctionValue):
            made.unknown = Unknown(f"the constructor of {cls.name} is not known")
        elif constructor[1] is base:
            self.fill(made, given)
        else:
            made.unknown = Unknown(f"`{constructor[1].name}.__init__` gives it")
            function, owner = constructor[0].value, constructor[1]
            self.machine.caller.invoke(function, [Given(made, site.func), *given], site, (owner, made))
        own.holder = made
        return made

    def fill(self, made: SkillValue | AgentValue, given: Sequence[Given]) -> None:
        """What the SDK's own constructor does with its arguments."""
        made.unknown = None
        cls = next(one for one in made.cls.known_chain() if one.dotted in (LUA_SKILL, LUA_AGENT))
        function = cls.namespace["__init__"].value
        params = function.node.params[1:] if isinstance(function, FunctionValue) else ()
        names = [param.name for param in params if param.kind == "positional"]
        for at, arg in enumerate(arg for arg in given if arg.keyword is None):
            if arg.star:
                made.unknown = self.machine.evaluator.unknown(arg.value, "it is given by a spread of")
                break
            if at < len(names):
                made.given[names[at]] = arg
        for arg in given:
            if arg.keyword is not None:
                made.given[arg.keyword] = arg
                if params and arg.keyword not in {param.name for param in params}:
                    self._unknown(cls, arg.keyword, [param.name for param in params], arg.where)
            elif arg.star == "**":
                made.unknown = self.machine.evaluator.unknown(arg.value, "it is given by a spread of")
        key = "tools" if isinstance(made, SkillValue) else "skills"
        own = made.tools if isinstance(made, SkillValue) else made.skills
        if key in made.given:
            self._take(own, made.given[key])
        elif made.unknown is not None:
            own.items.append(Item(made.unknown, made.site.where))

    def _unknown(self, cls: ClassValue, keyword: str, known: Sequence[str], where: Where) -> None:
        """A keyword that the constructor does not have: Python raises TypeError for it."""
        near = difflib.get_close_matches(keyword, known, n=1)
        facts = {"expression": cls.name, "name": keyword, "suggestion": near[0] if near else ""}
        self.machine.find("lua/unknown-argument", where, reason=", ".join(known), **facts)

    def _take(self, own: ListValue, arg: Given) -> None:
        """Copies the items of the list that a skill or agent is given."""
        source = self.machine.force(arg.value)
        if isinstance(source, ListValue):
            source.taken += 1
        items = self.machine.evaluator.items(source)
        settled = self.machine.settled(source)
        if items is None and isinstance(settled, ListValue):
            items = list(settled.items)
        if items is None:
            items = [Item(self.machine.evaluator.unknown(source, "it is given as"), arg.where)]
        nowhere = self.machine.evaluator.nowhere
        own.items.extend(item._replace(where=arg.where) if item.where is nowhere else item for item in items)

    def method(self, owner: SkillValue | AgentValue, name: str, given: Sequence[Given], site: CallSite) -> Value | None:
        """`skill.add_tool(…)`; None for what is not a way to register."""
        own = owner.tools if isinstance(owner, SkillValue) else owner.skills
        holder, own.holder = own.holder, None  # the SDK's own methods are no changes from outside
        try:
            if name in ("add_tool", "add_skill") and len(given) == 1:
                self.machine.caller.append(own, given[0].value, given[0].where, site.where)
            elif name in ("add_tools", "add_skills") and len(given) == 1:
                self.machine.caller.extend(own, given[0].value, given[0].where, site.where)
            else:
                return None
        finally:
            own.holder = holder
        return owner

    def assigned(self, holder: SkillValue | AgentValue, name: str, binding: Binding, statement: Where) -> None:
        """`skill.name = …`, in the constructor of a subclass or from outside."""
        arg = Given(binding.value, binding.where or statement, name)
        own = holder.tools if isinstance(holder, SkillValue) else holder.skills
        if name == ("tools" if isinstance(holder, SkillValue) else "skills"):
            if self.machine.settled(binding.value) is own:
                return  # `skill.tools += […]` has changed the list itself already
            if self.machine.perhaps is None:
                own.items = []
            self._take(own, arg)
        else:
            holder.given[name] = arg
        if own.holder is not None:
            self._told(holder, name, statement, f"`{name}` is assigned after the call")

    def list_changed(self, owner: ListValue, statement: Where, item: Item | None) -> None:
        """A list was changed: the list of a skill itself, or one whose items a skill has copied before."""
        if owner.holder is not None:
            what = "tools" if isinstance(owner.holder, SkillValue) else "skills"
            self._told(owner.holder, what, statement, f"its {what} are changed after the call")
        elif owner.taken and item is not None:
            self._late.append((owner, owner.taken, statement))

    def _told(self, holder: SkillValue | AgentValue, attribute: str, statement: Where, reason: str) -> None:
        if self.machine.is_lazy(statement.path):
            return
        what = holder.variable or ("this skill" if isinstance(holder, SkillValue) else "this agent")
        expression = f"{holder.variable}.{attribute}" if holder.variable else ""
        self.machine.find("lua/runtime-mutation", statement, expression=expression, name=what, reason=reason)

    def tell_late(self) -> None:
        """Findings for elements that were added to a list when the skill had copied it, and that no later skill
        took."""
        for owner, taken, statement in self._late:
            if owner.taken == taken and not self.machine.is_lazy(statement.path):
                self.machine.find(
                    "lua/runtime-mutation",
                    statement,
                    reason="the list was copied when the skill was made: what is added later is not registered",
                )
