"""Registration: `LuaSkill(...)` and `LuaAgent(...)`, and what is done to them afterwards.

In: calls of the SDK's classes on abstract values. Out: skills and agents with what they hold. A skill copies its list
when it is made: what is added to that list later does not reach it, and what is added to the skill does.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.skill_folders import SkillFolders
from lua_cli.analysis.values import (
    AgentValue,
    Binding,
    Bound,
    CallSite,
    ClassValue,
    Constant,
    FunctionValue,
    Given,
    Item,
    LambdaValue,
    ListValue,
    SkillValue,
    Unknown,
    Value,
    Where,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_SDK_MODULES = ("lua_cli.sdk.skill", "lua_cli.sdk.agent")
LUA_SKILL, LUA_AGENT = "lua_cli.sdk.skill.LuaSkill", "lua_cli.sdk.agent.LuaAgent"


class Registrar:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._late: list[tuple[ListValue, int, Where]] = []
        self._folders = SkillFolders(machine)

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
        elif constructor[1] is base and _is_sdk(constructor[0].value):
            self.fill(made, given)
        else:
            made.unknown = Unknown(f"`{constructor[1].name}.__init__` gives it")
            function, owner = constructor[0].value, constructor[1]
            self.machine.caller.invoke(function, [Given(made, site.func), *given], site, (owner, made))
        own.holder = made
        return made

    def defaults(self, made: SkillValue | AgentValue) -> dict[str, Value]:
        """What the SDK's constructor sets where nothing is given: parameter → its default. Empty before it has run."""
        if made.unknown is not None:
            return {}
        function = self._constructor(made)
        params = self.machine.params(function) if function is not None else ()
        literal = {param.name: param.default for param in params if isinstance(param.default, ir.Const)}
        return {name: Constant(default.value) for name, default in literal.items()}

    def _constructor(self, made: SkillValue | AgentValue) -> FunctionValue | None:
        """The SDK's own constructor of a skill or an agent."""
        cls = next(one for one in made.cls.known_chain() if one.dotted in (LUA_SKILL, LUA_AGENT))
        value = cls.namespace["__init__"].value
        return value if isinstance(value, FunctionValue) else None

    def own_method(self, function: FunctionValue, given: Sequence[Given], site: CallSite) -> Value | None:
        """A call of one of the SDK's own methods on a skill or an agent, which is known by name; None for others."""
        if not _is_sdk(function) or not given:
            return None
        made = given[0].value
        if isinstance(made, ClassValue) and function.node.name == "from_folder":
            return self._folders.make(made, function, given[1:], site)
        if not isinstance(made, SkillValue | AgentValue):
            return None
        if function.node.name == "__init__":
            self.fill(made, given[1:])
            return Constant(None)
        return self.method(made, function.node.name, given[1:], site)

    def fill(self, made: SkillValue | AgentValue, given: Sequence[Given]) -> None:
        """What the SDK's own constructor does with its arguments."""
        made.unknown = None
        cls = next(one for one in made.cls.known_chain() if one.dotted in (LUA_SKILL, LUA_AGENT))
        function = self._constructor(made)
        params = self.machine.params(function)[1:] if function is not None else ()
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
                    self.unknown_argument(cls.name, arg.keyword, [param.name for param in params], arg.where)
            elif arg.star == "**":
                made.unknown = self.machine.evaluator.unknown(arg.value, "it is given by a spread of")
        key = "tools" if isinstance(made, SkillValue) else "skills"
        own = made.tools if isinstance(made, SkillValue) else made.skills
        if key in made.given:
            self._give(made, own, made.given[key])
        elif made.unknown is not None:
            own.items.append(Item(made.unknown, made.site.where))

    def unknown_argument(self, callee: str, keyword: str, known: Sequence[str], where: Where) -> None:
        """A keyword that the callee does not have: Python raises TypeError for it."""
        near = difflib.get_close_matches(keyword, known, n=1)
        facts = {"expression": callee, "name": keyword, "suggestion": near[0] if near else ""}
        self.machine.find("lua/unknown-argument", where, reason=", ".join(known), **facts)

    def _give(self, made: SkillValue | AgentValue, own: ListValue, arg: Given) -> None:
        """Hands the constructor's list on: to the class's own `add_tools` or `add_tool`, where it has one."""
        whole, single = self._override(made, "add_tools"), self._override(made, "add_tool")
        if whole is not None:
            self._through(whole, own, [Item(arg.value, arg.where)])
        elif single is not None:
            self._one_by_one(single, own, arg)
        else:
            self._take(own, arg)

    def _one_by_one(self, method: Bound, own: ListValue, arg: Given) -> None:
        """What the SDK's `add_tools` does: each through the class's own `add_tool`."""
        several = self.machine.evaluator.items(arg.value)
        unknown = self.machine.evaluator.unknown(arg.value, "it is given as")
        self._through(method, own, [Item(unknown, arg.where)] if several is None else several)

    def _override(self, made: SkillValue | AgentValue, name: str) -> Bound | None:
        """A method that the class has instead of the SDK's own."""
        found = self.machine.evaluator.lookup(made.cls, name)
        if not isinstance(made, SkillValue) or not isinstance(found, tuple) or _is_sdk(found[0].value):
            return None
        value = found[0].value
        return Bound(made, name, value if isinstance(value, FunctionValue | LambdaValue) else None)

    def _through(self, method: Bound, own: ListValue, items: Sequence[Item]) -> None:
        """Calls a method that takes over from the SDK's with each of the items."""
        if method.function is None:
            reason = f"only a run knows what its `{method.name}` does"
            own.items.extend(Item(Unknown(reason, taint=True), item.where, item.maybe) for item in items)
            return
        for item in items:
            site = CallSite(item.where, item.where, ())
            before = self.machine.unsure
            self.machine.caller.call(method, [Given(item.value, item.where)], site, method.function.frame)
            if self.machine.unsure != before or item.maybe is not None:
                own.items.append(
                    Item(Unknown(f"only a run knows what its `{method.name}` does", taint=True), item.where)
                )

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
            elif name == "add_tools" and len(given) == 1 and (single := self._override(owner, "add_tool")):
                self._one_by_one(single, own, given[0])
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


def _is_sdk(value: Value) -> bool:
    """Whether a method is the SDK's own, and not what somebody put in its place."""
    return isinstance(value, FunctionValue) and value.module in _SDK_MODULES
