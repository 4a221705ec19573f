"""ScriptedModel: a model that plays a list of turns, for tests. No network, and the same answer every time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class ScriptError(ValueError):
    """A script that cannot be played. `path` is a JSON Pointer into it."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path or 'the script'}: {message}")
        self.path, self.message = path, message


class ScriptEndedError(AssertionError):
    """The model was asked once more than the script has turns."""


class ScriptedModel:
    """Plays turns, one for each model call::

        model = ScriptedModel([
            {"toolCalls": [{"name": "get_order_status", "arguments": {"order_number": "A-1001"}}]},
            {"text": "Your order has arrived."},
        ])

    A turn is `{"text": "…"}` (an answer), `{"toolCalls": [{"name", "arguments"}]}` (with "text" beside, if wanted), or
    `{"refusal": true}` (or the words of the refusal). `requests` has what it was shown: for each call
    `{"system": "…", "messages": […], "tools": [{"name", "description", "inputSchema"}]}`.

    Raises ScriptError for a turn that is none of these.
    """

    def __init__(self, turns: Iterable[Mapping[str, Any]], name: str = "scripted") -> None:
        self.turns = _checked(list(turns))
        self.name = name
        self.requests: list[dict[str, Any]] = []

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedModel:
        """The script in a JSON file. Raises OSError, json.JSONDecodeError, ScriptError."""
        import json
        from pathlib import Path

        return cls(json.loads(Path(path).read_text("utf-8")), name=f"scripted:{Path(path).name}")

    def play(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request with the next turn. Raises ScriptEndedError when there is none left."""
        self.requests.append(dict(shown))
        count = len(self.requests)
        if count > len(self.turns):
            have = f"{len(self.turns)} turn" + ("" if len(self.turns) == 1 else "s")
            raise ScriptEndedError(f"the script has {have}, and the model was called once more")
        return self.turns[count - 1]

    def assert_finished(self) -> None:
        """Every turn was played."""
        left = len(self.turns) - len(self.requests)
        assert left <= 0, f"{left} of {len(self.turns)} turns were not played"  # noqa: S101  # it is an assertion

    def assert_shown(self, *tools: str, call: int = -1) -> None:
        """These tools were offered (in the last model call, or the one counted from 0)."""
        offered = self._offered(call)
        for tool in tools:
            assert tool in offered, f"{tool} was not offered; there were: {', '.join(offered) or 'none'}"  # noqa: S101

    def assert_not_shown(self, *tools: str, call: int = -1) -> None:
        """None of these tools was offered."""
        offered = self._offered(call)
        for tool in tools:
            assert tool not in offered, f"{tool} was offered"  # noqa: S101

    def assert_prompt_has(self, text: str, call: int = -1) -> None:
        """The system prompt had this text in it."""
        system = self._request(call)["system"]
        assert text in system, f"the prompt has no {text!r}:\n{system}"  # noqa: S101

    def _offered(self, call: int) -> list[str]:
        return [tool["name"] for tool in self._request(call)["tools"]]

    def _request(self, call: int) -> dict[str, Any]:
        assert self.requests, "the model was not called"  # noqa: S101
        return self.requests[call]


def _checked(turns: list[Any]) -> list[dict[str, Any]]:
    return [_turn(turn, f"/{number}") for number, turn in enumerate(turns)]


def _turn(turn: Any, path: str) -> dict[str, Any]:
    if not isinstance(turn, Mapping):
        raise ScriptError(path, 'a turn is an object: {"text": …}, {"toolCalls": […]} or {"refusal": true}')
    unknown = [key for key in turn if key not in ("text", "toolCalls", "refusal")]
    if unknown:
        raise ScriptError(f"{path}/{unknown[0]}", "there is no such key: text, toolCalls and refusal are known")
    if not turn or ("refusal" in turn and len(turn) > 1):
        raise ScriptError(path, "a turn has text, toolCalls (and text), or refusal")
    if "refusal" in turn and turn["refusal"] is not True and not isinstance(turn["refusal"], str):
        raise ScriptError(f"{path}/refusal", "refusal is true, or the words of the refusal")
    if "text" in turn and not isinstance(turn["text"], str):
        raise ScriptError(f"{path}/text", "text is a string")
    if "toolCalls" in turn:
        _calls(turn["toolCalls"], f"{path}/toolCalls")
    return dict(turn)


def _calls(calls: Any, path: str) -> None:
    if not isinstance(calls, list) or not calls:
        raise ScriptError(path, 'toolCalls is a list of {"name", "arguments"}')
    for number, call in enumerate(calls):
        here = f"{path}/{number}"
        if not isinstance(call, Mapping):
            raise ScriptError(here, 'a call is an object: {"name", "arguments"}')
        if not isinstance(call.get("name"), str) or not call["name"]:
            raise ScriptError(f"{here}/name", "name is the tool's name")
        unknown = [key for key in call if key not in ("name", "arguments")]
        if unknown:
            raise ScriptError(f"{here}/{unknown[0]}", "there is no such key: name and arguments are known")
