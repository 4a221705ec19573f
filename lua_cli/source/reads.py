"""What a module asks for, wherever in it the asking stands: imports, environment variables, data files beside it.

In: a module's syntax tree, its text. Out: raw facts with `ast` spans (`index.py` turns them into places). Must not
resolve anything against the file system, nor look at another module.

A function whose lines hold none of the words that such reads are made of is not walked: most are not.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lua_cli.source.bindings import named_argument
from lua_cli.source.datapaths import DataPath, DataPaths
from lua_cli.source.localities import Kind, local_things
from lua_cli.source.settings_models import BASES as SETTINGS
from lua_cli.source.settings_models import variables_of
from lua_cli.source.spans import Span, span_of
from lua_cli.source.words import Words

if TYPE_CHECKING:
    from lua_cli.source.model import Need

Guard = Literal["", "type-checking", "optional", "function"]

_WORDS = Words(
    (
        "import", "__import__", "import_module", "environ", "getenv", "env", "__file__", "expandvars", "environb",
        "getenvb", "files", "get_data", "read_text", "open_text", "read_binary", "open_binary",
    )
)  # fmt: skip
_CATCHES_IMPORT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_ENV_FUNCTIONS = frozenset({"os.getenv", "lua_cli.env", "lua_cli.sdk.env"})
_ENV_METHODS = frozenset({"get", "setdefault", "pop"})
_WHOLE = frozenset({"os.environ", "os.environb", "os.getenvb", "os.path.expandvars"})
_CATCHES_KEY = frozenset({"KeyError", "LookupError", "Exception", "BaseException"})


class RawImport(NamedTuple):
    kind: Literal["import", "from", "importlib", "importlib-dynamic"]
    module: str
    name: str | None
    level: int
    span: Span
    guard: Guard


class RawReads:
    """Everything found, in the order of the source. `computed`: variables whose name is an expression, with its
    source."""

    __slots__ = ("computed", "data", "env", "imports", "local")

    def __init__(self) -> None:
        self.imports: list[RawImport] = []
        self.env: list[tuple[str, Span, bool, Need]] = []
        self.computed: list[tuple[str, Span, bool, Need]] = []
        self.local: list[tuple[Kind, str, Span]] = []
        self.data: list[tuple[str, str | None, Span]] = []


def read(tree: ast.Module, text: str) -> RawReads:
    """The reads of one module."""
    aliases = _aliases(tree, text)
    paths = DataPaths(tree, aliases)
    ours = {name for name, dotted in aliases.items() if _is_environment(dotted)}
    reader = _Reader(aliases, paths, _interesting_lines(text, paths.names | ours))
    for statement in tree.body:
        reader.visit(statement, "")
    reader.reads.imports.sort(key=lambda found: found.span)
    reader.reads.env.sort(key=lambda found: found[1])
    reader.reads.computed.sort(key=lambda found: found[1])
    reader.reads.data.sort(key=lambda found: found[2])
    reader.reads.local = local_things(tree, text)
    return reader.reads


def _interesting_lines(text: str, names: frozenset[str]) -> list[int]:
    """The numbers of the lines that hold a word to look at, ascending."""
    places = _WORDS.places_in(text)
    if names:
        places = sorted((*places, *Words(names).places_in(text)))
    out: list[int] = []
    line, last = 1, 0
    for place in places:
        line += text.count("\n", last, place)
        last = place
        if not out or out[-1] != line:
            out.append(line)
    return out


def _aliases(tree: ast.Module, text: str) -> dict[str, str]:
    """Local name → dotted name, of every import of the module: exact enough to know `os.environ` and `Path` by."""
    out: dict[str, str] = {}
    for node in _imports(tree) if "import" in text else ():
        for alias in node.names:
            if isinstance(node, ast.Import):
                out[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
            elif not node.level:
                out[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for statement in tree.body if "environ" in text or "getenv" in text else ():
        match statement:  # `e = os.environ` at the top
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() | ast.Name() as value):
                dotted = _dotted(value, out)
                if dotted is not None and _is_environment(dotted):
                    out[name] = dotted
    return out


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports outside of functions; those within matter to their function alone and are added as they are met."""
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.ClassDef):
            for name in ("body", "orelse", "finalbody"):
                stack.extend(reversed(getattr(node, name, ())))
            for handler in getattr(node, "handlers", ()):
                stack.extend(reversed(handler.body))


