"""What was meant by a command line of `lua test` that cannot be understood. In: the words after `lua`. Out: the command
to type instead, or None where that would be a guess. Prints nothing, runs nothing.
"""

from __future__ import annotations

import shlex

_OF_SKILL = ("--name", "--input", "--skill")


def meant(args: list[str]) -> str | None:
    """The command to type instead of `lua ARGS`."""
    if args[:1] != ["test"] or {"--help", "-h"} & set(args):
        return None
    rest = args[1:]
    if rest[:1] in (["tool"], ["tools"], ["skills"]):
        rest = ["skill", *rest[1:]]
    elif rest[:1] != ["skill"]:
        if rest and not rest[0].startswith("-"):
            return _of_a_word(rest[0], rest[1:])
        if not any(word.partition("=")[0] in _OF_SKILL for word in rest):
            return None
        rest = ["skill", *rest]
    if len(rest) > 1 and not rest[1].startswith("-"):
        rest = ["skill", "--name", *rest[1:]]
    return _typed(rest) if rest != args[1:] else None


def _of_a_word(word: str, more: list[str]) -> str:
    """`lua test WORD`: a case file, or else a tool."""
    if word.endswith((".yaml", ".yml")) or "/" in word:
        return _typed(["-k", word.rstrip("/").rpartition("/")[2], *more])
    given = more if any(one.partition("=")[0] == "--input" for one in more) else ["--input", "JSON", *more]
    return _typed(["skill", "--name", word, *given])


def _typed(words: list[str]) -> str:
    return "lua test " + shlex.join(words)
