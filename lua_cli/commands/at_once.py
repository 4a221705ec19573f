"""The command lines that an unchanged project answers at once: what was kept is said again, before anything is
imported that costs time.

In: argv. Out: the exit code, or None: then the long way answers, and keeps what it said. Must not import more than
`os`, `sys` and `pipeline/at_once.py` before it is certain that there is an answer.
"""

from __future__ import annotations

import os
import sys

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone would double the time
if TYPE_CHECKING:
    from lua_cli.pipeline.at_once import Known

_FORMATS = ("text", "json")


def answer_at_once(argv: list[str]) -> int | None:
    """The exit code of `lua compile` and `lua push` when they only say again what they said before, and of `lua test
    skill` when nothing has to be found out before the tool runs; None when that is not certain."""
    line = Line(argv)
    if line.odd:
        return None
    if line.words[:1] in (["compile"], ["push"]) and (sys.stdout.encoding or "").lower() == "utf-8":
        return _compile(line) if line.words[0] == "compile" else _push(line)
    return _test(argv, line) if line.words[:2] == ["test", "skill"] else None


class Line:
    """A command line without its global flags, as `session.begin` takes them out. `odd`: it is none for this module."""

    __slots__ = ("ci", "odd", "project", "words")

    def __init__(self, argv: list[str]) -> None:
        self.words: list[str] = []
        self.ci, self.odd = False, False
        self.project: str | None = None
        rest = iter(argv)
        for word in rest:
            if word == "--ci":
                self.ci = True
            elif word == "--project":
                self.project = next(rest, None)
                self.odd |= self.project is None
            elif word.startswith("--project="):
                self.project = word.partition("=")[2]
            else:
                self.odd |= word == "--"
                self.words.append(word)

    def before(self) -> Known | None:
        """The project as it was when it was last known, unless, with `--ci`, its lock was stale."""
        from lua_cli.pipeline.at_once import before

        try:
            found = before(os.getcwd(), self.project)  # noqa: PTH109
        except OSError:  # a working folder that is gone: the long way says so
            return None
        return None if found is None or (self.ci and found.stale) else found

    def known(self) -> Known | None:
        """The same, when nothing of it has changed."""
        found = self.before()
        return found if found is not None and found.differing() == [] else None


def compile_format(words: list[str]) -> str | None:
    """The format that `lua compile` with these flags prints, text or JSON; None with any other flag."""
    chosen, rest = "text", iter(words)
    for word in rest:
        if word == "--format" or word.startswith("--format="):
            chosen = next(rest, "") if word == "--format" else word.partition("=")[2]
        elif word not in ("--strict", "--json"):
            return None
    chosen = "json" if "--json" in words else chosen
    return chosen if chosen in _FORMATS else None


def answer_name(chosen: str, *, colour: bool) -> str:
    """Under which name the answer of a compile is kept."""
    return "compile-coloured" if colour and chosen == "text" else f"compile-{chosen}"


def _compile(line: Line) -> int | None:
    chosen = compile_format(line.words[1:])
    before = line.before() if chosen else None
    if chosen is None or before is None:
        return None
    plain = line.ci or os.environ.get("NO_COLOR")
    colour = not plain and (bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty())
    name = answer_name(chosen, colour=colour)
    differing = before.differing()
    if differing:
        return _edited(line, before, differing, chosen, name)
    said = before.answer(name) if differing == [] else None
    if said is None:
        return None
    sys.stdout.write(said)
    return EXIT_FINDINGS if before.findings and "--strict" in line.words else EXIT_OK


def _edited(line: Line, before: Known, differing: list[str], chosen: str, name: str) -> int | None:
    """After an edit that changes no answer, the build has to be brought up to date first."""
    from lua_cli.commands.edited import after_edit_said

    done = after_edit_said(before, differing, chosen, name, ci=line.ci)
    if done is None:
        return None
    said, fresh = done
    sys.stdout.write(said)
    sys.stdout.flush()
    fresh.keep(name, said)
    return EXIT_FINDINGS if fresh.applied.document["diagnostics"] and "--strict" in line.words else EXIT_OK


def _push(line: Line) -> int | None:
    from lua_cli.commands.pushing_ahead import push_again

    return push_again(line)


def _test(argv: list[str], line: Line) -> int | None:
    from lua_cli.commands.test_words import words_given

    given = words_given(line.words[2:])
    known = line.known() if given is not None and "name" in given else None
    if given is None or known is None:
        return None
    from lua_cli.commands.testing_ahead import run_ahead

    return run_ahead(argv, given, known)