class _Reader:
    """One walk over a module."""

    def __init__(self, aliases: dict[str, str], paths: DataPaths, lines: list[int]) -> None:
        self.reads = RawReads()
        self._aliases = aliases
        self._paths = paths
        self._lines = lines
        self._consumed: set[int] = set()
        self._caught: list[tuple[int, int]] = []

    def visit(self, node: ast.AST, guard: Guard) -> None:
        stack: list[tuple[ast.AST, Guard]] = [(node, guard)]
        while stack:
            current, here = stack.pop()
            handle = _HANDLERS.get(type(current))
            follow = handle(self, current, here) if handle else None
            if follow is None:
                follow = [(child, here) for child in ast.iter_child_nodes(current)]
            stack.extend(reversed(follow))

    def function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, guard: Guard
    ) -> list[tuple[ast.AST, Guard]] | None:
        at = bisect_left(self._lines, node.lineno)
        if at == len(self._lines) or self._lines[at] > (node.end_lineno or node.lineno):
            return []
        inside: Guard = guard or "function"
        return [(child, guard if child in node.decorator_list else inside) for child in ast.iter_child_nodes(node)]

    def test(self, node: ast.If, guard: Guard) -> list[tuple[ast.AST, Guard]] | None:
        checking = _checks_types(node.test)
        if checking is None:
            return None
        body: Guard = "type-checking" if checking else guard
        orelse: Guard = guard if checking else "type-checking"
        return [*((child, body) for child in node.body), *((child, orelse) for child in node.orelse)]

    def attempt(self, node: ast.Try, guard: Guard) -> list[tuple[ast.AST, Guard]] | None:
        if any(_catches(handler, _CATCHES_KEY) for handler in node.handlers):
            self._caught.append((node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno))
        if guard == "type-checking" or not any(_catches(handler, _CATCHES_IMPORT) for handler in node.handlers):
            return None
        return [
            *((child, "optional") for child in node.body),
            *((child, "optional") for handler in node.handlers for child in handler.body),
            *((child, guard) for child in (*node.orelse, *node.finalbody)),
        ]

    def plain_import(self, node: ast.Import, guard: Guard) -> list[tuple[ast.AST, Guard]]:
        for alias in node.names:
            self.reads.imports.append(RawImport("import", alias.name, None, 0, span_of(alias), guard))
            bound = alias.asname or alias.name.partition(".")[0]
            self._aliases.setdefault(bound, alias.name if alias.asname else bound)
        return []

    def from_import(self, node: ast.ImportFrom, guard: Guard) -> list[tuple[ast.AST, Guard]]:
        for alias in node.names:
            span = span_of(node) if alias.name == "*" else span_of(alias)
            self.reads.imports.append(RawImport("from", node.module or "", alias.name, node.level, span, guard))
            if not node.level:
                self._aliases.setdefault(alias.asname or alias.name, f"{node.module}.{alias.name}")
        return []

    def call(self, node: ast.Call, guard: Guard) -> list[tuple[ast.AST, Guard]] | None:
        called = self.dotted(node.func) or ""
        first = named_argument(node)
        literal = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
        if called in ("importlib.import_module", "__import__") and first is not None:
            self._dynamic_import(node, first, literal, guard)
        elif first is not None and _reads_environment(called):
            self._consumed.add(id(node.func))
            has_default = len(node.args) + len(node.keywords) > 1
            raises = called.endswith((".env", ".pop")) and not has_default
            need: Need = "handles" if called.endswith("setdefault") else "needs" if raises else "asks"
            self._variable(node, first, has_default, need)
        elif called in ("os.environ.update", "os.environ.clear"):  # nothing that a run would have to have
            self._consumed.add(id(node.func))
        return self.expression(node, guard)

    def class_statement(self, node: ast.ClassDef, guard: Guard) -> None:
        if any(self.dotted(base) in SETTINGS for base in node.bases):
            for name, span, has_default in variables_of(node):
                self.reads.env.append((name, span, has_default, "asks" if has_default else "needs"))

    def subscript(self, node: ast.Subscript, guard: Guard) -> list[tuple[ast.AST, Guard]] | None:
        if self.dotted(node.value) == "os.environ":
            self._consumed.add(id(node.value))
            if isinstance(node.ctx, ast.Load):
                self._variable(node, node.slice, False, "needs")
        return None

    def compare(self, node: ast.AST, guard: Guard) -> list[tuple[ast.AST, Guard]] | None:
        match node:
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[where]):
                if self.dotted(where) == "os.environ":
                    self._consumed.add(id(where))
                    if isinstance(left, ast.Constant):
                        self._variable(node, left, True, "handles")
        return None

    def name(self, node: ast.Name | ast.Attribute, guard: Guard) -> list[tuple[ast.AST, Guard]] | None:
        """The environment as a whole, or a function that reads it, as a value: only a run knows the names."""
        dotted = self.dotted(node)
        if dotted is not None and (_is_environment(dotted) or dotted in _WHOLE) and isinstance(node.ctx, ast.Load):
            if id(node) not in self._consumed and not dotted.startswith("lua_cli"):
                self.reads.computed.append((ast.unparse(node), span_of(node), True, "asks"))
            return []
        return [] if isinstance(node, ast.Name) else self.expression(node, guard)

    def expression(self, node: ast.AST, guard: Guard) -> list[tuple[ast.AST, Guard]] | None:
        """A path expression is taken whole: its parts are no reads of their own."""
        found: DataPath | None = self._paths.path(node)
        if found is None:
            return None
        target = found.target()
        if target is not None:
            self.reads.data.append((target, found.package, span_of(node)))
        return []

    def dotted(self, node: ast.expr) -> str | None:
        """`o.environ` after `import os as o` → "os.environ"."""
        return _dotted(node, self._aliases)

    def _variable(self, node: ast.expr, asked: ast.expr, has_default: bool, need: Need) -> None:
        if need == "needs" and any(first <= node.lineno <= last for first, last in self._caught):
            need = "handles"
        if isinstance(asked, ast.Constant) and isinstance(asked.value, str):
            self.reads.env.append((asked.value, span_of(node), has_default, need))
        elif not isinstance(asked, ast.Constant):
            self.reads.computed.append((ast.unparse(asked), span_of(node), has_default, need))

    def _dynamic_import(self, node: ast.Call, first: ast.expr, literal: str | None, guard: Guard) -> None:
        if literal is None:
            self.reads.imports.append(RawImport("importlib-dynamic", ast.unparse(first), None, 0, span_of(node), guard))
            return
        level = len(literal) - len(literal.lstrip("."))
        self.reads.imports.append(RawImport("importlib", literal[level:], None, level, span_of(node), guard))


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    head = aliases.get(node.id, node.id if node.id == "__import__" else None)
    return ".".join([head, *reversed(parts)]) if head else None


