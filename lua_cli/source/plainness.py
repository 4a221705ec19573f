"""Lines that hold no secret for certain, told without patterns: `re`, and the patterns of secrets.py, cost more to load
than an edit takes.

In: a line. Out: whether none of the first looks of secrets.py can match in it; False may mean anything. Pure.
"""

from __future__ import annotations

# What stands in a text that a first look of few letters matches; all others match a long word.
_PARTS = (
    "AKC", "AP", "AccountKey=", "GR1348941", "eyJ", ":_authToken", "T3BlbkFJ", "PRIVATE KEY", "PuTTY-User-Key",
    "pypi-Ag", "sq0csp-", "k_live_",
)  # fmt: skip
_IN_ANY_CASE = ("aws", "xox", "hooks.slack.com")
_LONG = 19  # letters, digits, "_" and "-" in a row: "sk-" and sixteen more


def holds_nothing_secret(line: str) -> bool:
    """Whether no secret can stand in the line."""
    if any(part in line for part in _PARTS) or ("://" in line and "@" in line):
        return False
    lowered = line.lower()
    return not any(part in lowered for part in _IN_ANY_CASE) and not _has_long_word(line)


def _has_long_word(line: str) -> bool:
    run = 0
    for character in line:
        run = run + 1 if character.isalnum() or character in "_-" else 0
        if run >= _LONG:
            return True
    return False
