"""Every block by its cases: files in cases/ hold flows, messages in, and what must come out."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lua_cli.flows.disk import load_members
from lua_cli.flows.json_text import compact
from lua_cli.flows.kinds import KINDS
from lua_cli.runtime.flows.around import Around, Python
from lua_cli.runtime.flows.engine import Engine
from lua_cli.runtime.flows.invoking import mocks_of, run
from lua_cli.runtime.flows.message import BlockError, Message
from lua_cli.runtime.flows.objects import ObjectStore
from lua_cli.runtime.flows.played import Closed, Played
from lua_cli.runtime.models.scripted import Scripted
from lua_cli.sdk.scripted import ScriptedModel
from lua_cli.source.yaml_text import parse_yaml

FOLDER = Path(__file__).parent / "cases"


def read(path: Path) -> dict[str, Any]:
    tree = parse_yaml(path.read_text("utf-8"))
    assert tree is not None
    plain = tree.plain()
    assert isinstance(plain, dict)
    return plain


FILES = {path.stem: read(path) for path in sorted(FOLDER.glob("*.yaml"))}
CASES = [(stem, case) for stem, file in FILES.items() for case in file["cases"]]


def test_every_block_has_cases() -> None:
    missing = [kind for kind in KINDS if not any(f"type: {kind}" in file["document"] for file in FILES.values())]
    assert missing == [], "write cases in cases/"


def answering(tools: dict[str, dict[str, Any]]) -> Python:
    """Python tools that answer inputs (as compact JSON); the real ones run in tests/pipeline and tests/commands."""

    def call(name: str, value: Any, _seconds: float, _heard: Callable[[str], None]) -> Any:
        answers = tools[name]
        if compact(value) not in answers:
            raise BlockError(f"{name}: no answer to {compact(value)}")
        return answers[compact(value)]

    return call


@pytest.mark.parametrize(("stem", "case"), CASES, ids=lambda each: each if isinstance(each, str) else each["name"])
def test_a_message_goes_through(stem: str, case: dict[str, Any]) -> None:
    documents = {f"docs/{name}": text.encode() for name, text in FILES[stem].get("documents", {}).items()}
    flows = load_members({"docs/flow.yaml": FILES[stem]["document"].encode(), **documents})
    assert [finding.facts["message"] for finding in flows.findings if finding.code != "lua/flow-document-body"] == []
    script = ScriptedModel(case.get("script", []))
    around = Around(
        env=case.get("env", {}),
        store=ObjectStore(None),
        model=lambda _connector: Scripted(script),
        mocks=mocks_of(case.get("mocks", {})),
        http=Played({"exchanges": case["http"], "record": False}) if "http" in case else Closed(),
        python=answering(case.get("python", {})),
        until=time.monotonic() + 20,
    )
    message = Message(case.get("body"), dict(case.get("vars", {})), "e1", "c1")
    result = run(Engine(flows, around), case["flow"], message)
    found: dict[str, Any] = (
        {"dropped": True} if result.dropped else {"body": result.body, "vars": dict(result.vars or {})}
    )
    if result.error is not None:
        found = {"error": result.error.message, "address": result.error.address}
    if "logs" in case["expect"]:
        found["logs"] = [f"{line.level}: {line.text}" for line in result.logs]
    expected = dict(case["expect"])
    if "body" in expected:
        expected.setdefault("vars", {})
    assert found == expected
