"""What `lua skills diff` and a dry run of a push say of agents in YAML."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

FILES = {
    "flows/a.yaml": """\
resources:
  templates:
    - {resource: refunds.md, as: shop-refunds}
    - {resource: tone.md, as: shop-tone}
    - {resource: mail.md, as: shop-mail}
flows:
  - name: support
    process:
      - type: ai-agent
        name: shop-assistant
        prompt: You answer. {{ templateResource("shop-tone") }}
        guardrail: Refuse what is no question.
        tools:
          - name: send_mail
            description: Send a mail. Use when the customer asks for one.
            process: [{type: template-resource, settings: {resource: shop-mail}}]
        skills:
          - {name: refunds, description: When an order is refunded., resource: shop-refunds}
""",
    "flows/refunds.md": "Up to 30 days.\n",
    "flows/tone.md": "Be short.\n",
    "flows/mail.md": "Dear customer.\n",
}


@pytest.mark.parametrize(
    ("file", "old", "new", "parts"),
    [
        ("a.yaml", "When an order is refunded.", "For refunds.", ["description of document refunds"]),
        ("refunds.md", "30", "20", ["document refunds"]),
        ("tone.md", "short", "long", ["template shop-tone"]),
        ("mail.md", "Dear", "Good", []),
        ("a.yaml", "no question", "rude", ["guardrail"]),
        ("a.yaml", "You answer.", "You reply.", ["context"]),
        ("a.yaml", "        guardrail:", "        answer: text\n        guardrail:", ["kind of answer"]),
        ("a.yaml", "{name: refunds,", "{name: money,", ["new document money", "removed document refunds"]),
    ],
)
def test_what_changes_for_the_model_is_said(
    lua: Lua, write_project: WriteProject, file: str, old: str, new: str, parts: list[str]
) -> None:
    root = write_project(FILES)
    assert lua("push", "all", "--auto-deploy", cwd=root).exit_code == 0
    path = root / "flows" / file
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    compared = json.loads(lua("skills", "diff", "shop-assistant", "--json", cwd=root).stdout)
    assert compared["changes"]["skill"] == parts
    dry = json.loads(lua("push", "all", "--auto-deploy", "--dry-run", "--json", cwd=root).stdout)
    assert [step["changes"]["skill"] for step in dry["steps"]] == [parts, parts]
    text = lua("skills", "diff", "shop-assistant", cwd=root).stdout
    assert ("the model sees no difference" in text) == (not parts)
