"""Whether an edit of a source touched nothing but the body of one function, told by the lines that changed. In: the
text before, the content now, the source's row (outlines.py). Out: the `Edited` that the comparison of outlines would
give, or None: then that has to be made (bodies.py).

Most edits in a row are of this kind, and they are answered without what `ast`, `re` and the reader of imports cost to
load. Nothing is taken on trust: the whole tree is parsed before and after, its functions must be where they were, and
whatever in the body could ask for something, or be a secret, is for the other way. Pure.
"""

from __future__ import annotations

import warnings

from lua_cli.pipeline.moving import Moved
from lua_cli.source.decoding import DecodeError, decode
from lua_cli.source.function_bodies import bodies_of, children, kind, outermost, walk
from lua_cli.source.plainness import holds_nothing_secret

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from lua_cli.pipeline.edited_words import Word
    from lua_cli.source.function_bodies import Body

_ONLY_A_TREE = 0x400  # `ast.PyCF_ONLY_AST`
# Names by which a module asks for something: what source/reads.py, datapaths.py and localities.py know. A body with one
# of them is for these.
ASKING = frozenset(
    {
        "import_module", "__import__", "environ", "environb", "getenv", "getenvb", "env", "__file__", "expandvars",
        "files", "resources", "get_data", "read_text", "open_text", "read_binary", "open_binary", "read_bytes", "open",
        "connect", "path", "is_resource", "Path", "PurePath", "PosixPath", "BaseSettings",
    }
)  # fmt: skip
# Parts by which source/localities.py decides whether it looks through a source, comments included.
_LOCAL = (
    "://", "/users/", "/home/", "/root/", "/volumes/", "/private/", "~/", ":\\", ":/", "connect(", "open(", "read_text",
    "read_bytes",
)  # fmt: skip


class Edited:
    """A source with another content that means the same to all who read it.

    content   its bytes · facts  how its file is recognised (unchanged.py)
    row       its new row · moved  where its places are now
    words     the words that changed, where that is all (edited_words.py)
    """

    __slots__ = ("content", "facts", "moved", "row", "shown", "words")

    def __init__(
        self, shown: str, content: bytes, facts: Sequence[Any], row: Mapping[str, Any], moved: Moved,
        words: Sequence[Word] = (),
    ) -> None:  # fmt: skip
        self.shown, self.content, self.facts, self.row, self.moved = shown, content, facts, row, moved
        self.words = words


def edited_body(old_content: bytes, content: bytes, row: Mapping[str, Any]) -> tuple[Mapping[str, Any], Moved] | None:
    """The new row of a source, and where its places are; `old_content` is what it was when the row was made, perhaps
    with other line ends.
    """
    try:
        before, text = decode(old_content), decode(content)
    except DecodeError:
        return None
    if "pragma" in text or "pragma" in before:
        return None
    if text == before:  # a file that was only touched
        return row, Moved((row["blanks"], row["blanks"]), (row["inside"], row["inside"]))
    change = _Change(before.split("\n"), text.split("\n"))
    if not compiles(text):
        return None
    old, new = _tree(before), _tree(text)
    found = _body_of(change, bodies_of(old, before), bodies_of(new, text), row)
    if found is None:
        return None
    body, now = found
    lines = [*change.before[body.first - 1 : body.end], *change.after[now.first - 1 : now.end]]
    if _asks(lines, (old, new), found) or not is_clean(text, change.new()):
        return None
    return _moved(row, change, body)


def is_clean(text: str, lines: Sequence[str]) -> bool:
    """Whether there is no secret in the text that was not there before these lines were."""
    if "PRIVATE KEY" not in text and all(map(holds_nothing_secret, lines)):  # a key goes over many lines
        return True
    from lua_cli.source.secrets import secrets_in

    return not any(secrets_in(text))


class _Change:
    """Lines before and after, and how many are the same at both ends."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        self.before, self.after = before, after
        shorter = min(len(before), len(after))
        same = 0
        while same < shorter and before[same] == after[same]:
            same += 1
        tail = 0
        while tail < shorter - same and before[-1 - tail] == after[-1 - tail]:
            tail += 1
        self.first = same + 1  # the first line that differs
        self.last, self.new_last = len(before) - tail, len(after) - tail  # below `first`: nothing was there, or is
        self.shift = len(after) - len(before)

    def new(self) -> list[str]:
        return self.after[self.first - 1 : self.new_last]


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree: ast.Module = compile(text, "<source>", "exec", _ONLY_A_TREE, dont_inherit=True)
    return tree


def compiles(text: str) -> bool:
    """Whether Python compiles it: what the parser lets through (`return` outside of a function) the child would
    meet."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<source>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _body_of(
    change: _Change, before: Sequence[Body], after: Sequence[Body], row: Mapping[str, Any]
) -> tuple[Body, Body] | None:
    """The one body that holds all that changed, before and after, when everything else is where it was."""
    blanks = {tuple(blank) for blank in row["blanks"]}
    at = next((n for n, body in enumerate(before) if body.first <= change.first <= body.end + 1), None)
    if at is None or len(before) != len(after):
        return None
    old, new = before[at], after[at]
    if (old.first, old.end) not in blanks or change.last > old.end:
        return None
    if before[:at] != after[:at] or [_shifted(one, change.shift) for one in before[at + 1 :]] != list(after[at + 1 :]):
        return None
    same = (new.start, new.first, new.end, new.says) == (old.start, old.first, old.end + change.shift, old.says)
    return (old, new) if same and new.first <= new.end else None


