"""Tries a tool with drawn inputs. In: an artifact, a tool, options. Out: how many were tried, and the smallest input
that fails.

A failure is a crash, a time limit, an output that is no JSON, or an exception that looks like a mistake (a TypeError,
an IndexError …); with `strict` any exception. An input that the model refuses is no failure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.child.environment import declared_values
from lua_cli.errors import UsageError
from lua_cli.probe.json_schema import validator_of
from lua_cli.records import record, replace
from lua_cli.runtime.model import RunError, RunOptions, RunResult
from lua_cli.runtime.running import run_tool, start
from lua_cli.runtime.shrinking import measure, simpler

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.child.launch import Ended

_BATCH, _ROUNDS, _CANDIDATES = 25, 10, 50
_MISTAKES = frozenset(
    [
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "FloatingPointError",
        "IndexError",
        "KeyError",
        "NameError",
        "NotImplementedError",
        "OverflowError",
        "RecursionError",
        "StopIteration",
        "TypeError",
        "UnboundLocalError",
        "UnicodeDecodeError",
        "UnicodeEncodeError",
        "ZeroDivisionError",
    ]
)


@record(frozen=True)
class Fuzzed:
    """What came of it: `tried` inputs; `failing` is the smallest one that failed, with its `result`; None when none
    did.
    """

    tried: int
    failing: Any = None
    result: RunResult | None = None


def fuzz_tool(
    opened: OpenedArtifact,
    tool: str,
    options: RunOptions,
    *,
    examples: int,
    seed: int,
    strict: bool = False,
    progress: Callable[[int], None] = lambda _count: None,
) -> Fuzzed:
    """Try `tool` with up to `examples` inputs; a failing one is made smaller as long as it fails.

    The same seed draws the same inputs. Raises UsageError without hypothesis.
    """
    entry = next(entry for entry in opened.manifest["tools"] if entry["name"] == tool)
    trial = _Trial(opened, entry, options, strict, progress)
    drawn = _drawn(entry["inputSchema"], examples, seed)
    failing = trial.failing(drawn)
    if not failing:
        return Fuzzed(trial.count)
    value = min(failing, key=measure)
    fits = validator_of(entry["inputSchema"]).is_valid
    for _ in range(_ROUNDS):
        smaller = trial.failing([candidate for candidate in simpler(value, _CANDIDATES) if fits(candidate)])
        if not smaller:
            break
        value = min(smaller, key=measure)
    result = run_tool(opened, tool, json.dumps(value), options)
    if result.error is None:
        message = "it failed with this input before and does not now: something else decides"
        result = replace(result, error=RunError("tool-error", message))
    return Fuzzed(trial.count, value, result)


class _Trial:
    """Makes calls, many in one child, and counts them."""

    def __init__(
        self, opened: OpenedArtifact, entry: Mapping[str, Any], options: RunOptions, strict: bool,
        progress: Callable[[int], None],
    ) -> None:  # fmt: skip
        from lua_cli.bundle import unpack

        self._entry, self._options, self._strict, self._progress = entry, options, strict, progress
        self._opened = opened
        self._artifact = unpack(opened, options.cache).resolve()
        names = opened.manifest["env"]
        self._values = declared_values(names, options.project, env_file=options.env_file, first=options.env)
        self.count = 0

    def failing(self, values: Sequence[Any]) -> list[Any]:
        """Those of the values that the tool fails with: it raised, crashed, hung or returned what is no JSON."""
        if "flow" in self._entry:
            return [value for value in values if self._chain_fails(value)]
        out = []
        for begin in range(0, len(values), _BATCH):
            batch = values[begin : begin + _BATCH]
            request = {"do": "tries", "inputs": [json.dumps(value) for value in batch], "each": self._options.timeout}
            ended = self._ended(request, self._options.timeout * len(batch))
            good = {frame["number"] for letter, frame in ended.frames if letter == "R" and not self._fails(frame)}
            out += [value for number, value in enumerate(batch) if number not in good]
            self.count += len(batch)
            self._progress(self.count)
        return out

    def _chain_fails(self, value: Any) -> bool:
        """Whether a chain of flows fails: what it says by failing counts with `strict` alone."""
        result = run_tool(self._opened, self._entry["name"], json.dumps(value), self._options)
        self.count += 1
        self._progress(self.count)
        return result.error is not None and (self._strict or result.error.type != "tool-error")

    def _ended(self, request: Mapping[str, Any], timeout: float) -> Ended:
        artifact, entry, values = self._artifact, self._entry, self._values
        return start(artifact, entry, lambda: request, values, self._options, timeout=timeout, finals="")

    def _fails(self, frame: Mapping[str, Any]) -> bool:
        if frame["ok"] or frame["kind"] == "input":
            return False
        return frame["kind"] != "raised" or self._strict or frame["type"] in _MISTAKES


def _drawn(schema: Mapping[str, Any], examples: int, seed: int) -> list[Any]:
    """Values that fit the schema, each once."""
    hypothesis = _hypothesis()
    from lua_cli.runtime.drawing import inputs_for

    found: dict[str, Any] = {}

    def take(value: Any) -> None:
        found.setdefault(json.dumps(value), value)

    settings = hypothesis.settings(
        max_examples=examples, database=None, deadline=None, phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck), verbosity=hypothesis.Verbosity.quiet,
    )  # fmt: skip
    try:
        settings(hypothesis.seed(seed)(hypothesis.given(inputs_for(schema))(take)))()
    except hypothesis.errors.Unsatisfiable as error:
        raise UsageError("no input could be drawn that fits the tool's schema", hint="write cases by hand") from error
    return list(found.values())


def _hypothesis() -> Any:
    try:
        import hypothesis
        import hypothesis.errors
    except ImportError as error:
        raise UsageError("lua fuzz needs hypothesis", hint="pip install 'lua-cli[fuzz]'") from error
    return hypothesis
