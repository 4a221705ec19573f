"""`lua test skill` and `lua test`, as typed."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

AGENT = """\
from lua_cli import LuaAgent, LuaSkill

from tools import Boom, FindOrder, Hang, Ping, Printer, SearchDocs

orders = LuaSkill(name="orders", context="Orders.", tools=[FindOrder(), Ping(), Boom(), Hang(), Printer()])
docs = LuaSkill(name="docs", context="Documents.", tools=[SearchDocs(), Ping()])
agent = LuaAgent(name="acme", skills=[orders, docs])
"""

TOOLS = """\
import time
from typing import Literal

from pydantic import BaseModel, Field

from lua_cli import LuaTool, env


class Query(BaseModel):
    query: str = Field(description="What the customer wants to know")
    limit: int = 3


class OrderQuery(BaseModel):
    order_number: str
    status: Literal["shipped", "open"] | None = None
    exact: bool = False


class Nothing(BaseModel):
    text: str = "pong"


class SearchDocs(LuaTool[Query]):
    name = "search_acme_docs"
    description = "Search the documentation. Use when the customer asks how something works."
    input_schema = Query

    async def execute(self, input: Query) -> dict:
        return {"query": input.query, "results": ["Rückgabe"] * input.limit}


class FindOrder(LuaTool[OrderQuery]):
    name = "find_order"
    description = "Find one order by its number. Use when the customer names an order."
    input_schema = OrderQuery

    def execute(self, input: OrderQuery) -> dict:
        if input.order_number == "A-0":
            raise LookupError(f"no order {input.order_number} at {env('SHOP', 'home')}")
        return {"order": input.order_number, "status": input.status, "exact": input.exact}


class Ping(LuaTool[Nothing]):
    name = "ping"
    description = "Answer. Use when somebody asks whether you are there."
    input_schema = Nothing

    def execute(self, input: Nothing) -> str:
        return input.text


class Boom(LuaTool[Nothing]):
    name = "boom"
    description = "Fail. Use when somebody wants to see a failure."
    input_schema = Nothing

    def execute(self, input: Nothing) -> str:
        raise ValueError(env("SHOP_KEY") + " is not accepted")


class Hang(LuaTool[Nothing]):
    name = "hang"
    description = "Wait for ever. Use when somebody has a lot of time."
    input_schema = Nothing

    def execute(self, input: Nothing) -> str:
        while True:
            time.sleep(60)


class Printer(LuaTool[Nothing]):
    name = "printer"
    description = "Print a line. Use when somebody wants to read a line."
    input_schema = Nothing

    def execute(self, input: Nothing) -> dict:
        print("a line of the tool")
        return {"big": 2**60}
"""

CASES = """\
cases:
  - name: an order
    tool: find_order
    input: {order_number: A-1, status: shipped}
    expect:
      output: {order: A-1, status: shipped, exact: false}

  - name: no such order
    tool: find_order
    input: {order_number: A-0}
    env: {SHOP: the corner}
    expect:
      error: {type: tool-error, message: no order A-0 at the corner}

  - name: a ping
    tool: ping