def _shifted(body: Body, lines: int) -> tuple[int, int, int, str]:
    return body.start + lines, body.end + lines, body.first + lines, body.says


def _asks(lines: Sequence[str], trees: Sequence[Any], found: Sequence[Body]) -> bool:
    """Whether something in the body, before or after, may ask for anything, or is said to lua-cli."""
    text = "\n".join(lines).lower()
    if "lua:" in text or any(part in text for part in _LOCAL):
        return True
    return any(
        _asks_for(node, names)
        for tree, body in zip(trees, found, strict=True)
        for names in (ASKING | _names_of(tree),)
        for function in _at(tree, body.start, body.end)
        for node in walk(function)
        if getattr(node, "lineno", 0) >= body.first
    )


def _asks_for(node: Any, names: frozenset[str]) -> bool:
    match kind(node):
        case "Name":
            return node.id in names
        case "Attribute":
            return node.attr in names
        case "Import" | "ImportFrom":
            return True
        case "Constant" if isinstance(node.value, str):
            return _is_place(node.value)
    return False


def _is_place(text: str) -> bool:
    """Whether a text may be an address or a path."""
    return text[:1] in ("/", "~") or text[1:2] == ":" or "://" in text


def may_be_local(text: str) -> bool:
    """Whether a text by itself may lead to a place, or make source/localities.py look for one."""
    lowered = text.lower()
    return _is_place(text) or any(part in lowered for part in _LOCAL)


def _at(tree: Any, start: int, end: int) -> Iterator[Any]:
    return (node for node in outermost(tree) if start <= node.lineno <= end)


def _names_of(tree: Any) -> frozenset[str]:
    """Names that the module itself has for what asks: `from os import environ as e`, `HERE = Path(__file__).parent`."""
    names = {
        one.asname
        for node in walk(tree)  # an import in one function counts in those below it
        if kind(node) in ("Import", "ImportFrom")
        for one in node.names
        if one.asname and one.name.rpartition(".")[2] in ASKING
    }
    stack = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if kind(node) in ("Assign", "AnnAssign", "AugAssign", "NamedExpr"):
            targets = getattr(node, "targets", None) or [node.target]
            if node.value is not None and any(_is_asking(one, names) for one in walk(node.value)):
                names |= {one.id for target in targets for one in walk(target) if kind(one) == "Name"}
        elif kind(node) not in ("FunctionDef", "AsyncFunctionDef", "Lambda"):
            stack.extend(reversed(list(children(node))))
    return frozenset(names)


def _is_asking(node: Any, names: set[str]) -> bool:
    name = node.id if kind(node) == "Name" else node.attr if kind(node) == "Attribute" else ""
    return name in ASKING or name in names


def _moved(row: Mapping[str, Any], change: _Change, old: Body) -> tuple[Mapping[str, Any], Moved] | None:
    """The row with its places moved; None where something is asked for in the body itself."""
    shift = change.shift
    if any(old.first <= place[0] <= old.end or old.first <= place[2] <= old.end for place in row["inside"]):
        return None
    blanks = [_blank(first, last, old, shift) for first, last in row["blanks"]]
    inside = [
        [place[0] + shift, place[1], place[2] + shift, place[3]] if place[0] > old.end else list(place)
        for place in row["inside"]
    ]
    return {**row, "blanks": blanks, "inside": inside}, Moved((row["blanks"], blanks), (row["inside"], inside))


def _blank(first: int, last: int, old: Body, shift: int) -> list[int]:
    if first > old.end:
        return [first + shift, last + shift]
    return [first, last + shift if first == old.first else last]


def reads_as(content: bytes, oldest: Sequence[int] | None) -> bool:
    """Whether the oldest Python that the project says it runs on reads the source."""
    if oldest is None:
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(content, "<source>", "exec", _ONLY_A_TREE, dont_inherit=True, _feature_version=oldest[1])
    except (SyntaxError, ValueError):
        return False
    return True
