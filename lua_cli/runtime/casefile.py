"""tests/*.test.yaml → cases. In: a project's root and its folder of flows. Out: `Case`s, or a UsageError with file,
line and what is known there.

docs/running.md has the format. Reads files, runs nothing.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.records import field, record
from lua_cli.runtime.expecting import MATCHERS, Expectation
from lua_cli.runtime.flows.casing import KEYS as FLOW_KEYS
from lua_cli.runtime.flows.casing import FlowCase, read_flow_case
from lua_cli.runtime.state import EndUser, problem_of_user
from lua_cli.runtime.turncase import KEYS, TurnCase, read_turns
from lua_cli.source.yaml_text import Node, YamlError, parse_yaml

ENDINGS = (".test.yaml", ".test.yml")
_TALKED = (
    "name",
    "user",
    "env",
    "timeout",
    "http",
)  # what conversations and flows have in common with a call of one tool


@record(frozen=True)
class Http:
    """HTTP that a case plays: `exchanges`, or those of `file` (a path; recorded with `lua test --record`)."""

    exchanges: tuple[Mapping[str, Any], ...] = ()
    file: Path | None = None


@record(frozen=True)
class Case:
    """One case. `file` is relative to the project's root; `line` is where it begins. With `turns` it is a conversation,
    and `tool` is its agent; with `flow` a message for a flow, and `tool` is its name; else one call of a tool.
    """

    file: str
    line: int
    name: str
    tool: str
    skill: str | None = None
    input: Any = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None
    http: Http | None = None
    expect: Expectation = field(default_factory=Expectation)
    user: EndUser | None = None
    turns: TurnCase | None = None
    flow: FlowCase | None = None


def read_cases(root: Path, flows: Path | None) -> list[Case]:
    """All cases of a project, file by file: those in `tests/`, and those that lie beside its flows. Raises
    NotFoundError without any file, UsageError for one that cannot be used.
    """
    folders = [root / "tests", *([] if flows is None else [flows])]
    files = sorted({path for folder in folders for path in _case_files(folder)})
    if not files:
        raise NotFoundError(
            f"no case files in {root / 'tests'}", hint="write tests/orders.test.yaml, or run one tool: lua test skill"
        )
    return [case for file in files for case in read_case_file(file, file.relative_to(root).as_posix())]


def _case_files(folder: Path) -> Iterator[Path]:
    for current, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(current, name) for name in names if name.endswith(ENDINGS))


def read_case_file(path: Path, shown: str) -> list[Case]:
    """The cases of one file, which messages call `shown`. Raises UsageError."""
    try:
        tree = parse_yaml(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {error.strerror}") from error
    except YamlError as error:
        raise UsageError(
            f"{shown}:{error.line}:{error.column}: {error.message}", hint="docs/running.md has the format"
        ) from None
    reader = Reader(shown, path.parent)
    return [] if tree is None else reader.file(tree)


class Reader:
    """Reads the nodes of a case file; refusals name file, line and column."""

    def __init__(self, file: str, folder: Path) -> None:
        self._file, self._folder = file, folder
        self._names: dict[str, int] = {}

    def refuse(self, node: Node | tuple[int, int], message: str, hint: str | None = None) -> UsageError:
        line, column = (node.line, node.column) if isinstance(node, Node) else node
        return UsageError(f"{self._file}:{line}:{column}: {message}", hint=hint)

    def file(self, tree: Node) -> list[Case]:
        self.known(tree, ("cases",), "a case file")
        cases = tree.value.get("cases")
        if cases is None or not isinstance(cases.value, tuple):
            raise self.refuse(cases or tree, "`cases` must be a list", "cases:\n  - name: …")
        return [self.case(node) for node in cases.elements]

    def known(self, node: Node, keys: Iterable[str], what: str) -> None:
        """Refuse what is no mapping, and keys that are not known."""
        known = tuple(keys)
        if not isinstance(node.value, dict):
            raise self.refuse(node, f"{what} is a mapping", "known keys: " + ", ".join(known))
        for key, place in (node.keys or {}).items():
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"did you mean `{near[0]}`?" if near else "known keys: " + ", ".join(known)
                raise self.refuse(place, f"unknown key `{key}` in {what}", hint)

    def case(self, node: Node) -> Case:
        if isinstance(node.value, dict) and "flow" in node.value:
            return self._flow(node)
        talks = isinstance(node.value, dict) and "say" in node.value
        self.known(node, KEYS if talks else _READERS, "a conversation" if talks else "a case")
        for needed in ("name",) if talks else ("name", "tool"):
            if needed not in node.value:
                raise self.refuse(node, f"the case has no `{needed}`")
        own = [(key, item) for key, item in node.items() if not talks or key in _TALKED]
        values = {key: _READERS[key](self, item) for key, item in own}
        if talks:
            values["turns"] = read_turns(self, node, self._folder)
            values["tool"] = values["turns"].agent or ""
        self._named(values["name"], node)
        return Case(file=self._file, line=node.line, **values)

    def _flow(self, node: Node) -> Case:
        self.known(node, FLOW_KEYS, "a case of a flow")
        if "name" not in node.value:
            raise self.refuse(node, "the case has no `name`")
        values = {key: _READERS[key](self, item) for key, item in node.items() if key in _TALKED}
        self._named(values["name"], node)
        flow = read_flow_case(self, node, self._folder)
        return Case(file=self._file, line=node.line, tool=self.text(node.value["flow"]), flow=flow, **values)

    def _named(self, name: str, node: Node) -> None:
        if name in self._names:
            raise self.refuse(node, f"two cases are called {name!r}", f"the other is at line {self._names[name]}")
        self._names[name] = node.line

    def text(self, node: Node) -> str:
        if not isinstance(node.value, str) or not node.value:
            raise self.refuse(node, "must be a text", "put it in quotes")
        return node.value

    def anything(self, node: Node) -> Any:
        return node.plain()

    def env(self, node: Node) -> dict[str, str]:
        out = {}
        if not isinstance(node.value, dict):
            raise self.refuse(node, "`env` is a mapping of names to texts")
        for key, item in node.items():
            if not isinstance(item.value, str):
                raise self.refuse(item, f"the value of {key} must be a text", "put it in quotes")
            out[key] = item.value
        return out

    def user(self, node: Node) -> EndUser:
        given = self.anything(node)
        problem = problem_of_user(given)
        if problem:
            raise self.refuse(node, problem, "user: {id: ada, data: {plan: gold}}")
        return EndUser(given["id"], given.get("data", {}))

    def seconds(self, node: Node) -> float:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float) or not node.value > 0:
            raise self.refuse(node, "`timeout` is a number of seconds")
        return float(node.value)

    def http(self, node: Node) -> Http:
        if isinstance(node.value, str) and node.value:
            return Http(file=self._folder / node.value)
        if not isinstance(node.value, tuple):
            raise self.refuse(node, "`http` is a list of exchanges, or the name of a recorded file")
        for exchange in node.elements:
            self.exchange(exchange)
        return Http(tuple(self.anything(node)))

    def exchange(self, node: Node) -> None:
        self.known(node, ("request", "response"), "an exchange")
        for name, keys in (
            ("request", ("method", "url", "json", "body")),
            ("response", ("status", "headers", "json", "body", "base64")),
        ):
            part = node.value.get(name)
            if part is None:
                raise self.refuse(node, f"the exchange has no `{name}`")
            self.known(part, keys, f"a {name}")
        url = node.value["request"].value.get("url")
        if url is None or not isinstance(url.value, str) or "://" not in url.value:
            raise self.refuse(
                url or node.value["request"], "the request has no `url`", "url: https://api.example/orders"
            )
        status = node.value["response"].value.get("status")
        if status is not None and (type(status.value) is not int or not 100 <= status.value <= 599):
            raise self.refuse(status, "`status` is a number from 100 to 599")

    def expect(self, node: Node) -> Expectation:
        self.known(node, ("output", "subset", "matches", "error"), "`expect`")
        if len(node.value) != 1:
            raise self.refuse(node, "`expect` has one of output, subset, matches and error")
        kind, item = next(node.items())
        if kind == "matches":
            self.matchers(item)
        if kind == "error":
            self.known(item, ("type", "message", "path"), "`error`")
            for inner in item.value.values():
                if not isinstance(inner.value, str):
                    raise self.refuse(inner, "must be a text", "put it in quotes")
        return Expectation(kind, self.anything(item))  # type: ignore[arg-type]  # one of the four

    def matchers(self, node: Node) -> None:
        if not isinstance(node.value, dict):
            raise self.refuse(node, "`matches` is a mapping of JSON Pointers to matchers", '/status: {regex: "^s"}')
        for pointer, matcher in node.items():
            place = (node.keys or {})[pointer]
            if pointer and not pointer.startswith("/"):
                raise self.refuse(
                    place, f"{pointer!r} is no JSON Pointer", f"did you mean `/{pointer.replace('.', '/')}`?"
                )
            self.known(matcher, MATCHERS, "a matcher")
            for name, given in matcher.items():
                problem = MATCHERS[name].problem(given.plain())
                if problem:
                    raise self.refuse(given, f"`{name}` {problem}")


_READERS: dict[str, Callable[[Reader, Node], Any]] = {
    "name": Reader.text,
    "tool": Reader.text,
    "skill": Reader.text,
    "input": Reader.anything,
    "env": Reader.env,
    "timeout": Reader.seconds,
    "user": Reader.user,
    "http": Reader.http,
    "expect": Reader.expect,
}