"""


@pytest.fixture
def project(write_project: WriteProject) -> Path:
    return write_project({"src/agent.py": AGENT, "src/tools.py": TOOLS})


def one(lua: Lua, project: Path, name: str, *args: str, **more: Any) -> Result:
    return lua("test", "--ci", "skill", "--name", name, *args, cwd=project, **more)


def test_the_output_alone_is_on_stdout(lua: Lua, project: Path) -> None:
    result = one(lua, project, "search_acme_docs", "--input", '{"query": "refund policy", "limit": 1}')
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == '{\n  "query": "refund policy",\n  "results": [\n    "Rückgabe"\n  ]\n}\n'
    text = one(lua, project, "ping", "--input", "{}")
    assert (text.exit_code, text.stdout) == (0, '"pong"\n')


def test_json_prints_one_document(lua: Lua, project: Path) -> None:
    result = one(lua, project, "search_acme_docs", "--json", "--input", '{"query": "x", "limit": 0}')
    document = json.loads(result.stdout)
    assert isinstance(document.pop("durationMs"), int)
    assert document == {"ok": True, "tool": "search_acme_docs", "output": {"query": "x", "results": []}, "logs": ""}
    assert (result.exit_code, result.stderr) == (0, "")


def test_what_the_tool_printed_goes_to_stderr_or_into_the_document(lua: Lua, project: Path) -> None:
    plain = one(lua, project, "printer")
    assert json.loads(plain.stdout) == {"big": 2**60}
    assert plain.stderr.splitlines() == [
        "note: result.big is beyond 2**53: readers that know only doubles (JavaScript) lose digits",
        "a line of the tool",
    ]
    assert json.loads(one(lua, project, "printer", "--json").stdout)["logs"] == "a line of the tool\n"


def test_refused_input_is_exit_2_with_the_path(lua: Lua, project: Path) -> None:
    result = one(lua, project, "search_acme_docs", "--input", '{"qery": 1, "limit": "3"}')
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        '✖ input-invalid: the input does not fit search_acme_docs: /limit must be an integer, not "3" (and 1 more)',
        '    /limit  must be an integer, not "3"',
        "    /query  is required (string); did you mean `query` instead of `qery`?",
    ]
    document = json.loads(one(lua, project, "search_acme_docs", "--json", "--input", "{}").stdout)
    assert document["ok"] is False
    assert document["error"] == {
        "type": "input-invalid",
        "message": "the input does not fit search_acme_docs: /query is required (string)",
        "path": "/query",
        "errors": [{"path": "/query", "message": "is required (string)"}],
    }


def test_input_that_is_no_json_is_pointed_at(lua: Lua, project: Path) -> None:
    result = one(lua, project, "search_acme_docs", "--input", "{'query': 1}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        "✖ input-invalid: the input is not JSON: expecting property name enclosed in double quotes at line 1, column 2",
        "  {'query': 1}",
        "   ^",
        """  hint: JSON has double quotes: '{"query": "refund policy"}'""",
    ]


def test_a_tool_that_raises_is_exit_1_with_the_users_frames(lua: Lua, project: Path) -> None:
    (project / ".env").write_text("SHOP_KEY=s3cr3t-k3y\n", encoding="utf-8")
    result = one(lua, project, "boom")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "✖ tool-error: ValueError: *** is not accepted",
        "  Traceback (most recent call last):",
        '    File "src/tools.py", line 59, in Boom.execute',
        '      raise ValueError(env("SHOP_KEY") + " is not accepted")',
        "  ValueError: *** is not accepted",
    ]
    document = json.loads(one(lua, project, "boom", "--json").stdout)
    assert (document["error"]["type"], document["error"]["message"]) == (
        "tool-error",
        "ValueError: *** is not accepted",
    )
    assert "s3cr3t" not in json.dumps(document)


def test_a_tool_that_hangs_is_exit_124(lua: Lua, project: Path) -> None:
    result = one(lua, project, "hang", "--timeout", "4", "--json")
    assert result.exit_code == 124
    error = json.loads(result.stdout)["error"]
    assert error["type"] == "timeout"
    assert error["message"] == "hang ran longer than 4 seconds and was stopped; it was at src/tools.py:69"


@pytest.mark.parametrize("where", ["before", "after", "first"])
def test_ci_may_stand_anywhere(where: str, lua: Lua, project: Path) -> None:
    words = {
        "before": ("test", "--ci", "skill", "--name", "ping"),
        "after": ("test", "skill", "--name", "ping", "--ci"),
        "first": ("--ci", "test", "skill", "--name", "ping"),
    }[where]
    assert lua(*words, cwd=project).exit_code == 0


def test_what_stands_before_skill_holds_for_it(lua: Lua, project: Path) -> None:
    """Both lists of flags are there to be read in `lua test --help`: none may be taken and dropped."""
    late = lua("test", "--ci", "--timeout", "4", "--json", "skill", "--name", "hang", cwd=project)
    assert (late.exit_code, json.loads(late.stdout)["error"]["type"]) == (124, "timeout")
    nearer = lua(
        "test", "--ci", "--timeout", "0.001", "--json", "skill", "--name", "ping", "--timeout", "30", cwd=project
    )
    assert (nearer.exit_code, json.loads(nearer.stdout)["output"]) == (0, "pong")


@pytest.mark.parametrize("flags", [["--junit", "x.xml"], ["--runs", "3"], ["-k", "ping"], ["--watch"], ["--record"]])
def test_flags_of_cases_are_refused_before_skill(flags: list[str], lua: Lua, project: Path) -> None:
    result = lua("test", "--ci", *flags, "skill", "--name", "ping", cwd=project)
    assert result.exit_code == 2
    assert f"{flags[0]} is for cases, and `lua test skill` runs one tool" in result.stderr
    assert not (project / "x.xml").exists()


def test_an_unknown_tool_is_exit_3_with_the_nearest(lua: Lua, project: Path) -> None:
    result = one(lua, project, "search_acme_doc")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.splitlines() == [
        "✖ not-found: no tool 'search_acme_doc'",
        "  hint: did you mean search_acme_docs?",
    ]
    assert json.loads(one(lua, project, "nope", "--json").stdout)["error"]["type"] == "not-found"
    elsewhere = one(lua, project, "find_order", "--skill", "docs")
    assert (elsewhere.exit_code, "no tool 'find_order' in skill docs" in elsewhere.stderr) == (3, True)
    assert one(lua, project, "ping", "--skill", "nope").exit_code == 3


def test_the_name_of_a_skill_is_no_tool(lua: Lua, project: Path) -> None:
    result = one(lua, project, "docs")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.splitlines() == [
        "✖ not-found: no tool 'docs'",
        "  hint: 'docs' is a skill; its tools are: ping, search_acme_docs",
    ]


MISTAKES = {
    "test ping": "lua test skill --name ping --input JSON",
    "test ping --input {}": "lua test skill --name ping --input '{}'",
    "test skill ping --json": "lua test skill --name ping --json",
    "test tool --name ping": "lua test skill --name ping",
    "test --name ping --input {}": "lua test skill --name ping --input '{}'",
    "test tests/orders.test.yaml": "lua test -k orders.test.yaml",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_what_was_probably_meant_is_said(words: str, lua: Lua, project: Path) -> None:
    result = lua("--ci", *words.split(), cwd=project)
    assert result.exit_code == 2
    assert f"did you mean `{MISTAKES[words]}`?" in result.stdout + result.stderr


def test_the_plain_form_of_the_flags_is_read_as_the_application_reads_it(lua: Lua, project: Path) -> None:
    for words in (
        ["--input={}", "--timeout=20", "--skill=docs"],
        ["--input", "{}", "--input", "{}"],
        ["--timeout", "20.5", "--json"],
    ):
        result = lua("--ci", "test", "skill", "--name=ping", *words, cwd=project)
        assert (result.exit_code, "pong" in result.stdout) == (0, True), words
    for words in (["--timeout", "soon"], ["--input"], ["--nope"], ["--json=yes"]):
        assert one(lua, project, "ping", *words).exit_code == 2, words


def test_a_tool_of_two_skills_is_one_tool(lua: Lua, project: Path) -> None:
    assert one(lua, project, "ping").exit_code == 0
    assert one(lua, project, "ping", "--skill", "docs").exit_code == 0


def test_input_from_a_file_and_from_stdin(lua: Lua, project: Path) -> None:
    (project / "input.json").write_bytes(b'\xef\xbb\xbf{"order_number": "A-1"}')
    expected = {"order": "A-1", "status": None, "exact": False}
    assert json.loads(one(lua, project, "find_order", "--input", "@input.json").stdout) == expected
    from_stdin = one(lua, project, "find_order", "--input", "-", stdin=b'{"order_number": "A-1"}')
    assert json.loads(from_stdin.stdout) == expected
    missing = one(lua, project, "find_order", "--input", "@nope.json")
    assert (missing.exit_code, "--input: no such file nope.json" in missing.stderr) == (3, True)
    folder = one(lua, project, "find_order", "--input", "@src")
    assert (folder.exit_code, "--input: cannot read src" in folder.stderr) == (2, True)


def test_bad_input_of_any_kind_is_one_clear_line(lua: Lua, project: Path) -> None:
    with (project / "large.json").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    (project / "deep.json").write_text("[" * 10_000, encoding="utf-8")
    (project / "latin.json").write_bytes(b'{"order_number": "\xfc"}')
    for given, words in {
        "@large.json": "large.json: the input is larger than 10 MiB",
        "@deep.json": "deep.json: the input is nested deeper than 100 levels",
        "@latin.json": "latin.json: the input is not UTF-8 (byte 18)",
        '{"order_number": NaN}': "the input has NaN, which JSON does not have",
        '{"order_number": "a", "order_number": "b"}': "the key 'order_number' is there twice",
    }.items():
        result = one(lua, project, "find_order", "--input", given)
        assert (result.exit_code, result.stdout) == (2, ""), given
        assert result.stderr.splitlines()[0] == f"✖ input-invalid: {words}"
        assert len(result.stderr.splitlines()) == 2


def test_a_file_that_is_no_json_is_named_and_pointed_at(lua: Lua, project: Path) -> None:
    for text, place, hint in [
        ('{"order_number": "a",}', "column 22", "JSON has no comma after the last element"),
        ("{order_number: 1}", "column 2", 'names and texts stand in double quotes: {"query": "refund policy"}'),
        ('{"order_number": ', "column 18", "the text ends before the value does"),
        ("A-1", "column 1", "write one JSON object"),
    ]:
        (project / "input.json").write_text(text, encoding="utf-8")
        result = one(lua, project, "find_order", "--input", "@input.json")
        assert (result.exit_code, result.stdout) == (2, "")
        lines = result.stderr.splitlines()
        assert lines[0].startswith("✖ input-invalid: input.json: the input is not JSON: ")
        assert lines[0].endswith(place)
        assert (lines[1], lines[2].strip(), lines[3]) == (f"  {text}", "^", f"  hint: {hint}")


def test_what_is_missing_in_ci_is_named(lua: Lua, project: Path) -> None:
    no_name = lua("test", "--ci", "skill", "--input", "{}", cwd=project)
    assert (no_name.exit_code, "--name is missing" in no_name.stderr) == (2, True)
    no_input = one(lua, project, "find_order")
    assert no_input.exit_code == 2
    assert no_input.stderr.splitlines() == [
        "✖ usage: --input is missing, and the tool requires order_number",
        """  hint: lua test skill --name find_order --input '{"order_number": "…"}' (optional: status, exact)""",
    ]
    optional = one(lua, project, "ping")
    assert (optional.exit_code, optional.stdout) == (0, '"pong"\n')


@pytest.mark.parametrize("seconds", ["0", "-1", "soon"])
def test_a_time_limit_that_is_none(seconds: str, lua: Lua, project: Path) -> None:
    result = one(lua, project, "ping", "--timeout", seconds)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--timeout" in result.stderr


def test_an_env_file_is_read_and_one_that_is_not_there_is_named(lua: Lua, project: Path) -> None:
    (project / "ci.env").write_text("SHOP=the station\n", encoding="utf-8")
    result = one(lua, project, "find_order", "--input", '{"order_number": "A-0"}', "--env-file", "ci.env")
    assert "no order A-0 at the station" in result.stderr
    missing = one(lua, project, "find_order", "--input", '{"order_number": "A-0"}', "--env-file", "no.env")
    assert (missing.exit_code, "no such file: no.env" in missing.stderr) == (3, True)


def test_stdin_is_left_alone_unless_it_is_asked_for(project: Path) -> None:
    """stdin is a pipe that never ends: a command that reads it would not come back."""
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "lua_cli", "test", "--ci", "skill", "--name", "ping", "--input", "{}"],
            cwd=project,
            stdin=reading,
            capture_output=True,
            timeout=60,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.returncode, done.stdout) == (0, b'"pong"\n')


class Terminal:
    """A process on a pseudo-terminal: stdin and stderr are the terminal, stdout is a pipe."""

    def __init__(self, *words: str, cwd: Path) -> None:
        self._master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "dumb", "PYTHONUTF8": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lua_cli", *words],
            cwd=cwd, env=environment, stdin=slave, stderr=slave, stdout=subprocess.PIPE,
        )  # fmt: skip
        os.close(slave)
        self.seen = ""

    def until(self, words: str) -> None:
        while words not in self.seen:
            ready, _, _ = select.select([self._master], [], [], 60)
            assert ready, f"waited for {words!r} after {self.seen!r}"
            self.seen += os.read(self._master, 4096).decode()
        self.seen = self.seen.partition(words)[2]

    def type(self, text: str) -> None:
        os.write(self._master, text.encode() + b"\n")

    def end(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, out.decode()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self._master)


def test_on_a_terminal_the_tool_and_its_fields_are_asked_for(project: Path) -> None:
    with Terminal("test", "skill", cwd=project) as terminal:
        terminal.until("Which tool (number or name)")
        terminal.type("find_oder")
        terminal.until("there is no 'find_oder'")
        terminal.type("find_order")
        terminal.until("order_number (string)")
        terminal.type("A-1")
        terminal.until("status (shipped | open, default null, Enter to leave out)")
        terminal.type("lost")
        terminal.until("one of: shipped | open")
        terminal.type("open")
        terminal.until("exact (boolean, default false, Enter to leave out)")
        terminal.type("maybe")
        terminal.until("that is no boolean")
        terminal.type("true")
        code, out = terminal.end()
    assert (code, json.loads(out)) == (0, {"order": "A-1", "status": "open", "exact": True})


def test_on_a_terminal_a_field_may_be_left_out(project: Path) -> None:
    with Terminal("test", "skill", "--name", "search_acme_docs", cwd=project) as terminal:
        terminal.until("What the customer wants to know")
        terminal.until("query (string)")
        terminal.type("")
        terminal.until("query (string)")
        terminal.type("refund")
        terminal.until("limit (integer, default 3, Enter to leave out)")
        terminal.type("")
        code, out = terminal.end()
    assert (code, json.loads(out)["query"]) == (0, "refund")


def write_cases(project: Path, text: str, name: str = "orders.test.yaml") -> None:
    (project / "tests").mkdir(exist_ok=True)
    (project / "tests" / name).write_text(text, encoding="utf-8")


def test_cases_that_pass(lua: Lua, project: Path) -> None:
    write_cases(project, CASES)
    result = lua("test", "--ci", cwd=project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == ("tests/orders.test.yaml\n  ✔ an order\n  ✔ no such order\n  ✔ a ping\n\n3 passed\n")


FAILING = """\
cases:
  - name: nothing is right
    tool: find_order
    input: {order_number: A-1}
    expect:
      output: {order: B-1, exact: [false], price: 3}
  - name: no matcher fits
    tool: search_acme_docs
    input: {query: refund, limit: 2}
    expect:
      matches: {/query: {length: 3, in: [a, b]}, /results: {contains: x, equals: [Rückgabe]}, /pages: {type: array}}
  - name: other elements
    tool: search_acme_docs
    input: {query: refund, limit: 2}
    expect:
      subset: {results: [x, Rückgabe, y]}
  - name: another status
    tool: find_order
    input: {order_number: A-1}
    expect:
      output: {order: A-1, status: open, exact: false}
  - name: more than there is
    tool: find_order
    input: {order_number: A-1}
    expect:
      subset: {order: A-1, tracking: X}
  - name: it works
    tool: find_order
    input: {order_number: A-1}
    expect:
      error: {type: tool-error}
  - name: another error
    tool: find_order
    input: {order_number: A-0}
    expect:
      error: {message: no disk}
  - name: it fails
    tool: find_order
    input: {order_number: A-0}
  - name: a pattern
    tool: find_order
    input: {order_number: A-1}
    expect:
      matches:
        /order: {regex: "^B"}
  - name: nothing there
    tool: find_order
    input: {order_number: A-1}
    expect:
      matches: {/tracking/0: {type: string}}
  - name: an unread variable
    tool: find_order
    input: {order_number: A-1}
    env: {OTHER: x}
  - name: no such tool
    tool: find_oder
