"""Shows a turn as it goes on: gates, tool calls, results. In: entries of a transcript. Out: lines on stderr."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lua_cli.records import field, record

if TYPE_CHECKING:
    from lua_cli.runtime.turns import Entry

_WIDTH = 400


@record(slots=False)
class Shown:
    """What was shown already: a gate is told again only when it has changed, text not when it came as a stream."""

    gates: dict[tuple[str, str], tuple[bool, str]] = field(default_factory=dict)
    streamed: bool = False


def show_entry(entry: Entry, shown: Shown) -> None:
    """Show one line of the transcript, where there is something to see."""
    from lua_cli.commands.session import note

    for line in entry_lines(entry, shown):
        note(line)


def entry_lines(entry: Entry, shown: Shown) -> list[str]:
    """The lines for an entry; those that a reader need not see give none."""
    facts = entry.facts
    if entry.kind == "gate":
        key, now = (facts["kind"], facts["name"]), (facts["open"], facts["reason"])
        before = shown.gates.get(key, (True, ""))
        shown.gates[key] = now
        if now == before:
            return []
        return [f"· {facts['kind']} {facts['name']} is {'offered' if now[0] else f'left out: {now[1]}'}"]
    if entry.kind == "conversation":
        return [f"· {facts.get('agent', 'an agent')} and {(facts.get('user') or {}).get('id', 'nobody known')}"]
    if entry.kind == "model" and facts.get("toolCalls") and facts["text"] and not shown.streamed:
        return [f"· {facts['text']}"]
    if entry.kind == "tool":
        return _tool(facts, entry.duration_ms)
    return []


def _tool(facts: Any, duration: int | None) -> list[str]:
    lines = [f"→ {facts['name']} {_short(facts['arguments'])}"]
    lines += [f"  “{_short(text)}”" for text in facts.get("said", ())]
    lines += [f"  │ {line}" for line in facts.get("logs", "").splitlines()]
    if "error" in facts:
        lines.append(f"← {facts['error']['type']}: {facts['error']['message']}")
    else:
        lines.append(f"← {_short(facts['result'])}")
    if duration is not None and duration >= 1000:
        lines[-1] += f"  ({duration / 1000:.1f} s)"
    return lines


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"
