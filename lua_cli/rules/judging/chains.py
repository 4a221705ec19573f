"""Tools that are chains of flows, judged as tools in Python are.

In: the flows, findings about them. Out: diagnostics. A model reads their names, descriptions and schemas as it reads
those of classes, so the rules about these are the same ones: each agent of flows is shown to them as an agent with one
skill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lua_cli.analysis.model import AgentInfo, Analysis, Attribute, ClassInfo, Finding, SkillInfo, ToolUse
from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.rules.judging.catalogue import all_rules, find_rule
from lua_cli.rules.judging.context import Context, Outcome
from lua_cli.rules.judging.judge import said_about
from lua_cli.rules.judging.levels import Levels
from lua_cli.rules.judging.suppressions import silence, suppressions_in

if TYPE_CHECKING:
    from lua_cli.flows.model import Block, Flow, Flows, FlowTool
    from lua_cli.project import Project
    from lua_cli.rules.judging.choice import Choice
    from lua_cli.source import SourceIndex

RULES = (
    "lua/provider-limits", "lua/tool-confusion", "lua/tool-description-vague", "lua/tool-name-style",
    "lua/untyped-array",
)  # fmt: skip
_OF_AGENTS = ("name", "persona", "model", "max_iterations", "mcp_servers")
_OF_SKILLS = ("name", "description", "context", "instructions")
_OF_TOOLS = ("name", "description", "input_schema", "execute", "condition", "voice_flags", "flow")


def judge_flows(
    findings: Iterable[Finding], flows: Flows, index: SourceIndex, project: Project, choice: Choice
) -> list[Diagnostic]:
    """Everything that the rules say about flows, unused suppressions in their files included."""
    from lua_cli.rules.unused_suppression import unused

    context = Context(as_tools(flows), project, index, choice)
    levels = Levels(project, choice)
    found = levels.apply(dict.fromkeys((*said_about(findings), *_checked(context))))
    files = {path: text for path, text in flows.files.items() if path.endswith((".yaml", ".yml"))}
    comments = tuple(comment for path in sorted(files) for comment in suppressions_in(path, files[path]))
    python = {diagnostic.place.path for diagnostic in found} - files.keys()  # what is said of flow tools
    others = [comment for path in sorted(python) for comment in suppressions_in(path, context.text(path))]
    left, used = silence(found, (*comments, *others))
    decided = {rule.code for rule in all_rules() if rule.code.startswith("lua/flow-")} | {*RULES}
    idle = unused(Outcome(comments, frozenset(used), tuple(found)), lambda path: files.get(path, ""), decided)
    return sorted((*left, *levels.apply(idle)), key=Diagnostic.sort_key)


def _checked(context: Context) -> Iterator[Diagnostic]:
    from lua_cli.rules.provider_limits import schema_findings

    for code in RULES:
        rule = find_rule(code)
        if rule is not None and rule.check is not None:
            yield from rule.check(context)
    yield from said_about(schema_findings(context.analysis, {}, context.choice.providers))


def as_tools(flows: Flows) -> Analysis:
    """The agents of flows in the form of those in Python. A tool's class is its address."""
    agents: list[AgentInfo] = []
    skills: list[SkillInfo] = []
    classes: dict[str, ClassInfo] = {}
    for position, (flow, block) in enumerate(flows.agents()):
        tools = [_tool(tool, block) for tool in (block.agent.tools if block.agent else ())]
        classes |= {info.dotted: info for info in tools}
        skills.append(_skill(flow, block, tools))
        agents.append(_agent(flow, block, position))
    paths = sorted({flow.place.path for flow in flows.flows.values()})
    return Analysis("", tuple(agents), tuple(skills), classes, (), {path: path for path in paths})


def _agent(flow: Flow, block: Block, position: int) -> AgentInfo:
    given = {"name": block.label}
    attributes = {name: _attribute(name, given.get(name), block.place, "") for name in _OF_AGENTS}
    if block.agent is not None:
        prompt = "".join(part for part in block.agent.prompt.parts if isinstance(part, str))
        attributes["persona"] = Attribute("prompt", "known", prompt, block.agent.places.get("prompt", block.place))
    return AgentInfo(block.place, block.place, flow.place.path, None, attributes, (position,))


def _skill(flow: Flow, block: Block, tools: Iterable[ClassInfo]) -> SkillInfo:
    uses = tuple(ToolUse("instance", info.place, info.name or "", info.dotted) for info in tools)
    given = {"name": block.label}
    attributes = {name: _attribute(name, given.get(name), block.place, "") for name in _OF_SKILLS}
    return SkillInfo(block.place, block.place, flow.place.path, True, attributes, uses)


def _tool(tool: FlowTool, block: Block) -> ClassInfo:
    dotted = f"{block.address}[{tool.name}]"
    places = {"name": "name", "description": "description", "input_schema": "inputSchema"}
    given = {
        "name": tool.name, "description": tool.description, "input_schema": dict(tool.schema), "flow": dotted,
    }  # fmt: skip
    attributes = {
        name: _attribute(name, given.get(name), tool.places.get(places.get(name, ""), tool.place), dotted)
        for name in _OF_TOOLS
    }
    return ClassInfo(
        dotted, tool.place.path, dotted, tool.place, tool.place, is_tool=True, abstract=False, instantiable=True,
        mro=(dotted,), attributes=attributes,
    )  # fmt: skip


def _attribute(name: str, value: object, place: Place, owner: str) -> Attribute:
    if value is None:
        return Attribute(name, "missing")
    return Attribute(name, "known", value, place, owner or None)
