"""What was meant by a command line that cannot be understood. In: the words after `lua`. Out: the command to type
instead, or None where that would be a guess. Prints nothing, runs nothing.
"""

from __future__ import annotations

import os
import shlex

_OF_SKILL = ("--name", "--input", "--skill")


# What people type who know other tools, or the other one of this name.
_OTHERWISE = {
    ("version",): ["--version"],
    ("help",): ["--help"],
    ("build",): ["compile"],
    ("lint",): ["compile", "--check"],
    ("check",): ["compile", "--check"],
    ("fix",): ["compile", "--fix"],
    ("list",): ["skills"],
    ("skills", "list"): ["skills"],
    ("skills", "ls"): ["skills"],
    ("login",): ["auth", "configure"],
    ("auth", "login"): ["auth", "configure"],
    ("logout",): ["auth", "logout"],
    ("whoami",): ["auth", "whoami"],
    ("auth", "status"): ["auth", "whoami"],
}


def meant(args: list[str]) -> str | None:
    """The command to type instead of `lua ARGS`."""
    if {"--help", "-h"} & set(args):
        return None
    if args[:1] == ["test"]:
        return _of_test(args[1:])
    for words, instead in _OTHERWISE.items():
        if tuple(args[: len(words)]) == words:
            return shlex.join(["lua", *instead, *args[len(words) :]])
    match args:
        case ["push" | "deploy" | "rollback" as verb, "skill", name, *rest] if not name.startswith("-"):
            return shlex.join(["lua", verb, "skill", "--name", name, *rest])
        case ["compile", folder, *rest] if os.path.isfile(os.path.join(folder, "pyproject.toml")):  # noqa: PTH113, PTH118
            return shlex.join(["lua", "compile", *rest, "--project", folder])
    return None


def _of_test(words: list[str]) -> str | None:
    rest = words
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
    return _typed(rest) if rest != words else None


def _of_a_word(word: str, more: list[str]) -> str:
    """`lua test WORD`: a case file, or else a tool."""
    if word.endswith((".yaml", ".yml")) or "/" in word:
        return _typed(["-k", word.rstrip("/").rpartition("/")[2], *more])
    given = more if any(one.partition("=")[0] == "--input" for one in more) else ["--input", "JSON", *more]
    return _typed(["skill", "--name", word, *given])


def _typed(words: list[str]) -> str:
    return "lua test " + shlex.join(words)
