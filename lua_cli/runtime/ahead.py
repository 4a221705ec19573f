"""Begins the child of a run from what was kept of an earlier one, before anything else is loaded, and sees a plain run
through. In: text, the input. Out: what the child came to.

The text belongs to a project that is unchanged; what is looked at here is the unpacked artifact. Until the child is
begun this imports next to nothing, and then what a run cannot do without: input that only the validator can judge is
for `running.py`, and so is every end that needs words.
"""

from __future__ import annotations

import os
import sys

from lua_cli.child.begin import begin, environment_in, new_folder
from lua_cli.child.environment import child_environment

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from lua_cli.child.begin import Begun


class Ahead:
    """A run that was kept. `env`: the variables that the skill declares; `facts`: JSON (`prepared.py`)."""

    __slots__ = ("_early", "_interpreter", "_stamps", "env", "facts", "folder")

    def __init__(self, text: str) -> None:
        """Raises ValueError for a text that is none."""
        self._interpreter, self.folder, env, early, count, rest = text.split("\n", 5)
        *self._stamps, self.facts = rest.split("\n", int(count))
        if len(self._stamps) != int(count):
            raise ValueError(count)
        self.env, self._early = env.split(), early.split()

    def holds(self, judge: Callable[[str], bool]) -> bool:
        """Whether the unpacked artifact is as it was, by a judge of stamps."""
        return all(map(judge, self._stamps))

    def begin(self, values: Mapping[str, str]) -> Begun:
        """Start the child, whose skill declares these values. Raises LuaError, OSError."""
        folder = new_folder()
        environment = environment_in(folder, child_environment(values))
        threading = sys.modules.get("threading")
        alone = threading is None or threading.active_count() == 1
        return begin(self._interpreter, environment, folder, self._early, alone=alone)


def run_plainly(begun: Begun, facts: Mapping[str, Any], text: str, project: str) -> dict[str, Any] | None:
    """What the child came to (`see_through`), within the usual limits; None for input that is not certain to fit: the
    child waits then as before."""
    from lua_cli.child.process import Process, see_through, whole_order
    from lua_cli.child.wire import Reader, new_mark
    from lua_cli.runtime.plain import plainly_fits
    from lua_cli.runtime.request import InputError, compact, read_input

    tool, limits = facts["tool"], facts["limits"]
    try:
        value = read_input(text)
    except InputError:
        return None
    if not plainly_fits(tool["inputSchema"], value):
        return None
    mark = new_mark()
    child = Process(begun, Reader(mark, limits["answer"]), limits["logs"], _answers(project))
    body = {
        "artifact": facts["folder"], "hidden": [project, *facts["roots"]], "module": tool["module"],
        "qualname": tool["qualname"], "do": "run", "input": compact(value), "http": None,
    }  # fmt: skip
    about = {"mark": mark, "timeout": limits["timeout"], "limits": limits["child"], "answers": child.answers}
    return see_through(child, whole_order(body, child, about, begun.folder), limits["timeout"], "RT")


def _answers(project: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """What `User` and `Data` ask: nobody is the end user, and the data is the project's."""
    state: Any = None

    def answer(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        nonlocal state
        if state is None:
            from pathlib import Path

            from lua_cli.runtime.state import DATABASE, State

            state = State(None, Path(project, ".lua", DATABASE))
        return state.answer(asked)  # type: ignore[no-any-return]

    return answer


def said_plainly(seen: Mapping[str, Any]) -> str | None:
    """The output's JSON, when the tool gave one and nothing else is to be said; None otherwise."""
    frames = seen["frames"]
    if [letter for letter, _ in frames] != ["B", "R"] or seen["logs"] or not frames[1][1]["ok"]:
        return None
    answer = frames[1][1]
    return None if answer["notes"] else str(answer["output"])


def remove_folder(folder: str) -> None:
    """Remove the folder of a run; one that the tool wrote into takes longer."""
    try:
        for name in os.listdir(folder):  # noqa: PTH208
            path = os.path.join(folder, name)  # noqa: PTH118
            os.unlink(path) if name == "trace" else os.rmdir(path)  # noqa: PTH106, PTH108
        os.rmdir(folder)  # noqa: PTH106
    except OSError:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
