"""Names that must mean something. In: all flows, what they mention. Out: findings. Runs nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.model import Flows
from lua_cli.flows.reading import Mention

REFERENCE = "lua/flow-reference"
_ADD = {
    "flow": "add the flow: flows: [{name: …, process: […]}]",
    "connector": "declare it: connectors: [{name: …, type: …}]",
    "resource": "declare it: resources: {templates: [{resource: path, as: name}]}",
}


def flow_problem(flows: Flows, name: str) -> tuple[str, str] | None:
    """Why no flow of that name can be called, and what to do; None when one can."""
    flow = flows.flows.get(name)
    if flow is None:
        near = difflib.get_close_matches(name, list(flows.flows), n=1)
        return f"there is no flow `{name}`", f"did you mean `{near[0]}`?" if near else _ADD["flow"]
    if flow.source is not None:
        hint = "move the chain into a flow without `source`, and let both call that one"
        return f"the flow `{name}` has a source and cannot be called", hint
    return None


def check(flows: Flows, mentions: Sequence[Mention]) -> list[Finding]:
    """What mentions get wrong, agents of one name, documents that may break."""
    return [*_mentions(flows, mentions), *_agents(flows), *_documents(flows)]


def _mentions(flows: Flows, mentions: Iterable[Mention]) -> Iterator[Finding]:
    for mention in mentions:
        if mention.kind == "tool":
            continue  # a Python tool: who has the analysis knows
        if mention.kind == "flow":
            problem = flow_problem(flows, mention.name)
            if problem is not None:
                yield _finding(mention.place, *problem)
            continue
        known: Mapping[str, object] = {"connector": flows.connectors, "resource": flows.resources}[mention.kind]
        what = "template" if mention.kind == "resource" else mention.kind
        if mention.name not in known:
            near = difflib.get_close_matches(mention.name, list(known), n=1)
            hint = f"did you mean `{near[0]}`?" if near else _ADD[mention.kind]
            yield _finding(mention.place, f"there is no {what} `{mention.name}`", hint)
        elif mention.kind == "connector" and mention.wanted:
            kind = flows.connectors[mention.name].type
            if kind != mention.wanted and not (mention.wanted == "llm" and kind.startswith("llm")):
                message = f"the connector `{mention.name}` is of type {kind}, and {mention.wanted} is needed here"
                yield _finding(mention.place, message, f"declare one: {{name: …, type: {mention.wanted}}}")


def _agents(flows: Flows) -> Iterator[Finding]:
    """An agent's name is its skill's: it must be the only one."""
    first: dict[str, Place] = {}
    for _, block in flows.agents():
        before = first.setdefault(block.label, block.place)
        if before is not block.place:
            facts = {"message": f"two agents are called `{block.label}`", "help": "give each a name of its own"}
            yield Finding("lua/flow-duplicate-name", block.place, facts, ((before, "the first one"),))


def _documents(flows: Flows) -> Iterator[Finding]:
    """A document that reads the body reads the arguments of the last tool once one has run."""
    seen: set[str] = set()
    for _, block in flows.agents():
        for skill in block.agent.skills if block.agent else ():
            resource = flows.resources.get(skill.resource)
            if resource is None or resource.reads_body is None or resource.path in seen:
                continue
            seen.add(resource.path)
            message = f"the document of skill `{skill.name}` reads `body`, which is another one after a tool ran"
            hint = "keep what it needs in a variable before the agent (set-variable), and read `vars`"
            facts = {"message": message, "help": hint}
            yield Finding("lua/flow-document-body", skill.place, facts, ((resource.reads_body, "read here"),))


def _finding(place: Place, message: str, hint: str) -> Finding:
    return Finding(REFERENCE, place, {"message": message, "help": hint})
