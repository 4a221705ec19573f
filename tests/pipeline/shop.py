"""A project of two skills that is edited and compiled with its caches and from nothing, for tests of what an edit costs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import Result

Lua = Callable[..., Result]

AGENT = """\
from lua_cli import LuaAgent, LuaSkill

from tools.orders import FindOrder
from tools.refunds import Refund

orders = LuaSkill(name="orders", description="Orders", context="Use find_order.", tools=[FindOrder()])
refunds = LuaSkill(name="refunds", description="Refunds", context="Use refund.", tools=[Refund(), FindOrder()])
agent = LuaAgent(name="shop", persona="You help.", skills=[orders, refunds])
"""

ORDERS = '''\
import os

from lua_cli import LuaTool, env
from pydantic import BaseModel, Field

from shared.words import LIMIT, described, shout


class Order(BaseModel):
    number: str = Field(description=described("The number"))


class FindOrder(LuaTool[Order]):
    name = "find_order"
    description = "Find an order. Use when the customer asks for one."
    input_schema = Order

    def execute(self, input: Order) -> str:
        """Find it."""
        key = env("SHOP_KEY")
        return shout(f"{input.number} {key} {LIMIT}")

    def later(self) -> str:
        # a comment
        return os.environ.get("SHOP_PLACE", "here")


def rows(many: int) -> list[int]:
    return list(range(many))
'''

REFUNDS = """\
from lua_cli import LuaTool
from pydantic import BaseModel


class Wish(BaseModel):
    number: str


class Refund(LuaTool[Wish]):
    name = "refund"
    description = "Refund an order. Use when the customer wants the money back."
    input_schema = Wish

    async def execute(self, input: Wish) -> dict[str, str]:
        import json

        return dict(number=json.dumps(input.number))
"""

WORDS = """\
LIMIT = 3


def described(text: str) -> str:
    return f"{text}, as it stands in the letter"


def shout(text: str) -> str:
    louder = text.upper()
    return louder
"""

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n\n[tool.lua]\nentry = "src/agent.py"\n',
    "src/agent.py": AGENT,
    "src/tools/__init__.py": "",
    "src/tools/orders.py": ORDERS,
    "src/tools/refunds.py": REFUNDS,
    "src/shared/__init__.py": "",
    "src/shared/words.py": WORDS,
}


@dataclass
class Shop:
    """A compiled project. `read` counts the times that a source index was made."""

    root: Path
    lua: Lua
    read: list[object]

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.root / "src" / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    def both(self) -> tuple[Any, Any, bool]:
        """What a compile with its caches gives, one that starts from nothing, and whether the first read sources."""
        self.read.clear()
        warm = self._answer()
        read = bool(self.read)
        kept = self.root / ".kept"
        (self.root / ".lua").rename(kept)
        cold = self._answer()
        shutil.rmtree(self.root / ".lua", ignore_errors=True)
        kept.rename(self.root / ".lua")
        return warm, cold, read

    def _answer(self) -> Any:
        text = self.lua("compile", cwd=self.root)
        again = self.lua("compile", "--json", cwd=self.root)
        built = self.root / ".lua" / "artifacts"
        files = {path.name: path.read_bytes() for path in built.iterdir()} if text.exit_code == 0 else {}
        return text, json.loads(again.stdout), files


def caches(root: Path) -> list[Path]:
    return sorted(path for path in (root / ".lua/cache").rglob("*") if path.is_file())


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "gone": lambda content: None,
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "no text": lambda content: b"\xff\xfe" + content,
    "more": lambda content: content + b"more\n",
    "a bit": lambda content: (
        content[: len(content) // 3] + bytes([content[len(content) // 3] ^ 1]) + content[len(content) // 3 + 1 :]
    ),
    "a later bit": lambda content: content[:-30] + bytes([content[-30] ^ 4]) + content[-29:],
    "another version": lambda content: content.replace(b'"cli":"', b'"cli":"0.', 1),
}