"""


def test_cases_that_fail_say_why(lua: Lua, project: Path) -> None:
    write_cases(project, FAILING)
    result = lua("test", "--ci", cwd=project)
    assert result.exit_code == 1
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert lines[-1] == "0 passed, 12 failed"
    place = re.compile(r"^tests/orders\.test\.yaml:\d+: ")
    messages = [place.sub("", line) for line in lines[1:-2] if not line.startswith("✖")]
    assert messages == [
        "the output has the key `status`, which was not expected",
        '/order: expected "B-1", got "A-1"',
        "/exact: expected [false], got false",
        "the output has no key `price`",
        "/query has 6 elements, expected 3",
        '/query is none of ["a", "b"]: "refund"',
        '/results does not contain "x": ["Rückgabe", "Rückgabe"]',
        '/results is not ["Rückgabe"]: ["Rückgabe", "Rückgabe"]',
        "there is nothing at /pages",
        "/results has 2 elements, expected at least 3",
        '/results/0: expected "x", got "Rückgabe"',
        '/status: expected "open", got null',
        "the output has no key `tracking`",
        'expected an error, got {"order": "A-1", "status": null, "exact": false}',
        "expected an error with message 'no disk', got 'LookupError: no order A-0 at home' "
        "(tool-error: LookupError: no order A-0 at home)",
        "tool-error: LookupError: no order A-0 at home",
        "/order does not match '^B': \"A-1\"",
        "there is nothing at /tracking/0",
        "the skill orders does not read the variable OTHER, so nothing would see it; Python reads it by a name that can be"
        " told, or [tool.lua] env lists it; flows declare it: env: [{name: …}]",
        "no tool 'find_oder'; did you mean find_order?",
    ]
    assert 'File "src/tools.py"' in result.stderr


def test_a_thousand_differences_are_cut_and_counted(lua: Lua, project: Path) -> None:
    case = (
        "cases:\n  - name: a\n    tool: search_acme_docs\n    input: {query: q, limit: 60}\n    expect: {output: %s}\n"
    )
    write_cases(project, case % json.dumps({"query": "q", "results": ["x"] * 60}))
    lines = lua("test", "--ci", cwd=project).stdout.splitlines()
    assert lines[-3:-1] == ["        … and 40 more differences", ""]
    assert sum("expected " in line for line in lines) == 20


def test_matchers(lua: Lua, project: Path) -> None:
    write_cases(
        project,
        """\
