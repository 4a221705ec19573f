"""A model provider would refuse the tool as it is.

Each provider has rules of its own for names, descriptions and schemas, and refuses the whole request for one tool that
breaks them. Names, the length of descriptions and the number of tools are always compared with OpenAI's, Anthropic's
and Gemini's rules. With `lua compile --for openai,anthropic,gemini` (or `openai-strict`) the input schemas are too.

What to do: rename, shorten, or say the input more plainly. Where you use none of the providers that the message names,
silence it.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "24h_tracking"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return "on its way"
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track_order_24h"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return "on its way"
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lua_cli.analysis.model import Analysis, Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, RegisteredTool, short
from lua_cli.rules.providers import PROVIDERS, checked_providers, dialect_of
from lua_cli.rules.providers.limits import GENERALLY_CHECKED
from lua_cli.rules.tool_name_invalid import fault_of

CODE: Final = "lua/provider-limits"
SEVERITY: Final = "warning"
LATER = True  # the schemas are known after the probe alone

_BYTES_A_TOKEN = 4


def check(context: Context) -> Iterator[Diagnostic]:
    providers = checked_providers(context.choice.providers) or GENERALLY_CHECKED
    limits = [limit for provider in providers if (limit := PROVIDERS[provider].description)]
    for tool in context.tool_classes:
        yield from _name(context, tool, providers)
        if limits and len(tool.info.attributes["description"].text or "") > min(limits):
            yield from _description(context, tool, providers)
    for agent in context.analysis.agents:
        held = {id(skill) for skill in context.skills_of(agent)}
        count = len({tool.info.dotted for tool in context.tools if id(tool.skill) in held})
        limit, refusing = _refusing(providers, lambda provider: PROVIDERS[provider].tools, count)
        if refusing:
            message = f"the agent has {count} tools; {refusing} takes at most {limit} in one request"
            yield Diagnostic(
                CODE, SEVERITY, message, agent.place, help="gate skills with a `condition`, or split the agent"
            )


def _name(context: Context, tool: RegisteredTool, providers: Iterable[str]) -> Iterator[Diagnostic]:
    name = tool.info.name
    if name is None or fault_of(name) is not None:
        return  # every provider refuses it: another rule says so
    refusing = [PROVIDERS[provider] for provider in providers if not PROVIDERS[provider].name.fullmatch(name)]
    if refusing:
        titles = " and ".join(limits.title for limits in refusing)
        message = f'{titles} would refuse the tool name "{name}": {refusing[0].name_words}'
        place = context.place_of(tool.info.attributes["name"], tool)
        yield Diagnostic(CODE, SEVERITY, message, place, help="begin the name with a letter")


def _description(context: Context, tool: RegisteredTool, providers: Iterable[str]) -> Iterator[Diagnostic]:
    description = tool.info.attributes["description"]
    text = description.text or ""
    limit, refusing = _refusing(providers, lambda provider: PROVIDERS[provider].description, len(text))
    if refusing:
        tokens = -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)
        owner = short(description.owner or tool.info.dotted)
        message = (
            f"the description of {owner} has {len(text)} characters (about {tokens} tokens); "
            f"{refusing} takes at most {limit}"
        )
        help_ = "say what the tool does and when to use it; the rest belongs into the skill's `context`"
        yield Diagnostic(CODE, SEVERITY, message, context.place_of(description, tool), help=help_)


def _refusing(providers: Iterable[str], limit_of: Any, size: int) -> tuple[int | None, str]:
    """The lowest limit that a size breaks, and the providers that have it."""
    broken = {
        provider: limit_of(provider) for provider in providers if limit_of(provider) and size > limit_of(provider)
    }
    lowest = min(broken.values(), default=None)
    return lowest, " and ".join(PROVIDERS[provider].title for provider, limit in broken.items() if limit == lowest)


def schema_findings(
    analysis: Analysis, schemas: Mapping[str, Mapping[str, Any]], providers: Iterable[str]
) -> tuple[Finding, ...]:
    """What the chosen providers cannot take of the input schemas (keys "module:qualname", as `bundle.seal` has
    them)."""
    chosen = checked_providers(providers)
    found = []
    for info in analysis.classes.values():
        schema = schemas.get(f"{info.module}:{info.qualname}", {}).get("inputSchema")
        if info.flow is not None:
            schema = info.attributes["input_schema"].value
        if not isinstance(schema, Mapping):
            continue
        for provider in chosen:
            for pointer, problem in dialect_of(schema, provider).problems:
                facts = {
                    "name": info.qualname,
                    "provider": PROVIDERS[provider].title,
                    "reason": problem,
                    "pointer": pointer,
                }
                found.append(Finding(CODE, info.place, facts))
    return tuple(found)


def from_finding(finding: Finding) -> Diagnostic:
    facts = finding.facts
    where = f" at `{facts['pointer']}`" if facts["pointer"] else ""
    message = f"{facts['provider']} cannot take the input of {facts['name']}: {facts['reason']}{where}"
    return Diagnostic(
        CODE, SEVERITY, message, finding.place, help="say it with plain types: fixed fields, lists of one type"
    )
