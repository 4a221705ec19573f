"""Keys and passwords in text, where their form leaves no doubt. In: text. Out: what kind of secret stands where. The
value goes nowhere.

The detectors are those of detect-secrets whose patterns are issued formats (no entropy, no keywords), and a few formats
that it lacks. Its import costs a third of a second, so it waits until a line has something that could be a key at all.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

_MODULES = (
    "artifactory", "aws", "azure_storage_key", "basic_auth", "discord", "github_token", "gitlab_token", "jwt",
    "mailchimp", "npm", "openai", "private_key", "pypi_token", "sendgrid", "slack", "square_oauth", "stripe",
    "telegram_token", "twilio",
)  # fmt: skip
_FURTHER = (
    ("Anthropic API Key", re.compile(r"\bsk-ant-[A-Za-z0-9_-]{24,}")),
    ("OpenAI API Key", re.compile(r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{24,}")),
    ("Google API Key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
)
_CANDIDATE = re.compile(
    r"PRIVATE KEY|PuTTY-User-Key|://[^\s/:@]+:[^\s@]+@|\b(?=[\w/+=.-]*\d)(?=[\w/+=.-]*[A-Za-z])[\w/+=.:-]{20,}"
)
_PLACEHOLDER = re.compile(
    r"[{}<>$*%]|xxx|\.\.\.|example|change.?me|your[-_]?|\b(?:user|username|pass|password|secret|token)\b", re.IGNORECASE
)
_LOCAL = re.compile(
    r"@(?:localhost|127\.|0\.0\.0\.0|\[::1\]|(?:db|postgres|redis|mysql|mongo)[:/]|[\w.-]*example\.)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Secret:
    """kind: "AWS Access Key" · the columns count characters from 1, the end is the one after the last."""

    kind: str
    line: int
    column: int
    end_column: int


def secrets_in(text: str) -> Iterator[Secret]:
    """The secrets in a text, line by line; each place once."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > 100_000 or not _CANDIDATE.search(line):
            continue
        said: set[tuple[int, int]] = set()
        for kind, value in _found(line):
            start = line.find(value)
            if start >= 0 and (start, len(value)) not in said:
                said.add((start, len(value)))
                yield Secret(kind, number, start + 1, start + len(value) + 1)


def _found(line: str) -> Iterator[tuple[str, str]]:
    for kind, pattern in _FURTHER:
        for match in pattern.finditer(line):
            yield kind, match[0]
    for plugin in _plugins():
        password = plugin.secret_type.startswith("Basic Auth")
        for match in (match for pattern in plugin.denylist for match in pattern.finditer(line)):
            value = match[1] if password else match[0]
            if not _PLACEHOLDER.search(value) and not (password and _LOCAL.search(line)):
                yield plugin.secret_type, value


@cache
def _plugins() -> tuple[Any, ...]:
    found = []
    for name in _MODULES:
        module = importlib.import_module(f"detect_secrets.plugins.{name}")
        classes = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
        found += [value() for value in classes if isinstance(value, type) and hasattr(value, "secret_type")]
    return tuple(found)