cases:
  - name: all of them
    tool: search_acme_docs
    input: {query: refund, limit: 2}
    expect:
      matches:
        "": {type: object, contains: query, length: 2}
        /query: {equals: refund, regex: "f.nd$", contains: fun, in: [refund, other], length: 6}
        /results: {type: array, length: 2, contains: Rückgabe}
        /results/0: {type: string}
        /results/5: {absent: true}
  - name: bounds
    tool: printer
    expect:
      matches: {/big: {type: integer, min: 1, max: 2000000000000000000}}
""",
    )
    assert lua("test", "--ci", cwd=project).exit_code == 0


def test_cases_as_json_and_junit(lua: Lua, project: Path) -> None:
    write_cases(project, CASES + "  - name: wrong & <odd>\n    tool: ping\n    expect: {output: pang}\n")
    result = lua("test", "--ci", "--json", "--junit", "reports/junit.xml", cwd=project)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["ok"] is False
    assert [case["ok"] for case in document["cases"]] == [True, True, True, False]
    last = document["cases"][-1]
    assert isinstance(last.pop("durationMs"), int)
    assert last == {
        "file": "tests/orders.test.yaml", "line": 17, "name": "wrong & <odd>", "tool": "ping", "ok": False,
        "message": 'the output: expected "pang", got "pong"',
    }  # fmt: skip
    root = ElementTree.parse(project / "reports/junit.xml").getroot()
    (suite,) = root
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("tests/orders.test.yaml", "4", "1")
    assert [case.get("name") for case in suite] == ["an order", "no such order", "a ping", "wrong & <odd>"]
    assert suite[3][0].get("message") == 'the output: expected "pang", got "pong"'


def test_some_of_the_cases(lua: Lua, project: Path) -> None:
    write_cases(project, CASES)
    assert lua("test", "--ci", "-k", "PING", cwd=project).stdout == "tests/orders.test.yaml\n  ✔ a ping\n\n1 passed\n"
    none = lua("test", "--ci", "-k", "nothing", cwd=project)
    assert (none.exit_code, "no case has 'nothing'" in none.stderr) == (3, True)


def test_a_project_without_cases(lua: Lua, project: Path) -> None:
    result = lua("test", "--ci", cwd=project)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "no case files in" in result.stderr


HTTP_AGENT = """\
import urllib.request

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Rate(LuaTool):
    name = "rate"
    description = "Say a rate of exchange. Use when somebody asks what something costs elsewhere."
    input_schema = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}

    def execute(self, input: dict) -> str:
        with urllib.request.urlopen(input["url"], timeout=10) as response:
            return response.read().decode()


