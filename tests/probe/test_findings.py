"""What the probe says: imports that fail, schemas that cannot be had, tools that are not what they seem; where, and
the way out.
"""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from lua_cli.analysis.model import Finding
from tests.runtime.workshop import Workshop, tool_module

TOOL = """
    class T(LuaTool):
        name = "t"
        description = "d"

        def execute(self, input): ...
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "project")


def findings(workshop: Workshop, head: str, *, env: tuple[str, ...] = (), timeout: float = 30.0) -> tuple[Finding, ...]:
    """What is said of a module that begins so and has one tool."""
    from textwrap import dedent

    text = dedent(head).strip("\n") + "\nfrom lua_cli import LuaTool\n" + dedent(TOOL)
    draft = workshop.draft({"tools.py": text}, {"t": "tools:T"}, env=env)
    return workshop.look(draft, timeout=timeout).findings


def only(found: tuple[Finding, ...]) -> Finding:
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("head", "line", "reason"),
    [
        ("x = 1\nimport nosuchpackage", 2, "ModuleNotFoundError: No module named 'nosuchpackage'"),
        ("x = 1\ny = 1 / 0", 2, "ZeroDivisionError: division by zero"),
        ("def f():\n    raise ValueError('no')\nf()", 2, "ValueError: no"),
        ("raise SystemExit(3)", 1, "SystemExit: 3"),
        ("import json\njson.loads('{')", 2, "json.decoder.JSONDecodeError: Expecting property name"),
        ("from pathlib import Path\nPath('rates.json').read_text()", 2, "FileNotFoundError: [Errno 2] No such file"),
    ],
)
def test_an_import_that_fails_is_placed_at_the_users_line(
    head: str, line: int, reason: str, workshop: Workshop
) -> None:
    finding = only(findings(workshop, head))
    assert finding.code == "lua/import-failed"
    assert (finding.place.path, finding.place.line) == ("src/tools.py", line)
    assert finding.facts["reason"].startswith(reason)
    assert f"src/tools.py:{line} in " in finding.facts["frames"]
    assert str(workshop.root) not in "".join(finding.facts.values())


def test_a_failure_that_all_tools_share_is_said_once(workshop: Workshop) -> None:
    module, tools = tool_module({"one": "return 1", "two": "return 2"}, "import nosuchpackage")
    assert len(workshop.look(workshop.draft({"tools.py": module}, tools)).findings) == 1


def test_a_broken_module_does_not_hide_what_the_others_have(workshop: Workshop) -> None:
    good, tools = tool_module({"good": "input_schema = {'type': 'object'}\ndef execute(self, input): ..."})
    files = {"tools.py": good, "broken.py": "import nosuchpackage\n"}
    probed = workshop.look(workshop.draft(files, {**tools, "bad": "broken:Bad"}))
    assert [finding.facts["name"] for finding in probed.findings] == ["Bad"]
    assert probed.seen["skill"].tools["tools:GoodTool"].schema == {"type": "object"}


def test_a_cycle_is_shown_as_a_path(workshop: Workshop) -> None:
    files = {
        "skills/s.py": "PREFIX = 'acme' if False else None\nfrom tools.t import T\nPREFIX = 'acme'\n",
        "tools/t.py": "from lua_cli import LuaTool\nfrom skills.s import T as again\nclass T(LuaTool): ...\n",
    }
    finding = only(workshop.look(workshop.draft(files, {"t": "tools.t:T"})).findings)
    assert "partially initialized module 'tools.t'" in finding.facts["reason"]
    assert finding.facts["advice"].startswith(
        "src/tools/t.py:2 -> src/skills/s.py:2 -> src/tools/t.py: move one of these"
    )


def test_what_works_in_plain_python_works(workshop: Workshop) -> None:
    files = {
        "skills/s.py": "import tools.t as t\nPREFIX = 'acme'\n",
        "tools/t.py": "from lua_cli import LuaTool\nimport skills.s as s\nclass T(LuaTool):\n    name = f'{s.PREFIX}_t'\n    description = 'd'\n    def execute(self, input): ...\n",
    }
    assert workshop.look(workshop.draft(files, {"acme_t": "tools.t:T"})).findings == ()


class Listener:
    """A port of this machine that counts who connects."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.count = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                self.server.accept()[0].close()
            except OSError:
                return
            self.count += 1

    def close(self) -> None:
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self._thread.join()


