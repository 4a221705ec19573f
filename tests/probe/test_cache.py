"""An unchanged compile starts no child; what changes the answer starts one."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from lua_cli.records import replace
from tests.runtime.workshop import Workshop, tool_module


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "project")


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the children that are started: one number (how many skills it looks at) each."""
    from lua_cli.child import launch

    counted: list[int] = []
    real = launch.launch

    def counting(order: launch.Order) -> launch.Ended:
        body = order.made_body()
        counted.append(len(body["skills"]))
        return real(replace(order, body=body))

    monkeypatch.setattr(launch, "launch", counting)
    return counted


def test_what_was_seen_is_remembered_until_it_may_be_another(
    workshop: Workshop, starts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, tools = tool_module({"one": "input_schema = {'type': 'object'}\ndef execute(self, input): ..."})

    def look(text: str = module, skill: str = "skill") -> None:
        workshop.look(workshop.draft({"tools.py": text}, tools, skill=skill, env=("KEY",)))

    first = workshop.look(workshop.draft({"tools.py": module}, tools, env=("KEY",)))
    assert workshop.look(workshop.draft({"tools.py": module}, tools, env=("KEY",))) == first
    assert starts == [1]
    look(skill="other")
    assert starts == [1, 1]
    look(module + "\n# changed\n")
    assert starts == [1, 1, 1]
    monkeypatch.setenv("KEY", "value")
    look()
    look()
    assert starts == [1, 1, 1, 1]
    monkeypatch.setenv("UNRELATED", "value")
    look()
    assert starts == [1, 1, 1, 1]


def test_one_child_looks_at_all_that_is_new(workshop: Workshop, starts: list[int]) -> None:
    module, tools = tool_module({"one": "return 1"})
    drafts = [workshop.draft({"tools.py": module}, tools, skill=skill) for skill in ("a", "b", "c")]
    workshop.look(drafts[0])
    workshop.look(*drafts)
    workshop.look(*drafts)
    assert starts == [1, 2]


def test_installed_packages_are_part_of_the_key(workshop: Workshop, starts: list[int]) -> None:
    venv.create(workshop.root / ".venv", with_pip=False, symlinks=True)
    site = next((workshop.root / ".venv").glob("lib/python3.*/site-packages"))
    module, tools = tool_module({"one": "return 1"})
    draft = workshop.draft({"tools.py": module}, tools)
    workshop.look(draft)
    (site / "pydantic-3.0.dist-info").mkdir()
    workshop.look(draft)
    workshop.look(draft)
    assert starts == [1, 1]


def test_failures_are_not_remembered(workshop: Workshop, starts: list[int]) -> None:
    module, tools = tool_module({"one": "return 1"}, "import nosuchpackage")
    draft = workshop.draft({"tools.py": module}, tools)
    assert workshop.look(draft).findings == workshop.look(draft).findings != ()
    assert starts == [1, 1]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"tools": {"a": {"strange": 1}}}', b"\xff"])
def test_a_damaged_cache_means_another_look(damage: bytes, workshop: Workshop, starts: list[int]) -> None:
    module, tools = tool_module({"one": "return 1"})
    draft = workshop.draft({"tools.py": module}, tools)
    first = workshop.look(draft)
    (file,) = (workshop.root / ".lua/cache/probe").iterdir()
    file.write_bytes(damage)
    assert workshop.look(draft) == first
    assert starts == [1, 1]


def test_a_cache_that_cannot_be_written_costs_only_time(workshop: Workshop, starts: list[int]) -> None:
    module, tools = tool_module({"one": "return 1"})
    draft = workshop.draft({"tools.py": module}, tools)
    (workshop.root / ".lua").write_text("in the way", encoding="utf-8")
    assert workshop.look(draft) == workshop.look(draft)
    assert starts == [1, 1]


def test_the_cache_keeps_one_answer_a_skill(workshop: Workshop) -> None:
    module, tools = tool_module({"one": "return 1"})
    for number in range(3):
        workshop.look(workshop.draft({"tools.py": f"{module}\n# {number}\n"}, tools))
    assert len(list((workshop.root / ".lua/cache/probe").iterdir())) == 1
