"""Runs of one case against a real model → a verdict. In: what became of each run. Out: `Tally`: counts, an interval,
what is wrong. Runs that did not reach the model are neither good nor wrong. Plays nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lua_cli.errors import LuaError
from lua_cli.records import field, record

_Z = 1.96  # of a 95 % interval


@record
class Run:
    """One run: what differs; `lost` is why the model could not be reached."""

    found: list[str] = field(default_factory=list)
    lost: LuaError | None = None
    answer: str = ""
    logs: str = ""


@record(frozen=True)
class Tally:
    """What all runs come to. `asked` may be more than there are runs, when it made no sense to go on."""

    runs: Sequence[Run]
    asked: int
    min_pass: float

    @property
    def good(self) -> int:
        return sum(1 for run in self.runs if run.lost is None and not run.found)

    @property
    def wrong(self) -> int:
        return sum(1 for run in self.runs if run.lost is None and run.found)

    @property
    def lost(self) -> int:
        return self.asked - self.good - self.wrong

    @property
    def unreached(self) -> LuaError | None:
        """Why nothing can be said: the runs that did not reach the model would decide. None when something can."""
        needed = self.min_pass * self.asked
        open_ = self.good < needed <= self.good + self.lost
        return next(run.lost for run in self.runs if run.lost is not None) if open_ else None

    @property
    def message(self) -> str | None:
        """What is wrong; None when nothing is."""
        if self.good >= self.min_pass * self.asked:
            return None
        lost = next((run.lost for run in self.runs if run.lost is not None), None)
        hint = f" ({lost.hint})" if lost is not None and lost.hint else ""
        why = "" if lost is None else f"{lost.message}{hint}"
        if self.good + self.wrong == 0:
            return f"not played: no run reached the model: {why}" if self.asked > 1 else f"not played: {why}"
        first = next((run.found for run in self.runs if run.found), [])
        if self.asked == 1:
            return "\n".join(first)
        low, high = interval(self.good, self.good + self.wrong)
        share = f"{self.good} of {self.good + self.wrong} runs were good (95 % interval {low:.0%} to {high:.0%})"
        apart = f"; {self.lost} more did not reach the model ({why})" if self.lost else ""
        return "\n".join([f"{share}, wanted {self.min_pass:.0%} of {self.asked}{apart}", *first])

    def document(self) -> dict[str, Any]:
        """The counts, as JSON."""
        counted = self.good + self.wrong
        between = [round(end, 4) for end in interval(self.good, counted)] if counted else None
        counts = {"asked": self.asked, "good": self.good, "wrong": self.wrong, "unreached": self.lost}
        return {**counts, "interval": between, "minPass": self.min_pass}


def interval(good: int, runs: int) -> tuple[float, float]:
    """Wilson's interval for the share that `good` of `runs` stands for, at 95 %."""
    share, squared = good / runs, _Z * _Z / runs
    middle = share + squared / 2
    spread = _Z * math.sqrt(share * (1 - share) / runs + squared / (4 * runs))
    return max(0.0, (middle - spread) / (1 + squared)), min(1.0, (middle + spread) / (1 + squared))
