"""The limits of each provider, as data: what its API refuses, from its documentation and its error messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lua_cli.errors import UsageError
from lua_cli.records import record


@record(frozen=True)
class Limits:
    """name: what a tool may be called, and `name_words` the same in words · description: its longest · tools: the most
    in one request."""

    title: str
    name: re.Pattern[str]
    name_words: str
    description: int | None = None
    tools: int | None = None


PROVIDERS: Mapping[str, Limits] = {
    "openai": Limits(
        "OpenAI",
        re.compile(r"[a-zA-Z0-9_-]{1,64}"),
        "letters, digits, `_` and `-`, at most 64",
        description=1024,
        tools=128,
    ),
    "openai-strict": Limits(
        "OpenAI (strict)",
        re.compile(r"[a-zA-Z0-9_-]{1,64}"),
        "letters, digits, `_` and `-`, at most 64",
        description=1024,
        tools=128,
    ),
    "anthropic": Limits("Anthropic", re.compile(r"[a-zA-Z0-9_-]{1,128}"), "letters, digits, `_` and `-`, at most 128"),
    "gemini": Limits(
        "Gemini",
        re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}"),
        "a letter or `_` first, at most 64 characters",
        tools=512,
    ),
}
GENERALLY_CHECKED = ("openai", "anthropic", "gemini")


def checked_providers(names: Iterable[str]) -> tuple[str, ...]:
    """The names given to `--for`, without repetition. Raises UsageError for one that is not known."""
    chosen = tuple(dict.fromkeys(name.strip().lower() for name in names if name.strip()))
    for name in chosen:
        if name not in PROVIDERS:
            raise UsageError(f"no model provider {name!r}", hint="one of " + ", ".join(PROVIDERS))
    return chosen
