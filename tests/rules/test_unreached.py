"""Tools that were written and forgotten: in files that nothing imports."""

from __future__ import annotations

import pytest

from tests.rules.projects import WriteProject, judged

FORGOTTEN = {
    "agent.py": "from lua_cli import LuaAgent, LuaSkill\nfrom tools.orders import Orders\n"
    "agent = LuaAgent('a', 'p', [LuaSkill('s', 'd', 'c', [Orders()])])\n",
    "tools/__init__.py": "",
    "tools/orders.py": "from lua_cli import LuaTool\n\n\nclass Orders(LuaTool):\n    name = 'orders'\n"
    "    description = 'Find an order by its number. Use when the customer asks for one.'\n"
    "    input_schema = {'type': 'object'}\n    def execute(self, input):\n        return 1\n",
}
QUOTE = "import lua_cli\n\n\nclass Quote(lua_cli.LuaTool[dict]):\n    name = 'quote'\n    def execute(self, input):\n        return 1\n"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"tools/quote.py": QUOTE}, [("tools/quote.py", 4, "Quote")]),
        (
            {"tools/quote.py": "from tools.orders import Orders\nclass Late(Orders):\n    name: str = 'late'\n"},
            [("tools/quote.py", 2, "Late")],
        ),
        ({"tools/test_quote.py": QUOTE, "tools/conftest.py": QUOTE, "elsewhere/quote.py": QUOTE}, []),
        ({"tools/quote.py": QUOTE.replace("class Quote", "class _Quote")}, []),
        ({"tools/quote.py": QUOTE.replace("    name = 'quote'\n", "")}, []),
        ({"tools/quote.py": QUOTE.replace("[dict]):", "[dict]):  # lua: ignore[unused-tool]")}, []),
        ({"tools/quote.py": QUOTE + "def (:\n", "tools/notes.py": "TEXT = 'LuaTool'\n"}, []),
    ],
)
def test_a_tool_in_a_file_that_nothing_imports(
    write_project: WriteProject, files: dict[str, str], said: list[tuple[str, int, str]]
) -> None:
    found = [each for each in judged(write_project({**FORGOTTEN, **files})) if each.code == "lua/unused-tool"]
    assert [(each.place.path, each.place.line, each.message.partition(" ")[0]) for each in found] == said


def test_names_that_are_nearly_right_are_told(write_project: WriteProject) -> None:
    misspelt = FORGOTTEN["agent.py"].replace("[Orders()]", "[Order()]")
    (found,) = [each for each in judged(write_project({**FORGOTTEN, "agent.py": misspelt})) if each.severity == "error"]
    assert found.help == "did you mean `Orders`?"