@pytest.mark.parametrize(
    "head",
    [
        "import socket\nsocket.create_connection(('127.0.0.1', PORT), timeout=5)",
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT')",
        "import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', PORT))",
        "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
        "import socket\nsocket.getaddrinfo('example.com', 443)",
    ],
)
def test_there_is_no_network_at_import(head: str, workshop: Workshop) -> None:
    listener = Listener()
    try:
        finding = only(findings(workshop, head.replace("PORT", str(listener.port))))
    finally:
        listener.close()
    assert (
        "no network while lua compile looks at the tools: connect inside `execute`, not at import"
        in finding.facts["reason"]
    )
    assert finding.place.line == 2
    assert listener.count == 0


def test_code_that_copes_with_being_offline_imports(workshop: Workshop) -> None:
    head = """
        import socket
        try:
            socket.create_connection(("example.com", 80))
        except OSError:
            pass
        socket.socketpair()
        import asyncio
        asyncio.run(asyncio.sleep(0))
    """
    assert findings(workshop, head) == ()


def test_a_variable_that_is_not_set_has_a_placeholder(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    check = "import os\nassert os.environ['API_KEY'] == {!r}, os.environ['API_KEY']"
    monkeypatch.delenv("API_KEY", raising=False)
    assert findings(workshop, check.format("lua-placeholder"), env=("API_KEY",)) == ()
    monkeypatch.setenv("API_KEY", "real")
    assert findings(workshop, check.format("real"), env=("API_KEY",)) == ()
    missing = only(findings(workshop, "import os\nos.environ['OTHER']", env=("API_KEY",)))
    assert missing.facts["advice"] == "the variable OTHER is not set: put it into .env, or pass --env-file"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("import os\nos._exit(0)", "importing it ended the process with exit(0)"),
        ("import os\nos._exit(7)", "importing it ended the process with exit(7)"),
        ("import ctypes\nctypes.string_at(0)", "importing it crashed the process (SIGSEGV)"),
        ("import os\nos.kill(os.getpid(), 9)", "importing it crashed the process (SIGKILL)"),
        ("import os\nos.killpg(0, 9)", "importing it crashed the process (SIGKILL)"),
    ],
)
def test_an_import_that_ends_the_process(head: str, reason: str, workshop: Workshop) -> None:
    finding = only(findings(workshop, head))
    assert (finding.code, finding.facts["name"], finding.facts["reason"]) == (
        "lua/import-failed",
        "skill skill",
        reason,
    )