def _is_environment(dotted: str) -> bool:
    """`os.environ`, what is read off it, and the functions that read it."""
    return dotted in _ENV_FUNCTIONS or dotted == "os.environ" or dotted.startswith("os.environ.")


def _reads_environment(called: str) -> bool:
    owner, _, method = called.rpartition(".")
    return called in _ENV_FUNCTIONS or (owner == "os.environ" and method in _ENV_METHODS)


def _checks_types(test: ast.expr) -> bool | None:
    """`TYPE_CHECKING` → True, `not TYPE_CHECKING` → False, another test → None."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _checks_types(test.operand)
        return None if inner is None else not inner
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return True if name == "TYPE_CHECKING" else None


def _catches(handler: ast.ExceptHandler, names: frozenset[str]) -> bool:
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in names) for kind in kinds)


_Handler = Callable[[_Reader, Any, Guard], list[tuple[ast.AST, Guard]] | None]
_HANDLERS: dict[type[ast.AST], _Handler] = {
    ast.FunctionDef: _Reader.function,
    ast.AsyncFunctionDef: _Reader.function,
    ast.ClassDef: _Reader.class_statement,
    ast.If: _Reader.test,
    ast.Try: _Reader.attempt,
    ast.Import: _Reader.plain_import,
    ast.ImportFrom: _Reader.from_import,
    ast.Call: _Reader.call,
    ast.Subscript: _Reader.subscript,
    ast.Compare: _Reader.compare,
    ast.BinOp: _Reader.expression,
    ast.JoinedStr: _Reader.expression,
    ast.Attribute: _Reader.name,
    ast.Name: _Reader.name,
    ast.Constant: lambda reader, node, guard: [],
}