rates = LuaSkill(name="rates", context="Rates.", tools=[Rate()])
agent = LuaAgent(name="acme", skills=[rates])
"""
HTTP_CASES = """\
cases:
  - name: written by hand
    tool: rate
    input: {url: "https://rates.example/eur"}
    http:
      - request: {url: "https://rates.example/eur"}
        response: {body: "1.25"}
    expect: {output: "1.25"}
  - name: not there
    tool: rate
    input: {url: "https://rates.example/usd"}
    http: []
    expect: {error: {type: tool-error}}
"""


def test_cases_with_http(lua: Lua, write_project: WriteProject) -> None:
    project = write_project({"src/agent.py": HTTP_AGENT})
    write_cases(project, HTTP_CASES, "rates.test.yaml")
    result = lua("test", "--ci", cwd=project)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:4] == [
        "  ✔ written by hand",
        "  ✖ not there",
        "      tests/rates.test.yaml:9: no exchange of the case's `http` fits GET https://rates.example/usd",
    ]


def test_recording_and_playing(lua: Lua, write_project: WriteProject, tmp_path: Path) -> None:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"1.5")

        def log_message(self, *_arguments: Any) -> None:
            """Quiet."""

    project = write_project({"src/agent.py": HTTP_AGENT})
    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/eur"
        case = f"cases:\n  - name: a\n    tool: rate\n    input: {{url: '{url}'}}\n    http: eur.http.json\n    expect: {{output: '1.5'}}\n"
        write_cases(project, case, "rates.test.yaml")
        before = lua("test", "--ci", cwd=project)
        assert (before.exit_code, "lua test --record" in before.stderr) == (2, True)
        assert lua("test", "--ci", "--record", cwd=project).exit_code == 0
        server.shutdown()
        thread.join()
    assert (project / "tests/eur.http.json").is_file()
    assert lua("test", "--ci", cwd=project).exit_code == 0
    (project / "tests/eur.http.json").write_text("[]", encoding="utf-8")
    damaged = lua("test", "--ci", cwd=project)
    assert (damaged.exit_code, "is no recording" in damaged.stderr) == (2, True)


REFUSED: dict[str, tuple[str, str, str]] = {
    "an unknown key": (
        "cases:\n  - name: a\n    tool: ping\n    inputs: {}\n",
        "tests/orders.test.yaml:4:5: unknown key `inputs` in a case",
        "did you mean `input`?",
    ),
    "an unknown key at the top": ("case: []\n", "1:1: unknown key `case` in a case file", "did you mean `cases`?"),
    "an unknown expectation": (
        "cases:\n  - {name: a, tool: ping, expect: {outputs: 1}}\n",
        "2:36: unknown key `outputs` in `expect`",
        "did you mean `output`?",
    ),
    "two expectations": (
        "cases:\n  - {name: a, tool: ping, expect: {output: 1, subset: 2}}\n",
        "`expect` has one of",
        "",
    ),
    "an unknown matcher": (
        "cases:\n  - {name: a, tool: ping, expect: {matches: {/a: {regexp: x}}}}\n",
        "unknown key `regexp` in a matcher",
        "did you mean `regex`?",
    ),
    "a broken pattern": (
        'cases:\n  - {name: a, tool: ping, expect: {matches: {/a: {regex: "("}}}}\n',
        "`regex` must be a regular expression",
        "",
    ),
    "no pointer": (
        "cases:\n  - {name: a, tool: ping, expect: {matches: {a.b: {type: string}}}}\n",
        "'a.b' is no JSON Pointer",
        "did you mean `/a/b`?",
    ),
    "no name": ("cases:\n  - tool: ping\n", "2:5: the case has no `name`", ""),
    "a name twice": (
        "cases:\n  - {name: a, tool: ping}\n  - {name: a, tool: ping}\n",
        "3:5: two cases are called 'a'",
        "the other is at line 2",
    ),
    "a key twice": ("cases:\n  - name: a\n    tool: ping\n    tool: pong\n", "4:5: the key `tool` is there twice", ""),
    "no list": ("cases: {}\n", "1:8: `cases` must be a list", ""),
    "no yaml": ("cases: [\n", "2:1: ", ""),
    "a number as a variable": (
        "cases:\n  - name: a\n    tool: ping\n    env: {SHOP: 1}\n",
        "4:17: the value of SHOP must be a text",
        "put it in quotes",
    ),
    "no seconds": ("cases:\n  - {name: a, tool: ping, timeout: soon}\n", "`timeout` is a number of seconds", ""),
    "an exchange without a url": (
        "cases:\n  - {name: a, tool: ping, http: [{request: {method: GET}, response: {}}]}\n",
        "the request has no `url`",
        "",
    ),
    "an unknown key of a response": (
        "cases:\n  - {name: a, tool: ping, http: [{request: {url: 'http://a'}, response: {state: 1}}]}\n",
        "unknown key `state` in a response",
        "did you mean `status`?",
    ),
    "nan": ("cases:\n  - {name: a, tool: ping, input: {a: .nan}}\n", "no number that JSON has", ""),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_case_file_that_is_none_is_refused_with_its_place(name: str, lua: Lua, project: Path) -> None:
    text, words, hint = REFUSED[name]
    write_cases(project, text)
    result = lua("test", "--ci", cwd=project)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert hint in result.stderr


def test_a_project_that_does_not_compile_is_said_once(lua: Lua, project: Path) -> None:
    write_cases(project, CASES)
    tools = (project / "src/tools.py").read_text("utf-8")
    (project / "src/tools.py").write_text(tools.replace('name = "ping"', 'name = "pi ng"'), encoding="utf-8")
    for words in (("test",), ("test", "skill", "--name", "ping"), ("fuzz", "ping")):
        result = lua(*words, "--ci", cwd=project)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.count("the tool name 'pi ng' of Ping has U+0020 (space)") == 1
        assert result.stderr.splitlines()[-1].startswith("✖ does_not_compile: the project does not compile (1 error")
        document = json.loads(lua(*words, "--ci", "--json", cwd=project).stdout)
        assert (document["ok"], document["error"]["type"]) == (False, "does-not-compile")
        assert "1 error; src/tools.py:45: the tool name 'pi ng'" in document["error"]["message"]
        (diagnostic,) = document["error"]["diagnostics"]
        assert (diagnostic["code"], diagnostic["line"]) == ("lua/tool-name-invalid", 45)
