"""`lua push` of an unchanged project to the embedded registry: what it said before is said again, when all that it
looked at is as it was. The registry itself is asked each time; the rest is told by what `Seen` holds.

In: the command line, what was kept of an earlier push. Out: the exit code, or None: then the long way does it. Nothing
is sent, and nothing is written. `pushing_kept.py` writes what is read here.
"""

from __future__ import annotations

import os
import sys

from lua_cli.errors import EXIT_OK

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from lua_cli.commands.at_once import Line
    from lua_cli.pipeline.at_once import Known

# The variables that say which registry it is, and where; nothing is kept while one of them leads to a relative place.
PLACES = ("LUA_API_URL", "LUA_CONFIG_DIR", "LUA_DATA_DIR", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
STATE = ("lua.skill.toml", (".lua", "state.lock"))
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_LONGEST = 64


class Seen:
    """What a push looked at, beside an unchanged project, and what it said. One line a field, and then the text.

    about     the command line that it answers (`answer_name`)
    places    PLACES, as they were
    target    what is said of the registry before all else
    registry  its file
    agent     its id there
    standing  the registry's digest of the skills (`registry/standing.py`)
    state     the content of lua.skill.toml
    skills    (skill, version) of those that were there
    stamps    the files and variables that decide, as `at_once.holds` takes them
    said      what stood on stdout
    """

    __slots__ = ("about", "agent", "places", "registry", "said", "skills", "stamps", "standing", "state", "target")

    def __init__(self, text: str) -> None:
        """Raises ValueError for a text that is none."""
        head = text.split("\n", 9)
        self.about, self.places, self.target, self.registry, self.agent, self.standing, self.state = head[:7]
        skills, stamps = int(head[7]), int(head[8])
        *lines, self.said = head[9].split("\n", skills + stamps)
        if len(lines) != skills + stamps:
            raise ValueError(head[7])
        pairs = [line.partition(" ") for line in lines[:skills]]
        self.skills, self.stamps = [(name, version) for version, _, name in pairs], lines[skills:]


def push_again(line: Line) -> int | None:
    """Say what a push said before. Nothing has happened where this gives None."""
    name = _asked(line.words[1:])
    known = line.known() if name is not None else None
    kept = known.answer(name) if known is not None and name is not None else None
    if known is None or kept is None:
        return None
    try:
        seen = Seen(kept)
        if seen.about != name or not _holds(seen, known):
            return None
    except (OSError, ValueError, IndexError):  # the long way finds the same, and says it
        return None
    _say(seen, plain=line.ci, as_json=name.endswith("json"))
    return EXIT_OK


def answer_name(kind: str, name: str | None, *, as_json: bool) -> str | None:
    """Under which name the answer of `lua push KIND --name NAME` is kept; None for a name that cannot be a file's."""
    if name is not None and (not _NAME.issuperset(name) or len(name) > _LONGEST):
        return None
    return f"push-{kind}@{name or ''}-{'json' if as_json else 'text'}"


def places() -> str:
    """PLACES as they are, in one line."""
    return ascii([os.environ.get(name) for name in PLACES])


def state_of(root: str) -> str:
    """The content of lua.skill.toml in one line. Raises OSError where a push would say that it cannot be written."""
    state, lock = STATE
    os.close(os.open(os.path.join(root, *lock), os.O_RDWR))  # noqa: PTH118
    with open(os.path.join(root, state), "rb") as file:  # noqa: PTH118, PTH123
        return ascii(file.read())


def _asked(words: list[str]) -> str | None:
    """The name of the answer that is asked for; None for anything that the application has to judge."""
    kind, name, chosen, rest = words[:1], None, None, iter(words[1:])
    for word in rest:
        flag, equals, value = word.partition("=")
        if flag == "--name" and name is None:
            name = value if equals else next(rest, "-")
        elif word == "--json" and chosen is None:
            chosen = "json"
        elif flag == "--format" and chosen is None:
            chosen = value if equals else next(rest, "")
        else:
            return None
    if kind not in (["skill"], ["all"]) or chosen not in (None, "text", "json") or (name or "x")[0] == "-":
        return None
    if (kind == ["all"]) == (name is not None) or name == "":
        return None
    return answer_name(kind[0], name, as_json=chosen == "json")


def _holds(seen: Seen, known: Known) -> bool:
    """Whether a push would see the same. Raises OSError, ValueError where something is not as it was."""
    from lua_cli.pipeline.at_once import holds

    same = all(holds(line) and not _is_out_of_reach(line) for line in seen.stamps)
    if not same or seen.places != places() or seen.state != state_of(known.root):
        return False
    from lua_cli.registry.standing import standing_at

    return standing_at(seen.registry, seen.agent, seen.skills) == seen.standing


def _is_out_of_reach(line: str) -> bool:
    """Whether a file that a stamp calls absent is where nobody can look: a push would complain."""
    _, absent, path = line.partition("file - ")
    try:
        return bool(absent) and not os.stat(path)  # noqa: PTH116
    except OSError as error:
        return not isinstance(error, FileNotFoundError)


def _say(seen: Seen, *, plain: bool, as_json: bool) -> None:
    if not as_json:
        sys.stdout.flush()
        sys.stderr.write(f"{seen.target}\n")
        if not plain and sys.stderr.isatty():  # the line of progress, which the long way shows and takes away
            shown = "".join(f"\r\x1b[2K{name} {version}" for name, version in seen.skills)
            sys.stderr.write(f"{shown}\r\x1b[2K")
            sys.stderr.flush()
    sys.stdout.write(seen.said)
