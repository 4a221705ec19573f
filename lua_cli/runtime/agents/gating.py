"""Conditions of skills and tools, before a turn. In: the skills of an agent. Out: a `Gate` for each of them and of
their tools, whether it has a condition or not. All are asked together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from lua_cli.runtime.agents.skill_child import OWN, Answer, SkillChild
from lua_cli.runtime.turns.model import Gate

BUDGET = 30.0
_OPEN = Answer(True, "", 0)


def ask_gates(skills: Sequence[SkillChild], budget: float = BUDGET) -> tuple[Gate, ...]:
    """What is open in this turn, skill by skill, each before its tools."""
    asking = [skill for skill in skills if skill.conditions]
    if len(asking) > 1:
        with ThreadPoolExecutor(len(asking)) as pool:
            answers = dict(zip([s.name for s in asking], pool.map(lambda s: _ask(s, budget), asking), strict=True))
    else:
        answers = {skill.name: _ask(skill, budget) for skill in asking}
    return tuple(gate for skill in skills for gate in _gates(skill, answers.get(skill.name, {})))


def _ask(skill: SkillChild, budget: float) -> dict[str, Answer]:
    return skill.ask(skill.conditions, budget)


def _gates(skill: SkillChild, answers: Mapping[str, Answer]) -> Iterator[Gate]:
    own = answers.get(OWN, _OPEN)
    yield Gate("skill", skill.name, own.open, own.reason, None, OWN in answers, own.duration_ms)
    for tool in skill.manifest["tools"]:
        name = tool["name"]
        said = answers.get(name, _OPEN)
        is_open = said.open and own.open
        reason = said.reason if own.open else f"skill {skill.name} is left out"
        yield Gate("tool", name, is_open, reason, skill.name, name in answers, said.duration_ms)
