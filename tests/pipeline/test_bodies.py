"""After an edit of function bodies the answer is that of a compile that starts from nothing, and where nothing that was
looked into has changed, no source is read for it but the edited one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.pipeline.shop import DAMAGES, Shop, caches

AT_ONCE: dict[str, tuple[str, str, str]] = {
    "the same lines": ("tools/orders.py", "{LIMIT}", "of {LIMIT}"),
    "more lines": (
        "tools/orders.py",
        '        key = env("SHOP_KEY")\n',
        '\n        # now\n        key = env("SHOP_KEY")\n',
    ),
    "fewer lines": ("shared/words.py", "    louder = text.upper()\n    return louder\n", "    return text.upper()\n"),
    "a comment at the beginning": (
        "tools/orders.py",
        "        # a comment\n",
        "        # another\n        # comment\n",
    ),
    "a body after another class": ("tools/refunds.py", "dict(number=", "dict(text=str(input), number="),
    "a function that nobody calls": ("tools/orders.py", "list(range(many))", "sorted(range(many))"),
    "the place of an import": ("tools/refunds.py", "        import json\n", "        count = 1\n        import json\n"),
    "an import without lines": ("tools/refunds.py", "        import json\n", "        import json  # here\n"),
}


@pytest.mark.parametrize("what", AT_ONCE, ids=lambda name: name.replace(" ", "-"))
def test_a_body_that_decided_nothing_is_not_analysed(shop: Shop, what: str) -> None:
    shop.edit(*AT_ONCE[what])
    warm, cold, read = shop.both()
    assert warm == cold
    assert not read, "a source was analysed that did not have to be"
    assert not shop.both()[2], "the answer is not kept"


AS_IF_NEW: dict[str, tuple[str, str, str]] = {
    "a function that runs at import": ("shared/words.py", "as it stands in", "as written in"),
    "a docstring": ("tools/orders.py", '"""Find it."""', '"""Look for it."""'),
    "a constant": ("shared/words.py", "LIMIT = 3", "LIMIT = 4"),
    "a variable": ("tools/orders.py", 'env("SHOP_KEY")', 'env("SHOP_TOKEN")'),
    "one variable more": ("tools/orders.py", "        # a comment\n", '        env("MORE")\n'),
    "an import that is not there": ("tools/refunds.py", "        import json\n", "        import jsonn\n"),
    "a data file": ("tools/orders.py", "# a comment", 'open(os.path.dirname(__file__) + "/prices.csv")'),
    "a local address": ("tools/orders.py", "# a comment", 'url = "http://localhost:8000/"'),
    "a suppression": ("tools/orders.py", "# a comment", "# lua: ignore[lua/environment-missing]"),
    "a secret": ("tools/orders.py", "# a comment", 'key = "sk-ant-api03-J9xLq2mVt7Rb4Wz8KcYdNf3H"'),
    "the rest of a key": (
        "shared/words.py",
        "louder = text.upper()",
        'louder = """\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n"""',
    ),
    "a generator": ("tools/refunds.py", "return dict(", "yield dict("),
    "a syntax error": ("tools/orders.py", "return shout(", "return return("),
    "what only the compiler refuses": ("tools/orders.py", "        # a comment\n", "        nonlocal many\n"),
    "a global": ("tools/orders.py", "    return list", "    global LIMIT\n    LIMIT = 4\n    return list"),
    "an input": ("tools/refunds.py", "    number: str\n", "    number: str\n    reason: str = ''\n"),
    "another base": ("tools/refunds.py", "class Refund(LuaTool[Wish]):", "class Refund(Base):"),
    "registration": ("agent.py", "tools=[Refund(), FindOrder()]", "tools=[Refund()]"),
}


@pytest.mark.parametrize("what", AS_IF_NEW, ids=lambda name: name.replace(" ", "-"))
def test_what_may_have_decided_is_analysed_again(shop: Shop, what: str) -> None:
    shop.edit(*AS_IF_NEW[what])
    warm, cold, read = shop.both()
    assert warm == cold
    assert read


def test_a_file_that_was_only_touched_is_not_analysed(shop: Shop) -> None:
    (shop.root / "src/tools/orders.py").touch()
    built = (shop.root / ".lua/artifacts").resolve()
    warm, cold, read = shop.both()
    assert warm == cold
    assert not read
    assert (shop.root / ".lua/artifacts").resolve() == built


def test_a_pipe_in_the_place_of_a_source_is_not_waited_for(shop: Shop) -> None:
    path = shop.root / "src/tools/orders.py"
    path.unlink()
    os.mkfifo(path)
    warm, cold, _ = shop.both()
    assert warm == cold
    assert warm[0].exit_code == 1


def test_a_byte_order_mark_that_goes(shop: Shop) -> None:
    path = shop.root / "src/tools/orders.py"
    plain = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + plain)
    shop.both()
    path.write_bytes(plain.replace(b"{LIMIT}", b"{LIMIT}!"))
    warm, cold, _ = shop.both()
    assert warm == cold


def test_a_source_that_becomes_a_link_is_analysed(shop: Shop, tmp_path: Path) -> None:
    path = shop.root / "src/tools/orders.py"
    path.rename(tmp_path / "elsewhere.py")
    path.symlink_to(tmp_path / "elsewhere.py")
    warm, cold, _ = shop.both()
    assert warm == cold
    assert "lua/link-outside" in warm[0].stdout


SWITCHES = {
    "an address in two parts": ("        # a comment\n", '        url = "http:" "//localhost:8000"\n'),
    "a comment that opens": ("    return list", "    # open(this)\n    return list"),
    "a comment that imports": ("    return list", "    # import os, env\n    return list"),
    "an import of another function": ("    return list", '    x = g("SOME_NEW")  # from env\n    return list'),
    "settings": ("    return list", "    class S(BaseSettings):\n        api_token: str\n    return list"),
}


@pytest.mark.parametrize("what", SWITCHES, ids=lambda name: name.replace(" ", "-"))
def test_words_that_switch_a_reader_on_elsewhere(shop: Shop, what: str) -> None:
    more = (
        "from pydantic_settings import BaseSettings\n\n\ndef get() -> None:\n    global g\n    from os import getenv as g\n"
        '\n\ndef split() -> str:\n    return "http:" "//localhost:9"\n'
        "\n\ndef made() -> None:\n    class T(BaseSettings):\n        other_token: str\n"
    )
    path = shop.root / "src/tools/orders.py"
    path.write_text(path.read_text("utf-8").replace("\n\nclass Order(", f"{more}\n\nclass Order(", 1), "utf-8")
    shop.both()
    shop.edit("tools/orders.py", *SWITCHES[what])
    warm, cold, _ = shop.both()
    assert warm == cold


def test_a_pipe_in_the_place_of_a_cache_is_not_waited_for(shop: Shop) -> None:
    shop.edit(*AT_ONCE["the same lines"])
    for path in caches(shop.root):
        path.unlink()
        if path.parent.name in ("cache", "answers"):
            os.mkfifo(path)
    warm, cold, _ = shop.both()
    assert warm == cold


def test_a_folder_in_the_place_of_a_cache_is_replaced(shop: Shop) -> None:
    for path in caches(shop.root):
        if path.parent.name in ("cache", "answers"):
            path.unlink()
            path.mkdir()
    warm, cold, _ = shop.both()
    assert warm == cold


def test_several_edits_add_up(shop: Shop) -> None:
    for number, (name, old, new) in enumerate(AT_ONCE.values()):
        if number not in (0, 2, 7):
            shop.edit(name, old, new)
        if number % 2:
            warm, cold, read = shop.both()
            assert warm == cold
            assert not read


def test_a_warning_in_a_body_moves_with_what_it_is_about(shop: Shop) -> None:
    """The variable of `execute` is set nowhere: its place is in the body that is edited."""
    before = shop.both()[0][1]["diagnostics"]
    assert [one["code"] for one in before] == ["lua/environment-missing"]
    shop.edit("tools/orders.py", "        key = ", "\n\n        key = ")
    warm, cold, read = shop.both()
    assert warm == cold
    assert not read
    assert warm[1]["diagnostics"][0]["line"] == before[0]["line"] + 2


def test_a_frame_that_shows_an_edited_line_is_drawn_anew(shop: Shop) -> None:
    """A warning at a description right below a method, and one whose frame the edit does not reach."""
    shop.edit("tools/orders.py", "Find an order. Use when the customer asks for one.", "")
    told = 'def told(self) -> str:\n        return "x"\n    description = ""'
    shop.edit("tools/refunds.py", 'description = "Refund an order. Use when the customer wants the money back."', told)
    shop.both()
    for name, old, new in (
        ("tools/refunds.py", 'return "x"', 'return "y"'),
        ("tools/orders.py", "{LIMIT}", "{LIMIT}."),
    ):
        shop.edit(name, old, new)
        warm, cold, read = shop.both()
        assert warm == cold
        assert not read
        assert warm[0].stdout.count("lua/tool-description-missing") == 2
    assert 'return "y"' in warm[0].stdout


UNTOLD = {
    "a source that is read": "import inspect\n\n\ndef f() -> int:\n    return 1\n\n\nT = len(inspect.getsource(f))\n",
    "a file that is opened": "def f() -> int:\n    return 1\n\n\nT = len(open(__file__).read())\n",
    "a thread": "import threading\n\nT = 3\n\n\ndef f() -> int:\n    return 1\n\n\nt = threading.Thread(target=f)\nt.start()\nt.join()\n",
    "a profiler": "import sys\n\nT = 4\nsys.setprofile(None)\n\n\ndef f() -> int:\n    return 1\n",
}


@pytest.mark.parametrize("what", UNTOLD, ids=lambda name: name.replace(" ", "-"))
def test_what_reads_itself_at_import_is_looked_at_again(shop: Shop, what: str) -> None:
    (shop.root / "src/shared/self.py").write_text(UNTOLD[what])
    shop.edit("tools/orders.py", "from shared.words", "from shared.self import T\nfrom shared.words")
    shop.edit(
        "tools/orders.py",
        "number: str = Field(description=",
        "number: str = Field(max_length=T, description=",
    )
    shop.both()
    shop.edit("shared/self.py", "    return 1\n", "    return 1 + 1\n")
    warm, cold, read = shop.both()
    assert warm == cold
    assert read


def test_crlf_and_a_byte_order_mark(shop: Shop) -> None:
    path = shop.root / "src/tools/refunds.py"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    warm, cold, _ = shop.both()
    assert warm == cold
    path.write_bytes(
        path.read_bytes().replace(b"        import json", b"        n = '\xc3\xa9'\r\n        import json")
    )
    warm, cold, read = shop.both()
    assert warm == cold
    assert not read


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda name: name.replace(" ", "-"))
@pytest.mark.parametrize("which", ["", "outlines", "build", "stamps"])
def test_damaged_caches_change_no_answer(shop: Shop, damage: str, which: str) -> None:
    shop.edit(*AT_ONCE["the same lines"])
    for path in caches(shop.root):
        if which not in path.name:
            continue
        content = DAMAGES[damage](path.read_bytes())
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
    warm, cold, _ = shop.both()
    assert warm == cold


def test_an_artifact_or_a_document_that_was_changed_is_made_again(shop: Shop) -> None:
    for name, old, new in (("orders.luapkg", b"FindOrder", b"FindOrdex"), ("manifest.json", b'"number"', b'"numbex"')):
        path = (shop.root / ".lua/artifacts" / name).resolve()
        path.write_bytes(path.read_bytes().replace(old, new))
        shop.edit("tools/orders.py", "{LIMIT}", "{LIMIT} ")
        warm, cold, _ = shop.both()
        assert warm == cold


def test_a_record_of_another_build_is_not_believed(shop: Shop, tmp_path: Path) -> None:
    """Two compiles at once: the record of one beside the build of the other."""
    record = shop.root / ".lua/cache/build.json"
    older = record.read_bytes()
    build = (shop.root / ".lua/artifacts").resolve()
    shop.edit("shared/words.py", "LIMIT = 3", "LIMIT = 4")
    assert shop.both()[2]
    shop.edit("shared/words.py", "LIMIT = 4", "LIMIT = 3")
    assert build.is_dir(), "a build is kept for a while after it was replaced"
    record.write_bytes(older)
    warm, cold, read = shop.both()
    assert warm == cold
    assert read


def test_what_a_variable_holds_while_tools_are_imported(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a default, so that nobody says anything of it; it decides the schema."""
    shop.edit("shared/words.py", "LIMIT = 3", "import os\n\nLIMIT = int(os.environ.get('SHOP_LIMIT', '3'))")
    shop.edit("tools/orders.py", "number: str = Field(", "number: str = Field(max_length=LIMIT, ")
    shop.both()
    assert not shop.both()[2]
    for value in ("5", "7", ""):
        if value:
            monkeypatch.setenv("SHOP_LIMIT", value)
        else:
            monkeypatch.delenv("SHOP_LIMIT")
        warm, cold, read = shop.both()
        assert warm == cold
        assert read
        schema = warm[1]["tools"][0]["inputSchema"]
        assert schema["properties"]["number"]["maxLength"] == int(value or "3")
        assert not shop.both()[2], "the answer is not kept"


def test_two_classes_of_one_name_go_by_their_lines(shop: Shop) -> None:
    shop.edit(
        "tools/orders.py", "\n\ndef rows", "\n\nclass FindOrder(LuaTool[Order]):\n    name = 'again'\n\n\ndef rows"
    )
    shop.edit("tools/orders.py", "\n\nclass Order(", "\n\ndef early() -> int:\n    return 1\n\n\nclass Order(")
    shop.both()
    shop.edit("tools/orders.py", "    return 1\n", "    # one\n    return 1\n")
    warm, cold, _ = shop.both()
    assert warm == cold
