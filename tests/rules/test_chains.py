"""Tools that are chains are judged by the rules for tools; comments in YAML silence warnings, and idle ones are said."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
Write = Callable[[Mapping[str, str]], Path]

HEAD = """\
flows:
  - name: support
    process:
      - type: ai-agent
        name: assistant
        prompt: You help customers. {prompt}
        tools:
"""
TOOL = """\
          - name: {name}
            description: {description}
            inputSchema: '{schema}'
            process: [{{type: log}}]
"""
GOOD = {
    "name": "lookup_order",
    "description": "Look up one order by its number. Use when the customer names an order.",
    "schema": '{"type": "object", "properties": {"order": {"type": "string"}}}',
}


def document(*tools: Mapping[str, str], prompt: str = "") -> str:
    return HEAD.format(prompt=prompt) + "".join(TOOL.format(**{**GOOD, **tool}) for tool in tools or ({},))


def said(lua: Lua, root: Path, *arguments: str) -> list[str]:
    done = lua("compile", "--check", "--format", "concise", *arguments, cwd=root)
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("tools", "prompt", "expected"),
    [
        ([{}], "", []),
        ([{"name": "LookupOrder"}], "",
         ['8:19: warning[lua/tool-name-style] the tool name "LookupOrder" is not lowercase with hyphens or underscores']),
        ([{"description": "TODO"}], "",
         ["9:26: warning[lua/tool-description-vague] the description of assistant[lookup_order] is a placeholder"]),
        ([{"description": "Looks up. " * 120}], "",
         ["9:26: warning[lua/provider-limits] the description of assistant[lookup_order] has 1199 characters "
          "(about 300 tokens); OpenAI takes at most 1024"]),
        ([{"name": "1st_order"}], "",
         ['8:19: warning[lua/provider-limits] Gemini would refuse the tool name "1st_order": a letter or `_` first, '
          "at most 64 characters"]),
        ([{"schema": '{"type": "object", "properties": {"ids": {"type": "array"}}}'}], "",
         ["10:26: warning[lua/untyped-array] the array at `/properties/ids` of the input of assistant[lookup_order] has "
          "no `items`"]),
        ([{}, {"name": "find_order"}], "",
         ["13:26: warning[lua/tool-confusion] `lookup_order` and `find_order` are easy to confuse: their descriptions say "
          "the same"]),
        ([{}], "Use lookup_invoice first.",
         ["6:41: warning[lua/tool-confusion] the prompt names a tool `lookup_invoice`, which the agent does not have"]),
        ([{"name": "lookup order"}], "Use lookup_order first.",
         ["8:19: error[lua/flow-value] 'lookup order' cannot be a tool's name"]),
    ],
)  # fmt: skip
def test_the_rules_for_tools_hold_for_chains(
    lua: Lua, write_project: Write, tools: list[Mapping[str, str]], prompt: str, expected: list[str]
) -> None:
    root = write_project({"flows/a.yaml": document(*tools, prompt=prompt)})
    assert said(lua, root) == [f"flows/a.yaml:{line}" for line in expected]


def test_what_the_chosen_providers_cannot_take_of_a_schema(lua: Lua, write_project: Write) -> None:
    schema = '{"type": "object", "allOf": [{"required": ["order"]}]}'
    root = write_project({"flows/a.yaml": document({"schema": schema})})
    assert said(lua, root) == []
    assert said(lua, root, "--for", "openai") == [
        "flows/a.yaml:8:19: warning[lua/provider-limits] OpenAI cannot take the input of "
        "support.assistant[lookup_order]: `allOf` at the top of the input"
    ]


def test_a_comment_silences_a_warning_and_one_that_does_not_is_said(lua: Lua, write_project: Write) -> None:
    text = document({"name": "LookupOrder # lua: ignore[tool-name-style]"})
    assert said(lua, write_project({"flows/a.yaml": text})) == []
    idle = document({"name": "lookup_order # lua: ignore[tool-name-style, flow-document-body]"})
    root = write_project({"flows/a.yaml": idle})
    assert said(lua, root) == [
        "flows/a.yaml:8:46: warning[lua/unused-suppression] `lua/tool-name-style` has nothing to say on this line",
        "flows/a.yaml:8:63: warning[lua/unused-suppression] `lua/flow-document-body` has nothing to say on this line",
    ]
    assert lua("compile", "--fix", cwd=root).exit_code == 0
    assert (root / "flows/a.yaml").read_text() == document()
    wrong = (
        document(
            {"name": "lookup_order # lua: ignore[tool-nam-style]"},
        )
        + "# lua: ignore\n"
    )
    assert [line.partition("] ")[2] for line in said(lua, write_project({"flows/a.yaml": wrong}))] == [
        "there is no rule `lua/tool-nam-style`", "this comment names no rule and silences nothing",
    ]  # fmt: skip
    error = document({"name": "a.b # lua: ignore[flow-value]"})
    assert "`lua/flow-value` is an error here and cannot be silenced" in "\n".join(
        said(lua, write_project({"flows/a.yaml": error}))
    )


def test_a_comment_for_a_later_stage_is_no_idle_one(lua: Lua, write_project: Write) -> None:
    """What a variable needs is known after bundling."""
    text = "env:\n  - {name: KEY_OF_NOBODY, required: true}  # lua: ignore[environment-missing]\n" + document()
    root = write_project({"flows/a.yaml": text})
    assert said(lua, root) == []
    done = lua("compile", "--format", "json", cwd=root)
    assert json.loads(done.stdout)["diagnostics"] == []


def test_a_name_is_mended_in_place(lua: Lua, write_project: Write) -> None:
    root = write_project({"flows/a.yaml": document({"name": "LookupOrder"})})
    assert lua("compile", "--fix", cwd=root).exit_code == 0
    assert (root / "flows/a.yaml").read_text() == document()
    quoted = write_project({"flows/a.yaml": document({"name": '"LookupOrder"'})})
    assert lua("compile", "--fix", cwd=quoted).exit_code == 0
    assert (quoted / "flows/a.yaml").read_text() == document({"name": '"lookup_order"'})
