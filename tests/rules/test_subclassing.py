"""The subclass that brings a tool's constructor arguments itself: that it behaves as the call did, or is not offered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lua_cli.diagnostics import Place
from lua_cli.rules.fixes.subclassing import Constructor, subclass_fix

BASE = """\
LOUD = str.upper

class Search:
    def __init__(self, path="/docs", limit=5, *, region="eu", key=None, **more):
        self.path = path
        self.limit = limit
        self.region = region
        self.key = key
        self.more = more

"""
FIELDS = {"path": "path", "limit": "limit", "region": "region", "key": "key"}


def rewritten(call: str, template: str = "tool = {}\n", fields: Mapping[str, str] = FIELDS) -> str | None:
    text = BASE + template.format(call)
    before = text[: text.index(call, len(BASE))]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    place = Place("a.py", line, column, line + call.count("\n"), column + len(call))
    fix = subclass_fix(text, place, Constructor("Search", ("path", "limit"), fields), "orders")
    if fix is None:
        return None
    lines = text.split("\n")
    for edit in sorted(fix.edits, key=lambda edit: edit.place, reverse=True):
        at = edit.place
        row = lines[at.line - 1]
        lines[at.line - 1] = row[: at.column - 1] + edit.text + row[at.end_column - 1 :]
    return "\n".join(lines)


def state(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(source, names)  # the fixture's own text
    tool = names["tool"]
    return vars(tool[0] if isinstance(tool, list) else tool)


@pytest.mark.parametrize(
    "call",
    [
        'Search("/acme")',
        'Search("/acme", 9)',
        'Search(limit=9, path="/acme")',
        "Search(region='us', limit=-1)",
        "Search(*('/acme', 3), region='us')",
        "Search(**{'region': 'us', 'other': 1})",
        "Search(key=LOUD)",
        "Search(key=lambda text: text.upper())",
        "Search(path=f'/{1 + 1}')",
        "Search(path=BASE_PATH, other=BASE_PATH)",
    ],
)
def test_the_subclass_behaves_as_the_call(call: str) -> None:
    template = "BASE_PATH = '/x'\ntool = {}\n"
    fixed = rewritten(call, template)
    assert fixed is not None
    before, after = state(BASE + template.format(call)), state(fixed)
    if callable(before["key"]):
        before["key"], after["key"] = before["key"]("a"), after["key"]("a")
    assert after == before


def test_plain_values_become_fields_that_a_further_subclass_can_override() -> None:
    assert rewritten('Search("/acme", region="us")', "# The search.\ntool = [{}]\n") == BASE + (
        "\n"
        "class AcmeSearch(Search):\n"
        '    path = "/acme"\n'
        '    region = "us"\n'
        "\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__(self.path, region=self.region)\n"
        "\n"
        "\n"
        "# The search.\n"
        "tool = [AcmeSearch()]\n"
    )


def test_without_known_fields_the_constructor_gets_the_values() -> None:
    fixed = rewritten('Search("/acme")', fields={})
    assert fixed is not None
    assert 'super().__init__("/acme")' in fixed
    assert "path =" not in fixed.removeprefix(BASE)


@pytest.mark.parametrize(
    ("template", "call"),
    [
        ("def make():\n    return {}\n", "Search('/acme')"),
        ("if True:\n    tool = {}\n", "Search('/acme')"),
        ("tools = [{} for path in ['/a']]\n", "Search(path)"),
        ("tool = {}\n", "Search(x := '/acme')"),
        ("tool = {}\n", "Search(__secret)"),
        ("tool = {}\n", "make()('/acme')"),
        ("tool = {}\n", "Search(\n    '''a\n    b''')"),
    ],
)
def test_no_fix_where_it_would_not_mean_the_same(template: str, call: str) -> None:
    assert rewritten(call, template) is None


def test_the_name_is_free() -> None:
    fixed = rewritten('Search("/acme")', "class AcmeSearch: ...\ntool = {}\n")
    assert fixed is not None
    assert "class AcmeSearch2(Search):" in fixed
    assert "class OrdersSearch(Search):" in (rewritten("Search(limit=3)") or "")
