"""After an edit of what a tool is called, or of what is said of it, the answer is that of a compile that starts from
nothing, and no source is read for it where nobody asks a tool for its words."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline.shop import DAMAGES, FILES, Lua, Shop, caches

ORDERS, REFUNDS = "tools/orders.py", "tools/refunds.py"
NAME = (ORDERS, '"find_order"', '"look_up_parcel"')
SAID = (REFUNDS, "Refund an order.", "Give money back for an order.")
KEY = 'key = env("SHOP_KEY")'

AT_ONCE: dict[str, list[tuple[str, str, str]]] = {
    "a name": [NAME],
    "a description": [SAID],
    "a shorter name": [(REFUNDS, '"refund"', '"pay"')],
    "a long name": [(REFUNDS, '"refund"', '"give_the_money_back_for_an_order"')],
    "other quotes": [(ORDERS, '"find_order"', "'find_an_order'")],
    "a letter": [(REFUNDS, "Refund an order.", "Rückerstattung, für eine Bestellung „hier“.")],
    "what reads as code": [(REFUNDS, "Refund an order.", "# Refund {an} order: $x \\u00e9;".replace("\\u00e9", "é"))],
    "both of a class": [NAME, (ORDERS, "Find an order.", "Find a parcel.")],
    "two files": [NAME, SAID],
    "a word and a body": [SAID, (ORDERS, KEY, f"\n        # now\n        {KEY}")],
    "a warning that comes": [(REFUNDS, "Refund an order. Use when the customer wants the money back.", "TODO")],
    "no description": [(REFUNDS, "Refund an order. Use when the customer wants the money back.", "")],
    "a name that a provider refuses": [(REFUNDS, '"refund"', '"24h_refund"')],
    "a description that a provider refuses": [(REFUNDS, "Refund an order.", "Refund an order. " * 80)],
    "a style": [(REFUNDS, '"refund"', '"giveBack"')],
    "a name that a context speaks of": [("agent.py", "Use refund.", "Use give_back."), (REFUNDS, '"refund"', '"give_back"')],
    "names that say the same": [(REFUNDS, '"refund"', '"find_orders"')],
    "descriptions that say the same": [
        (REFUNDS, "Refund an order. Use when the customer wants the money back.", "Find an order. Use when the customer asks for one."),
    ],
}  # fmt: skip


def edited(shop: Shop, edits: list[tuple[str, str, str]]) -> None:
    for edit in edits:
        shop.edit(*edit)


@pytest.mark.parametrize("what", AT_ONCE, ids=lambda name: name.replace(" ", "-"))
def test_a_word_is_edited_without_an_analysis(shop: Shop, what: str) -> None:
    head, last = AT_ONCE[what][:-1], AT_ONCE[what][-1]
    if what == "a name that a context speaks of":
        edited(shop, head)
        shop.both()
        head = []
    edited(shop, [*head, last])
    warm, cold, read = shop.both()
    assert warm == cold
    assert not read, "a source was analysed that did not have to be"
    assert not shop.both()[2], "the answer is not kept"


def test_the_words_are_in_the_artifact_and_its_tool_answers(shop: Shop) -> None:
    edited(shop, [NAME, SAID])
    warm, _, read = shop.both()
    assert not read
    assert [one["name"] for one in warm[1]["tools"]] == ["look_up_parcel", "refund"]
    assert [one["tools"] for one in warm[1]["skills"]] == [["look_up_parcel"], ["refund", "look_up_parcel"]]
    shop.lua("compile", cwd=shop.root)
    given = json.dumps({"number": "7"})
    (shop.root / ".env").write_text("SHOP_KEY=x\n", "utf-8")
    done = shop.lua("test", "--ci", "skill", "--name", "look_up_parcel", "--input", given, cwd=shop.root)
    assert done.exit_code == 0, done.stderr
    gone = shop.lua("test", "--ci", "skill", "--name", "find_order", "--input", given, cwd=shop.root)
    assert gone.exit_code != 0


AS_IF_NEW: dict[str, tuple[str, str, str]] = {
    "no name for a tool": (ORDERS, '"find_order"', '"find order"'),
    "no name": (ORDERS, '"find_order"', '""'),
    "a name too long": (ORDERS, '"find_order"', f'"{"a" * 65}"'),
    "the name of another tool": (ORDERS, '"find_order"', '"refund"'),
    "an escape": (REFUNDS, "Refund an order.", "Refund\\tan order."),
    "two texts": (REFUNDS, "Refund an order. ", 'Refund " "an order. '),
    "a text that is computed": (ORDERS, '"find_order"', 'f"find_{1}"'),
    "a call": (ORDERS, '"find_order"', '"find_order".lower()'),
    "a comment": (ORDERS, '"find_order"', '"find_parcel"  # lua: ignore[tool-confusion]'),
    "another attribute": (ORDERS, 'name = "find_order"', 'named = "find_order"'),
    "a secret": (REFUNDS, "Refund an order.", "sk-ant-api03-J9xLq2mVt7Rb4Wz8KcYdNf3H"),
    "a local address": (REFUNDS, "Refund an order.", "http://localhost:8000/"),
    "a path": (REFUNDS, "Refund an order.", "/home/mo/refunds"),
    "an open quote": (ORDERS, '"find_order"', '"find_order'),
    "more lines": (REFUNDS, '"Refund an order.', '"""Refund\n    an order.""" "'),
}


@pytest.mark.parametrize("what", AS_IF_NEW, ids=lambda name: name.replace(" ", "-"))
def test_what_is_more_than_a_word_is_analysed(shop: Shop, what: str) -> None:
    shop.edit(*AS_IF_NEW[what])
    warm, cold, read = shop.both()
    assert warm == cold
    assert read


HEAD = "from shared.words import LIMIT, described, shout\n"
READERS: dict[str, list[tuple[str, str, str]]] = {
    "the module": [(ORDERS, "\n\ndef rows", "\n\nLABEL = FindOrder.name\n\n\ndef rows")],
    "a skill's description": [("agent.py", 'description="Orders"', "description=FindOrder.name")],
    "a skill's context": [("agent.py", 'context="Use find_order."', 'context=f"Use {FindOrder.name}."')],
    "the class body": [(ORDERS, "    input_schema = Order\n", "    input_schema = Order\n    title = name\n")],
    "a schema": [
        (REFUNDS, "    number: str\n", '    number: str = Field(description=FindOrder.name)\n'),
        (REFUNDS, "from pydantic import BaseModel\n", "from pydantic import BaseModel, Field\nfrom tools.orders import FindOrder\n"),
    ],
    "a function that runs": [
        ("shared/words.py", "    return f\"{text}, as it stands in the letter\"\n", '    return f"{text}, {seen()}"\n'),
        ("shared/words.py", "LIMIT = 3\n", "LIMIT = 3\n\n\ndef seen() -> str:\n    return getattr(Late, 'na' + 'me')\n\n\nclass Late:\n    name = 'late'\n"),
    ],
    "all that a class has": [(ORDERS, "\n\ndef rows", "\n\nALL = dict(vars(FindOrder))\n\n\ndef rows")],
    "a subclass that is told of": [
        (ORDERS, "class FindOrder(LuaTool[Order]):", "class Base(LuaTool[Order]):\n    def __init_subclass__(cls):\n        cls.label = cls.name\n\n\nclass FindOrder(Base):"),
    ],
    "a metaclass": [
        (ORDERS, "class FindOrder(LuaTool[Order]):", "class Meta(type(LuaTool)):\n    def __new__(m, n, b, ns):\n        return super().__new__(m, n, b, ns)\n\n\nclass FindOrder(LuaTool[Order], metaclass=Meta):"),
    ],
    "a decorator of a package": [
        (ORDERS, "class FindOrder(", "from rich.repr import auto\n\n\n@auto\nclass FindOrder("),
    ],
    "a call of something else": [("agent.py", "agent = LuaAgent(", "import weakref\n\nkept = weakref.ref(FindOrder)\nagent = LuaAgent(")],
    "a comparison": [("agent.py", 'context="Use find_order."', 'context="Help." if FindOrder.name == "find_order" else "No."')],
    "a width": [("agent.py", 'context="Use find_order."', 'context=f"Help. {FindOrder.name:>20}"')],
    "a condition in the class": [
        (ORDERS, "    input_schema = Order\n", '    input_schema = {"type": "object", "title": "A" if name == "find_order" else "B"}\n'),
    ],
    "an annotation in quotes": [
        (REFUNDS, "    number: str\n", "    number: 'Annotated[str, Field(description=FindOrder.name)]'\n"),
        (REFUNDS, "from pydantic import BaseModel\n", "from typing import Annotated\nfrom pydantic import BaseModel, Field\nfrom tools.orders import FindOrder\n"),
    ],
    "a frame": [
        (ORDERS, "    input_schema = Order\n", '    input_schema = {"type": "object", "title": __import__("sys")._getframe(0).f_locals["name"]}\n'),
    ],
    "wide letters": [(ORDERS, "\n\ndef rows", "\n\nLABEL = FindOrder.\uff4eame\n\n\ndef rows")],
    "a function that a package calls": [("agent.py", "agent = LuaAgent(", "from rich.pretty import pretty_repr\n\nx = pretty_repr(lambda: FindOrder)\nagent = LuaAgent(")],
    "a class that holds it": [("agent.py", "agent = LuaAgent(", "from rich.pretty import pretty_repr\n\n\nclass Kept:\n    tool = FindOrder\n\n\nx = pretty_repr(Kept)\nagent = LuaAgent(")],
    "an attribute of a package": [("agent.py", "agent = LuaAgent(", "import rich.pretty\n\nrich.pretty.kept = FindOrder\nagent = LuaAgent(")],
    "an item of a package": [("agent.py", "agent = LuaAgent(", "import rich.abc\n\nvars(rich.abc)['kept'] = FindOrder\nagent = LuaAgent(")],
    "a key function": [("agent.py", "agent = LuaAgent(", "from rich.pretty import pretty_repr\n\nx = max([FindOrder], key=pretty_repr)\nagent = LuaAgent(")],
    "a template": [(ORDERS, "\n\ndef rows", '\n\nLABEL = "{0.name}".format(FindOrder)\n\n\ndef rows')],
}  # fmt: skip


@pytest.mark.parametrize("what", READERS, ids=lambda name: name.replace(" ", "-"))
def test_words_that_somebody_asks_for_are_analysed(shop: Shop, what: str) -> None:
    edited(shop, READERS[what])
    before, cold, _ = shop.both()
    assert before == cold
    shop.edit(*NAME)
    warm, cold, read = shop.both()
    assert warm == cold
    assert read, "nobody looked whether the reader of the name says something else now"


UNCONCERNED: dict[str, list[tuple[str, str, str]]] = {
    "a name of something else": [("shared/words.py", "    louder =", "    path = text.name\n    louder =")],
    "a parameter": [("shared/words.py", "def described(text: str)", "def described(text: str, name: str = '')")],
    "an attribute that is set": [
        (
            ORDERS,
            "\n\ndef rows",
            "\n\nclass Api:\n    def __init__(self, name):\n        self.name = name\n\n\nAPI = Api('x')\n\n\ndef rows",
        )
    ],
    "a field": [(REFUNDS, "    number: str\n", "    number: str\n    name: str = ''\n")],
}


@pytest.mark.parametrize("what", UNCONCERNED, ids=lambda name: name.replace(" ", "-"))
def test_other_names_are_in_nobodys_way(shop: Shop, what: str) -> None:
    edited(shop, UNCONCERNED[what])
    shop.both()
    shop.edit(*NAME)
    warm, cold, read = shop.both()
    assert warm == cold
    assert not read


def test_what_is_inherited_changes_for_all(shop: Shop) -> None:
    """The name of a base is that of two tools more; one of them has a description of its own."""
    more = (
        "\n\nclass FindParcel(FindOrder):\n"
        '    description = "Find a parcel. Use when the customer waits for it."\n'
        "\n\nclass FindLetter(FindOrder):\n"
        '    name = "find_letter"\n'
    )
    path = shop.root / "src" / ORDERS
    path.write_text(path.read_text("utf-8") + more, "utf-8")
    shop.edit("agent.py", "import FindOrder", "import FindLetter, FindOrder, FindParcel")
    shop.edit("agent.py", "tools=[FindOrder()]", "tools=[FindLetter()]")
    shop.edit("agent.py", "tools=[Refund(), FindOrder()]", "tools=[Refund(), FindParcel()]")
    shop.both()
    for edit in (NAME, (ORDERS, "Find an order.", "Look for an order."), (ORDERS, '"find_letter"', '"seek_letter"')):
        shop.edit(*edit)
        warm, cold, read = shop.both()
        assert warm == cold
        assert not read
    assert [one["name"] for one in warm[1]["tools"]] == ["seek_letter", "refund", "look_up_parcel"]


def test_a_file_of_one_customer_has_no_body_at_all(shop: Shop) -> None:
    """One tool and many customers: what a class brings is words and settings."""
    text = "from tools.orders import FindOrder\n\n\nclass AcmeOrder(FindOrder):\n    place = '/acme'\n"
    more = '    name = "find_acme_order"\n    description = "Find an order of Acme. Use when Acme calls."\n'
    (shop.root / "src/tools/acme.py").write_text(text + more, "utf-8")
    shop.edit("agent.py", "from tools.orders", "from tools.acme import AcmeOrder\nfrom tools.orders")
    shop.edit("agent.py", "tools=[FindOrder()]", "tools=[FindOrder(), AcmeOrder()]")
    shop.both()
    for old, new in (("find_acme_order", "look_up_acme"), ("Find an order of", "Look up what was bought by")):
        shop.edit("tools/acme.py", old, new)
        warm, cold, read = shop.both()
        assert warm == cold
        assert not read
    shop.edit("tools/acme.py", "'/acme'", "'/acme/v2'")
    warm, cold, read = shop.both()
    assert warm == cold
    assert read


OTHERS: dict[str, tuple[list[tuple[str, str, str]], tuple[str, str, str]]] = {
    "an enumeration": (
        [
            (REFUNDS, "class Wish(BaseModel):\n    number: str\n", "class By(str, Enum):\n    description = 'text'\n    price = 'price'\n\n\nclass Wish(BaseModel):\n    by: By\n    number: str = ''\n"),
            (REFUNDS, "from lua_cli", "from enum import Enum\n\nfrom lua_cli"),
        ],
        (REFUNDS, "description = 'text'", "description = 'words'"),
    ),
    "a dataclass": (
        [
            (REFUNDS, "class Wish(BaseModel):\n    number: str\n", "@dataclass\nclass Wish:\n    number: str\n    name: str = 'Anna'\n"),
            (REFUNDS, "from lua_cli", "from dataclasses import dataclass\n\nfrom lua_cli"),
        ],
        (REFUNDS, "'Anna'", "'Berta'"),
    ),
    "a skill's description that says the name": (
        [("agent.py", 'description="Orders"', 'description="Orders, with FindIt"')],
        (ORDERS, '"find_order"', '"FindIt"'),
    ),
    "a module of two names": (
        [
            ("../pyproject.toml", "[tool.lua]\n", '[tool.lua]\nimport-roots = ["src", "."]\n'),
            ("agent.py", "from tools.refunds", "from src.tools.orders import FindOrder as Other\nfrom tools.refunds"),
        ],
        NAME,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS, ids=lambda name: name.replace(" ", "-"))
def test_what_only_looks_like_a_word_or_is_said_elsewhere(shop: Shop, what: str) -> None:
    before, edit = OTHERS[what]
    edited(shop, before)
    shop.both()
    shop.edit(*edit)
    warm, cold, _ = shop.both()
    assert warm == cold


def test_a_message_that_says_the_old_name_is_made_anew(shop: Shop) -> None:
    """A variable that goes by the name of the tool."""
    shop.edit(ORDERS, 'env("SHOP_KEY")', 'env("find_order")')
    before = shop.both()[0]
    assert any("find_order" in one["message"] for one in before[1]["diagnostics"]), before[0].stdout
    shop.edit(*NAME)
    warm, cold, read = shop.both()
    assert warm == cold
    assert read


@pytest.mark.parametrize("level", ["ignore", "error"])
def test_the_levels_of_the_rules_hold(shop: Shop, level: str) -> None:
    path = shop.root / "pyproject.toml"
    path.write_text(f'{path.read_text("utf-8")}\n[tool.lua.rules]\n"lua/tool-name-style" = "{level}"\n', "utf-8")
    shop.both()
    shop.edit(REFUNDS, '"refund"', '"giveBack"')
    warm, cold, read = shop.both()
    assert warm == cold
    assert read == (level == "error")
    assert warm[0].exit_code == (level == "error")


def test_a_warning_goes_with_the_word_that_it_was_about(shop: Shop) -> None:
    shop.edit(REFUNDS, '"refund"', '"giveBack"')
    assert [one["code"] for one in shop.both()[0][1]["diagnostics"]][-1] == "lua/tool-name-style"
    for new in ('"give_it_all_back"', '"Back"', '"back"'):
        path = shop.root / "src" / REFUNDS
        lines = path.read_text("utf-8").split("\n")
        at = next(at for at, line in enumerate(lines) if line.startswith("    name = "))
        lines[at] = f"    name = {new}"
        path.write_text("\n".join(lines), "utf-8")
        warm, cold, read = shop.both()
        assert warm == cold
        assert not read


def test_crlf_and_a_byte_order_mark(shop: Shop) -> None:
    path = shop.root / "src" / REFUNDS
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    shop.both()
    path.write_bytes(path.read_bytes().replace(b'"refund"', b'"give_back"'))
    warm, cold, read = shop.both()
    assert warm == cold
    assert not read


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda name: name.replace(" ", "-"))
def test_a_damaged_table_changes_no_answer(shop: Shop, damage: str) -> None:
    shop.edit(*NAME)
    (table,) = [path for path in caches(shop.root) if path.name == "words.json"]
    content = DAMAGES[damage](table.read_bytes())
    table.unlink() if content is None else table.write_bytes(content)
    warm, cold, _ = shop.both()
    assert warm == cold


NAMES = ["find_order", "refund", "pay", "giveBack", "find_orders", "look_up_parcel", "a", "fetch-order", "order_7"]
TEXTS = ["", "TODO", "Find an order. Use when the customer asks for one.", "Refund it: call `pay` first, then `refund`.",
         "Says what use find_order makes of it; it's long.", "refund", "Ein Paket suchen – für „Kunden“.", "Use the tool look_up_parcel here."]  # fmt: skip
BODY = ["", "        # more\n", "        one = 1\n        two = 2\n"]


@pytest.mark.parametrize("seed", range(4))
def test_drawn_edits(shop: Shop, seed: int) -> None:
    """Words and bodies of both files, alone and together, one after the other."""
    draw = random.Random(seed)
    shop.edit("agent.py", "Use refund.", "Use refund, or the look_up_parcel tool.")
    path = shop.root / "src" / ORDERS
    more = '\n\nclass Again(FindOrder):\n    description = "Again."\n'
    path.write_text(path.read_text("utf-8") + more, "utf-8")
    shop.edit("agent.py", "import FindOrder", "import Again, FindOrder")
    shop.edit(
        "agent.py", "Refund(), FindOrder()]", "Refund(), FindOrder(), Again()]" if seed % 2 else "Refund(), Again()]"
    )
    shop.both()
    for _ in range(7):
        for name in draw.sample([ORDERS, REFUNDS], draw.randint(1, 2)):
            _draw_into(shop.root / "src" / name, draw)
        warm, cold, _ = shop.both()
        assert warm == cold, (shop.root / "src" / ORDERS).read_text("utf-8")


def _draw_into(path: Path, draw: random.Random) -> None:
    lines = path.read_text("utf-8").split("\n")
    for at, line in enumerate(lines):
        if line.startswith("    name = ") and draw.random() < 0.5:
            lines[at] = f'    name = "{draw.choice(NAMES)}"'
        if line.startswith("    description = ") and draw.random() < 0.5:
            lines[at] = f'    description = "{draw.choice(TEXTS)}"'
    text = "\n".join(lines)
    if draw.random() < 0.4:
        text = text.replace("        # a comment\n", f"        # a comment\n{draw.choice(BODY)}")
        text = text.replace("        import json\n", f"        import json\n{draw.choice(BODY)}")
    path.write_text(text, "utf-8")


def test_the_words_of_a_first_build_are_there(write_project: Callable[[dict[str, str]], Path], lua: Lua) -> None:
    root = write_project(FILES)
    assert lua("compile", cwd=root).exit_code == 0
    assert (root / ".lua/cache/words.json").is_file()
