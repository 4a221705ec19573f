"""Tools of one agent are easy to confuse, or a text names a tool that does not exist.

The model chooses between tools by their names and descriptions. Names that say the same (`get_order`, `get_orders`,
`fetch_order`), or one text for two tools, leave it to chance. A context that tells it to use a tool that was renamed or
removed makes it call nothing, or something else. Names and texts that differ only in digits are taken for a series and
left alone.

What to do: say in each name and description what sets the tool apart, and name tools in contexts as they are called
now.

Bad:

```python
# file: agent.py
from pydantic import BaseModel

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Query(BaseModel):
    text: str


class GetOrder(LuaTool[Query]):
    name = "get_order"
    description = "Show one order with its lines and prices. Use when the customer asks what was bought."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


class FetchOrders(LuaTool[Query]):
    name = "fetch_orders"
    description = "List the numbers of all orders of a customer by e-mail address. Use when the number is not known."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


orders = LuaSkill(name="orders", context="Help with orders.", tools=[GetOrder(), FetchOrders()])
agent = LuaAgent(name="acme", skills=[orders])
```

Good:

```python
# file: agent.py
from pydantic import BaseModel

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Query(BaseModel):
    text: str


class GetOrder(LuaTool[Query]):
    name = "show_order_by_number"
    description = "Show one order with its lines and prices. Use when the customer asks what was bought."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


class FetchOrders(LuaTool[Query]):
    name = "list_customer_orders"
    description = "List the numbers of all orders of a customer by e-mail address. Use when the number is not known."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


orders = LuaSkill(name="orders", context="Help with orders.", tools=[GetOrder(), FetchOrders()])
agent = LuaAgent(name="acme", skills=[orders])
```
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Final

from lua_cli.analysis.model import AgentInfo, Attribute
from lua_cli.diagnostics import Diagnostic, Place, Related
from lua_cli.rules.judging.context import Context, RegisteredTool
from lua_cli.rules.judging.likeness import alike_names, alike_texts

CODE: Final = "lua/tool-confusion"
SEVERITY: Final = "warning"

_MOST_SHOWN = 5
_BUILT_IN = frozenset({"load_skill"})
_SNAKE = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+"
_QUOTED = (
    r"[`'\"](?P<{}>[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)[`'\"]"  # with hyphens it is a word of the language, unless quoted
)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ASKED_FOR = re.compile(
    r"\b(?:use|using|call|calling|invoke|run|try|via|with|through)\s+(?:the\s+)?(?:tool\s+)?"
    rf"(?:(?P<a>{_SNAKE})\b|{_QUOTED.format('b')})"
    rf"|(?:\b(?P<c>{_SNAKE})|{_QUOTED.format('d')})\s+tool\b",
    re.IGNORECASE,
)


def check(context: Context) -> Iterator[Diagnostic]:
    for agent in context.analysis.agents:
        held = {id(skill) for skill in context.skills_of(agent)}
        tools: dict[str, RegisteredTool] = {}
        for tool in context.tools:
            if id(tool.skill) in held and tool.info.name:
                tools.setdefault(tool.info.name, tool)
        for names in alike_names(list(tools)):
            yield _group(context, [tools[name] for name in names], "name")
        texts = {name: tool.info.attributes["description"].text or "" for name, tool in tools.items()}
        for names in alike_texts({name: text for name, text in texts.items() if text.strip()}):
            yield _group(context, [tools[name] for name in names], "description")
        yield from _unknown_names(context, agent, tools)


def _group(context: Context, tools: Sequence[RegisteredTool], key: str) -> Diagnostic:
    names = [f"`{tool.info.name}`" for tool in tools]
    shown = (
        names if len(names) <= _MOST_SHOWN else [*names[: _MOST_SHOWN - 1], f"{len(names) - _MOST_SHOWN + 1} others"]
    )
    message = f"{', '.join(shown[:-1])} and {shown[-1]} are easy to confuse: their {key}s say the same"
    places = [_place(context, tool, key) for tool in tools]
    related = tuple(
        Related(place, f"{name} inherits its {key}" if _inherits(tool, key) else f"the {key} of {name}")
        for tool, place, name in list(zip(tools, places, names, strict=True))[: min(len(tools) - 1, _MOST_SHOWN)]
    )
    if _inherits(tools[-1], key):
        message += f"; {names[-1]} inherits its {key}"
    return Diagnostic(CODE, SEVERITY, message, places[-1], help=_HELP[key], related=related)


def _inherits(tool: RegisteredTool, key: str) -> bool:
    return tool.info.attributes[key].owner != tool.info.dotted


def _place(context: Context, tool: RegisteredTool, key: str) -> Place:
    """The value, or the class that should have one of its own."""
    if _inherits(tool, key):
        return context.class_place(tool)
    return context.place_of(tool.info.attributes[key], tool)


_HELP = {
    "name": "say in each name what sets the tool apart",
    "description": "say in each description when this tool is the right one and the others are not",
}


def _unknown_names(context: Context, agent: AgentInfo, tools: dict[str, RegisteredTool]) -> Iterator[Diagnostic]:
    """Words in the texts for the model that must be tool names and are not. Tools of MCP servers are not known here."""
    servers = agent.attributes["mcp_servers"]
    if servers.state != "missing" and not (servers.state == "known" and not servers.value):
        return
    if any(use.form == "unresolved" or info is None or info.name is None for _, use, info in context.uses()):
        return  # a tool whose name is not known may be the one
    # Of a tool that is not understood for another reason, such as a base that cannot be imported, the name is there
    # too.
    there = {info.name for _, _, info in context.uses() if info is not None}
    persona = agent.attributes["persona"]
    names = {tool.info.dotted: name for name, tool in tools.items()}
    every = list(tools)
    texts = [(persona, f"the {persona.name}", every)]
    for skill in context.skills_of(agent):
        own = [names[use.class_dotted] for use in skill.tools if use.class_dotted in names]
        texts.append((skill.attributes["context"], f"the context of `{skill.name}`", own))
    texts += [(t.info.attributes["description"], f"the description of `{name}`", every) for name, t in tools.items()]
    for attribute, label, meant in texts:
        for name in dict.fromkeys(_asked_for(attribute)):
            if name in tools or name in there or name in _BUILT_IN or attribute.place is None:
                continue
            if any(not _NAME.fullmatch(one) for one in _near(name, every)):
                continue  # the name of that tool is what is wrong, and is told at its place
            help_ = _way_out(_near(name, meant), meant, of_a_skill=attribute.name == "context")
            message = f"{label} names a tool `{name}`, which the agent does not have"
            place = _place_of_word(context, attribute.place, name)
            yield Diagnostic(CODE, SEVERITY, message, place, help=help_)


def _near(name: str, names: Sequence[str]) -> list[str]:
    """The name that is spelt most like it, if one is."""
    return difflib.get_close_matches(name, names, n=1, cutoff=0.6)


def _way_out(near: Sequence[str], meant: Sequence[str], *, of_a_skill: bool) -> str:
    """What to write in place of a name. The context of a skill is about its own tools: one of another skill that is
    spelt like it may be another customer's."""
    if near:
        return f"did you mean `{near[0]}`?"
    if of_a_skill and 0 < len(meant) <= _MOST_SHOWN:
        listed = ", ".join(f"`{one}`" for one in meant)
        tools = f"its tool is {listed}" if len(meant) == 1 else f"its tools are {listed}"
        return f"{tools}: name one of the agent's, or take the sentence out"
    return "name a tool of this agent, or take the sentence out"


def _asked_for(attribute: Attribute) -> Iterator[str]:
    if attribute.state != "known":
        return
    values = attribute.value.values() if isinstance(attribute.value, dict) else (attribute.value,)
    for text in values:
        if isinstance(text, str) and ("_" in text or "-" in text):  # as every name that is asked for has
            for found in _ASKED_FOR.finditer(text):
                yield next(name for name in found.groups() if name)


def _place_of_word(context: Context, place: Place, word: str) -> Place:
    """Where the word stands in the source, when it can be seen there; else the whole value."""
    lines = context.text(place.path).split("\n")
    for number in range(place.line, min(place.end_line, len(lines)) + 1):
        start = place.column - 1 if number == place.line else 0
        end = place.end_column - 1 if number == place.end_line else len(lines[number - 1])
        found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(lines[number - 1], start, end)
        if found:
            return Place(place.path, number, found.start() + 1, number, found.end() + 1)
    return place
