"""Drawn edits, one after the other, of everything that a compile depends on: with its caches it gives what a compile
gives that starts from nothing — what is printed, the document, the bytes of the artifacts."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Result
from tests.pipeline.shop import FILES

Lua = Callable[..., Result]

BASES = """\
from lua_cli import LuaTool

from tools.orders import Order


class Base(LuaTool[Order]):
    name = "base"
    description = "Look an order up. Use when the customer names one."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return self.told(input.number)

    def told(self, number: str) -> str:
        return number
"""
STATUS = """\
from shared.bases import Base


class Status(Base):
    name = "status"
"""
PRICES = """\
from pathlib import Path

PRICES = Path(__file__).parent / "prices.csv"


def price(name: str) -> str:
    return PRICES.read_text().partition(name)[2]
"""
SHOP = {
    **FILES,
    "src/agent.py": FILES["src/agent.py"]
    .replace("from tools.refunds", "from tools.status import Status\nfrom tools.refunds")
    .replace("tools=[FindOrder()]", "tools=[FindOrder(), Status()]"),
    "src/tools/orders.py": FILES["src/tools/orders.py"].replace(
        "import os\n", "import os\n\nfrom shared.prices import price\n"
    ),
    "src/tools/status.py": STATUS,
    "src/shared/bases.py": BASES,
    "src/shared/prices.py": PRICES,
    "src/shared/prices.csv": "tea,3\n",
    ".env": "SHOP_KEY=1\n",
}

# path, what is there, what comes in its place: an edit that finds nothing to replace leaves the file as it is.
REPLACED = [
    ("src/tools/orders.py", "{LIMIT}", "{LIMIT}!"),
    ("src/tools/orders.py", "        key = env", "        # more\n        key = env"),
    ("src/tools/orders.py", 'env("SHOP_KEY")', 'env("OTHER_KEY")'),
    ("src/tools/orders.py", "        # a comment\n", "        from shared import spare\n"),
    ("src/tools/orders.py", '"find_order"', '"find_the_order"'),
    ("src/tools/orders.py", '"""Find it."""', '"""Find that."""'),
    ("src/tools/orders.py", "Field(description", "Field(max_length=9, description"),
    ("src/tools/refunds.py", "    number: str\n", "    number: str\n    why: list\n"),
    ("src/tools/refunds.py", "        import json\n", "\n        import json\n"),
    ("src/tools/refunds.py", "LuaTool[Wish]", "LuaTool[int]"),
    ("src/tools/status.py", "(Base)", "(Base, object)"),
    ("src/tools/status.py", 'name = "status"', 'name = "find_order"'),
    ("src/tools/status.py", 'name = "status"', 'name = Base.name + "_status"'),
    ("src/shared/bases.py", "return number", "return number.strip()"),
    ("src/shared/bases.py", '"base"', '"basis"'),
    ("src/shared/bases.py", "Look an order up.", "Look up an order."),
    ("src/shared/words.py", "return louder", "return louder + text"),
    ("src/shared/words.py", "the letter", "the bill"),
    ("src/shared/words.py", "LIMIT = 3", "LIMIT = 3\nlist = tuple"),
    ("src/shared/prices.py", "prices.csv", "costs.csv"),
    ("src/shared/prices.py", "[2]", "[0]"),
    ("src/shared/prices.csv", "3", "4"),
    ("src/agent.py", "Refund(), FindOrder()", "FindOrder(), Refund()"),
    ("src/agent.py", "Refund(), FindOrder()", "Refund(), Status()"),
    ("src/agent.py", '"You help."', '"You serve."'),
    ("pyproject.toml", "[tool.lua]", '[tool.lua]\nignore = ["lua/environment-missing"]'),
    ("pyproject.toml", "[tool.lua]", '[tool.lua]\ninclude = ["src/shared/*.csv"]'),
    (".env", "SHOP_KEY=1", "OTHER_KEY=1"),
]
WRITTEN = {
    "src/tools/json.py": "raise RuntimeError('not the standard one')\n",
    "src/shared/words/__init__.py": "LIMIT = 5\ndescribed = shout = str\n",
    "src/shared/__init__.py": "from shared.words import LIMIT\n",
    "src/shared/spare.py": "import os\n\n\ndef spare() -> str:\n    return os.environ['SPARE']\n",
    "src/shared/costs.csv": "tea,5\n",
    "src/tools/__init__.py": "",
    "src/pydantic.py": "class BaseModel: ...\nclass Field: ...\n",
    "requirements.txt": "pydantic==2.0\n",
    "src/tools/status.py": STATUS,
    "src/shared/words.py": FILES["src/shared/words.py"],
}
REMOVED = [
    "src/shared/__init__.py",
    "src/tools/__init__.py",
    "src/tools/status.py",
    "src/shared/prices.csv",
    ".env",
    "src/pydantic.py",
]
RENAMED = [("src/shared/words.py", "src/shared/wordings.py"), ("src/tools/status.py", "src/tools/state.py")]


def replace(root: Path, name: str, old: str, new: str) -> None:
    path = root / name
    if path.is_file():
        text = path.read_text("utf-8")
        there, wanted = (old, new) if new not in text else (new, old)  # and back again
        path.write_text(text.replace(there, wanted, 1), "utf-8")


def write(root: Path, name: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WRITTEN[name], "utf-8")


def remove(root: Path, name: str) -> None:
    (root / name).unlink(missing_ok=True)


def rename(root: Path, name: str, new: str) -> None:
    for one, other in ((root / name, root / new), (root / new, root / name)):
        if one.is_file():
            one.replace(other)
            return


EDITS: list[tuple[Callable[..., None], tuple[str, ...]]] = [
    *((replace, one) for one in REPLACED),
    *((write, (name,)) for name in WRITTEN),
    *((remove, (name,)) for name in REMOVED),
    *((rename, one) for one in RENAMED),
]


def answer(root: Path, lua: Lua) -> Any:
    said = lua("compile", cwd=root)
    document = lua("compile", "--json", cwd=root)
    built = root / ".lua" / "artifacts"
    files = {path.name: path.read_bytes() for path in built.iterdir()} if said.exit_code == 0 else {}
    return said, json.loads(document.stdout), files


@pytest.mark.parametrize("seed", range(3))
@given(data=st.data())
@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_edits_are_answered_as_if_from_nothing(lua: Lua, seed: int, data: st.DataObject) -> None:
    steps = data.draw(
        st.lists(st.lists(st.sampled_from(range(len(EDITS))), min_size=1, max_size=2), min_size=4, max_size=4)
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "shop"
        for name, text in SHOP.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert lua("compile", cwd=root).exit_code == 0
        for step in steps:
            for number in step:
                edit, given_ = EDITS[(number + seed * 7) % len(EDITS)]
                edit(root, *given_)
            warm = answer(root, lua)
            kept = root / ".kept"
            (root / ".lua").rename(kept)
            cold = answer(root, lua)
            shutil.rmtree(root / ".lua", ignore_errors=True)
            kept.rename(root / ".lua")
            assert warm == cold
