"""Which code asks a tool for its name or its description, or for all that it has.

In: a module's text, its tree, and the ranges of lines that nobody has run or looked into. Out: the attributes that the
rest may ask for. Pure. May find more than there is: a `.name` of anything counts.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from lua_cli.source.words import Words

WORDS = ("name", "description")
_BOTH = frozenset(WORDS)
# By these a program gets at attributes without naming them in its text.
_ANY = frozenset(
    {
        "getattr", "vars", "dir", "locals", "eval", "exec", "compile", "attrgetter", "methodcaller", "inspect",
        "getmembers", "getmembers_static", "getattr_static", "__dict__", "__getattribute__", "__match_args__",
        "linecache", "getsource", "getsourcelines", "ast", "tokenize", "_getframe", "currentframe", "f_locals",
        "f_globals", "f_back", "f_code", "co_consts", "co_names", "get_type_hints",
    }
)  # fmt: skip
_IN_A_TEXT = re.compile(r"\.(name|description)\b")
_IN_AN_ANNOTATION = re.compile(r"\b(name|description)\b")
# One of these stands in every text that has something to say here: a name that gives all, an attribute, or a name that
# nothing is given to (`name = …`, `f(name=…)`) and that is no text by itself (`"name"`).
_GIVE_ALL = Words((*sorted(_ANY), "match"))
_ATTRIBUTE = re.compile(r"\.\s*(?:name|description)\b")
_BARE = {word: re.compile(rf"{word}(?<![\w'\"]{word})\b(?!\s*=\s*[^=}}!:\s])") for word in WORDS}


def words_read(text: str, tree: Callable[[], ast.Module], blanks: Sequence[tuple[int, int]]) -> frozenset[str]:
    """The attributes that a module may ask for outside of the lines in `blanks`."""
    lines = text.split("\n")
    for first, last in blanks:
        lines[first - 1 : last] = [""] * (last - first + 1)
    left = "\n".join(lines)
    if not _may_ask(left if left.isascii() else unicodedata.normalize("NFKC", left)):  # as Python reads names
        return frozenset()
    found: set[str] = set()
    for node, in_class in _nodes(tree(), blanks):
        found |= _asked(node, in_class)
        if found >= _BOTH:
            break
    return frozenset(found)


def _may_ask(text: str) -> bool:
    bare = any(word in text and pattern.search(text) for word, pattern in _BARE.items())
    return bare or _ATTRIBUTE.search(text) is not None or _GIVE_ALL.stand_in(text)


def _nodes(tree: ast.Module, blanks: Sequence[tuple[int, int]]) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes outside of the lines, each with whether its names are looked up in a class first."""
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, in_class = stack.pop()
        line = getattr(node, "lineno", 0)
        if any(first <= line <= last for first, last in blanks):
            continue
        yield node, in_class
        match node:
            case ast.ClassDef():
                head = [*node.decorator_list, *node.bases, *node.keywords]
                stack += [(one, in_class) for one in head]
                stack += [(one, True) for one in node.body]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                body = node.body if isinstance(node.body, list) else [node.body]
                stack += [(one, in_class) for one in ast.iter_child_nodes(node) if one not in body]
                stack += [(one, False) for one in body]
            case _:
                stack += [(one, in_class) for one in ast.iter_child_nodes(node)]


def _asked(node: ast.AST, in_class: bool) -> frozenset[str] | set[str]:
    match node:
        case ast.Attribute(attr=attr, ctx=ctx):
            return _BOTH if attr in _ANY else {attr} & _BOTH if isinstance(ctx, ast.Load) else set()
        case ast.Name(id=name, ctx=ctx):
            return _BOTH if name in _ANY else {name} & _BOTH if in_class and isinstance(ctx, ast.Load) else set()
        case ast.AugAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
            return {name} & _BOTH
        case ast.alias(name=name):
            return _BOTH if name.partition(".")[0] in _ANY or name.rpartition(".")[2] in _ANY else set()
        case ast.ImportFrom(module=str(module)):
            return _BOTH if module.partition(".")[0] in _ANY else set()
        case ast.MatchClass(kwd_attrs=names):
            return set(names) & _BOTH
        case ast.Constant(value=str(text)):
            return {found[1] for found in _IN_A_TEXT.finditer(text)}
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            texts = (one.value for one in ast.walk(annotation) if isinstance(one, ast.Constant))
            return {found[1] for text in texts if isinstance(text, str) for found in _IN_AN_ANNOTATION.finditer(text)}
    return set()