@pytest.mark.parametrize(
    "head", ["while True:\n    pass", "import time\ntime.sleep(600)", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')"]
)
def test_an_import_that_does_not_end(head: str, workshop: Workshop) -> None:
    finding = only(findings(workshop, head, timeout=2))
    assert finding.facts["reason"] == "importing it took longer than 2 seconds"
    if "re.match" not in head:
        assert finding.place.path == "src/tools.py"
        assert "src/tools.py:" in finding.facts["frames"]


def test_one_skill_that_crashes_does_not_take_the_others_along(workshop: Workshop) -> None:
    good, tools = tool_module({"good": "return 1"})
    drafts = [
        workshop.draft({"a.py": "import os; os._exit(0)\n"}, {"a": "a:A"}, skill="first"),
        workshop.draft({"b.py": "while True: pass\n"}, {"b": "b:B"}, skill="second"),
        workshop.draft({"tools.py": good}, tools, skill="third"),
    ]
    probed = workshop.look(*drafts, timeout=2)
    assert [finding.facts["name"] for finding in probed.findings] == ["skill first", "skill second"]
    assert probed.seen["third"].whole


def test_skills_share_no_modules(workshop: Workshop) -> None:
    text = "from lua_cli import LuaTool\nimport shared\nshared.COUNT += 1\nclass T(LuaTool):\n    name = 't'\n    description = f'd{shared.COUNT}'\n    def execute(self, input): ...\n"
    drafts = [
        workshop.draft({"t.py": text, "shared.py": "COUNT = 0\n"}, {"t": "t:T"}, skill=skill, description="d1")
        for skill in ("one", "two")
    ]
    assert workshop.look(*drafts).findings == ()


def test_beside_a_module_lies_what_is_bundled_and_nothing_else(workshop: Workshop) -> None:
    text = "import os, other\nfrom lua_cli import LuaTool\nclass T(LuaTool):\n    name = 't'\n    description = ' '.join(sorted(os.listdir(os.path.dirname(__file__))))\n    def execute(self, input): ...\n"
    draft = workshop.draft({"t.py": text, "other.py": "", "a.txt": ""}, {"t": "t:T"}, description="a.txt other.py t.py")
    assert workshop.look(draft).findings == ()


SCHEMA_FAILS: dict[str, tuple[str, str, str, int | None]] = {
    "an instance": ("input_schema = Query(text='x')\n    def execute(self, input): ...", "input_schema is a Query", "the class, not an instance", None),
    "a string": ("input_schema = 'Query'\n    def execute(self, input): ...", "input_schema is a str", "give a pydantic model", None),
    "no object": ("def execute(self, input: str): ...", "the input is a string in JSON, and a model can only pass an object", "wrap it", None),
    "a list": ("input_schema = list[Query]\n    def execute(self, input): ...", "the input is an array in JSON", "wrap it", None),
    "nan": ("input_schema = Odd\n    def execute(self, input): ...", "the schema is not JSON: /properties/number/default is NaN", "", None),
    "a strange type": ("input_schema = Strange\n    def execute(self, input): ...", "Cannot generate a JsonSchema", "JSON Schema as a dict", None),
    "an own class": ("def execute(self, input: Client): ...", "`Client` is a plain class, and pydantic cannot read its fields: it derives from nothing", "`class Client(BaseModel):` with `from pydantic import BaseModel`", 27),
    "an own class with a base": ("input_schema = Special\n    def execute(self, input): ...", "`Special` is a plain class, and pydantic cannot read its fields: it derives from Client alone", "`class Special(Client, BaseModel):`", 31),
    "a class of the library": ("def execute(self, input: ast.AST): ...", "Unable to generate pydantic-core schema for <class 'ast.AST'>", "JSON Schema as a dict", None),
    "type checking only": ("def execute(self, input: Customer): ...", "`Customer` is imported only under TYPE_CHECKING, and it is needed at run time for the schema", "move `from models import Customer` (src/tools.py:8) out of `if TYPE_CHECKING:`", 8),
    "type checking only, in a model": ("input_schema = Holder\n    def execute(self, input): ...", "`Customer` is imported only under TYPE_CHECKING", "(src/tools.py:8)", 8),
    "nowhere": ("def execute(self, input: Nowhere): ...", "`Nowhere` is not defined where the schema needs it", "define or import it", None),
    "no schema": ("input_schema = {'type': 'objekt'}\n    def execute(self, input): ...", "the input is an objekt in JSON", "", None),
    "no schema below": ("input_schema = {'properties': {'a': {'type': 'text'}}}\n    def execute(self, input): ...", "it is no JSON Schema: ", "2020-12", None),
    "another document": ("input_schema = {'properties': {'a': {'$ref': 'https://example.com/a.json'}}}\n    def execute(self, input): ...", "a $ref names another document (https://example.com/a.json), and nothing is fetched", "", None),
    "a function in it": ("input_schema = {'properties': {'a': {'default': len}}}\n    def execute(self, input): ...", "the schema is not JSON: /properties/a/default is a builtin_function_or_method", "", None),
}  # fmt: skip
SCHEMA_HEAD = """
from __future__ import annotations
import ast
from typing import TYPE_CHECKING, Any, Callable
from pydantic import BaseModel, ConfigDict
from lua_cli import LuaTool

if TYPE_CHECKING:
    from models import Customer


class Query(BaseModel):
    text: str


class Odd(BaseModel):
    number: float = float("nan")


class Strange(BaseModel):
    call: Callable[[], int]


class Holder(BaseModel):
    customer: Customer


class Client:
    pass


class Special(Client):
    number: int


class T(LuaTool):
    name = "t"
    description = "d"
    BODY
"""


@pytest.mark.parametrize("name", SCHEMA_FAILS)
def test_a_schema_that_cannot_be_had(name: str, workshop: Workshop) -> None:
    body, reason, advice, line = SCHEMA_FAILS[name]
    text = SCHEMA_HEAD.lstrip().replace("BODY", body)
    finding = only(workshop.look(workshop.draft({"tools.py": text}, {"t": "tools:T"})).findings)
    assert finding.code == "lua/schema-failed"
    assert reason in finding.facts["reason"]
    assert advice in finding.facts["advice"]
    assert finding.place.path == "src/tools.py"
    if line is not None:
        assert finding.place.line == line
    elif name == "nowhere":
        assert finding.place.line == 38
    else:
        assert finding.place.line == 35


def test_a_field_of_a_plain_class_is_named_with_what_it_needs(workshop: Workshop) -> None:
    text = SCHEMA_HEAD.lstrip().replace("BODY", "def execute(self, input): ...")
    text += "\n\nclass Order(BaseModel):\n    client: Client\n"
    finding = only(workshop.look(workshop.draft({"tools.py": text}, {"t": "tools:T"})).findings)
    assert finding.code == "lua/import-failed"
    assert (finding.place.path, finding.place.line) == (
        "src/tools.py",
        text[: text.index("class Order")].count("\n") + 1,
    )
    assert finding.facts["advice"] == "derive `Client` from pydantic's BaseModel, or make it a dataclass or a TypedDict"


def test_a_name_that_only_the_results_annotation_uses_may_be_unknown(workshop: Workshop) -> None:
    text = SCHEMA_HEAD.lstrip().replace("BODY", "def execute(self, input: Query) -> Customer: ...")
    probed = workshop.look(workshop.draft({"tools.py": text}, {"t": "tools:T"}))
    assert probed.findings == ()
    assert probed.seen["skill"].tools["tools:T"].output_schema is None


@pytest.mark.parametrize(
    ("text", "code", "reason", "line"),
    [
        (
            "from lua_cli import LuaTool\ndef wrap(kind):\n    return lambda: kind()\n@wrap\nclass T(LuaTool):\n    def execute(self, input): ...\n",
            "lua/import-failed",
            "T is a function after @wrap",
            5,
        ),
        (
            "from lua_cli import LuaTool\nclass T(LuaTool):\n    def __init__(self):\n        raise OSError('no disk')\n    def execute(self, input): ...\n",
            "lua/import-failed",
            "T() raised OSError: no disk",
            4,
        ),
        (
            "from lua_cli import LuaTool\nclass T(LuaTool):\n    pass\n",
            "lua/import-failed",
            "T() raised TypeError: Can't instantiate abstract class T",
            2,
        ),
        ("class T:\n    pass\n", "lua/import-failed", "T is T, which is no LuaTool once its module is imported", 1),
        ("T = 1\ndel T\n", "lua/import-failed", "tools has no T after its import", 1),
    ],
)
def test_a_class_that_is_not_what_it_seems(text: str, code: str, reason: str, line: int, workshop: Workshop) -> None:
    finding = only(workshop.look(workshop.draft({"tools.py": text}, {"t": "tools:T"})).findings)
    assert finding.code == code
    assert finding.facts["reason"].startswith(reason)
    assert (finding.place.path, finding.place.line) == ("src/tools.py", line)


def test_another_name_or_description_than_was_read(workshop: Workshop) -> None:
    text = "from lua_cli import LuaTool\nclass T(LuaTool):\n    name = 't'\n    description = 'd'\n    def execute(self, input): ...\nT.name = 'u'\nT.description = 'e'\n"
    found = workshop.look(workshop.draft({"tools.py": text}, {"t": "tools:T"})).findings
    assert [(f.code, f.facts["field"], f.facts["read"], f.facts["seen"]) for f in found] == [
        ("lua/probe-disagrees", "name", "'t'", "'u'"),
        ("lua/probe-disagrees", "description", "'d'", "'e'"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def other(): ...\n", "gates has no vip after its import"),
        ("vip = 3\n", "vip is int, and a condition is a function"),
        ("import nosuchpackage\n", "ModuleNotFoundError: No module named 'nosuchpackage'"),
    ],
)
def test_a_condition_that_is_none(text: str, reason: str, workshop: Workshop) -> None:
    module, tools = tool_module({"one": "return 1"})
    draft = workshop.draft({"tools.py": module, "gates.py": text}, tools, condition=("gates", "vip"))
    finding = only(workshop.look(draft).findings)
    assert finding.facts["name"] == "the condition of skill skill"
    assert finding.facts["reason"] == reason
    good = workshop.draft({"tools.py": module, "gates.py": "def vip(): ...\n"}, tools, condition=("gates", "vip"))
    assert workshop.look(good).findings == ()
