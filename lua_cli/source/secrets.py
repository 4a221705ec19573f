"""Keys and passwords in text, where their form leaves no doubt. In: text. Out: what kind of secret stands where. The
value goes nowhere.

The detectors are those of detect-secrets whose patterns are issued formats (no entropy, no keywords), and a few formats
that it lacks. Its import costs a third of a second, so a first look with regular expressions decides whether it is
asked at all; a test holds that the first look misses nothing that a detector would find. Nothing is verified: no
request leaves the machine. A line with `pragma: allowlist secret` is left alone.
"""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

DETECTORS = (
    "artifactory", "aws", "azure_storage_key", "basic_auth", "discord", "github_token", "gitlab_token", "jwt",
    "mailchimp", "npm", "openai", "private_key", "pypi_token", "sendgrid", "slack", "square_oauth", "stripe",
    "telegram_token", "twilio",
)  # fmt: skip
# One of these matches wherever a detector would, at most _BEFORE characters after its beginning: a part that stands in
# the text then, the pattern, and one for what stands before it. The parts are looked for first: most texts have few of
# them, and a pattern takes as long to make as to look through a file.
_FIRST_LOOKS = (
    ("AKC", r"AKC[a-zA-Z0-9]{10,}(?:\s|\"|$)", r"\s|=|:|\"|^"),
    ("AP", r"AP[\dABCDEF][a-zA-Z0-9]{8,}(?:\s|\"|$)", r"\s|=|:|\"|^"),
    ("A3T", r"A3T[A-Z0-9][0-9A-Z]{16}", ""),
    ("ABIA", r"ABIA[0-9A-Z]{16}", ""),
    ("ACCA", r"ACCA[0-9A-Z]{16}", ""),
    ("AKIA", r"AKIA[0-9A-Z]{16}", ""),
    ("ASIA", r"ASIA[0-9A-Z]{16}", ""),
    ("AccountKey=", r"AccountKey=", ""),
    ("://", r"://[^\s:/?#@]+:[^\s:/?#@]+@", ""),
    (".", r"\.[\w-]{6}\.[\w-]{27}", r"[MNO][\w-]{23,25}"),
    ("gh", r"gh[pousr]_[A-Za-z0-9_]{36}", ""),
    ("gl", r"gl[a-z]{2,5}-[\w-]{20}", ""),
    ("GR1348941", r"GR1348941", ""),
    ("eyJ", r"eyJ[\w=-]+\.", ""),
    ("-us", r"-us[0-9]", r"[0-9a-z]{32}"),
    (":_authToken", r":_authToken", ""),
    ("T3BlbkFJ", r"T3BlbkFJ", ""),
    ("PRIVATE KEY", r"PRIVATE KEY", ""),
    ("PuTTY-User-Key", r"PuTTY-User-Key", ""),
    ("pypi-Ag", r"pypi-Ag", ""),
    ("SG.", r"SG\.[\w-]{22}\.", ""),
    ("sq0csp-", r"sq0csp-", ""),
    ("k_live_", r"k_live_", ""),
    (":", r":[\w-]{35}", r"\d{8}"),
    ("AC", r"AC[a-z0-9]{32}", ""),
    ("AK", r"AK[a-z0-9]{32}", ""),
    ("SC", r"SC[a-z0-9]{32}", ""),
    ("SK", r"SK[a-z0-9]{32}", ""),
)
# The same for what may be written in any case; the parts are in lower case. A pattern that ignores case looks at each
# character.
_IN_ANY_CASE = (
    ("aws", r"(?i:aws.{0,20}?(?:key|pwd|pw|pass|token))"),
    ("xox", r"(?i:xox[abposr]-\d)"),
    ("hooks.slack.com", r"(?i:hooks\.slack\.com)"),
)
_BEFORE, _AFTER = 400, 4000  # what detectors see around a first look: a line may be a whole file
_PROVIDER = "API key of a model provider"
_FURTHER = (
    ("Anthropic API Key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{24,}"),
    ("OpenAI API Key", "sk-", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{24,}"),
    (_PROVIDER, "sk-", r"sk-(?!ant-|proj-|svcacct-|admin-)[A-Za-z0-9_-]{16,}"),
    (_PROVIDER, "gsk_", r"gsk_[A-Za-z0-9]{30,}"),
    (_PROVIDER, "xai-", r"xai-[A-Za-z0-9]{30,}"),
    (_PROVIDER, "pplx-", r"pplx-[A-Za-z0-9]{30,}"),
    ("Google API Key", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    ("Hugging Face Token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("GitHub Token", "github_pat_", r"github_pat_[A-Za-z0-9_]{50,}"),
)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern, made when it is first used."""
    return re.compile(text, re.ASCII)


_PLACEHOLDER = (
    r"(?i)[{}<>$*%…]|x{3}|0{8}|\.\.\.|example|placeholder|dummy|change.?me|your[-_]"
    r"|\b(?:user|username|pass|password|secret|token)\b"
)
_LOCAL = r"(?i)@(?:localhost|127\.|0\.0\.0\.0|\[::1\]|(?:db|postgres|redis|mysql|mongo)[:/]|[\w.-]*example\.)"
_PRIVATE_KEY = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s\"'+,])*[A-Za-z0-9+/=]{16}"
_ALLOWED = r"pragma: ?(?:allow|white)list[ -]secret"
_ALLOWED_NEXT = r"pragma: ?allowlist[ -]nextline[ -]secret"


class Secret(NamedTuple):
    """kind: "AWS Access Key" · the columns count characters from 1, the end is the one after the last.

    fingerprint   names this value in the file of this name, wherever in it the value stands; derived so slowly that it
                  does not help to guess a weak one
    """

    kind: str
    line: int
    column: int
    end_column: int
    fingerprint: str


def secrets_in(text: str, name: str = "") -> Iterator[Secret]:
    """The secrets in the text of a file, in order; each value once."""
    said: set[str] = set()
    for start, value, kind in sorted({*_further(text), *_detected(text)}, key=lambda one: (one[0], -len(one[1]), one)):
        begin = text.rfind("\n", 0, start) + 1
        if value in said or any(value in other for other in said) or _is_allowed(text, begin):
            continue
        said.add(value)
        line, column = text.count("\n", 0, start) + 1, start - begin + 1
        yield Secret(kind, line, column, column + len(value), _fingerprint(name, value))


_Found = tuple[int, str, str]  # offset, value, kind


def _further(text: str) -> Iterator[_Found]:
    """Formats that detect-secrets lacks: letters and digits at random, after a beginning that says whose they are."""
    for kind, part, pattern in _FURTHER:
        for match in _pattern(pattern).finditer(text) if part in text else ():
            begins_word = match.start() == 0 or not re.match("[A-Za-z0-9_]", text[match.start() - 1])
            if begins_word and _is_random(match[0]) and not re.search(_PLACEHOLDER, match[0]):
                yield match.start(), match[0], kind


def looks_like_one(text: str) -> list[int]:
    """Where a detector might find something, ascending."""
    found: list[int] = []
    for part, look, before in _FIRST_LOOKS:
        for match in _pattern(look).finditer(text) if part in text else ():
            here = match.start()
            if not before or _pattern(f"(?:{before})$").search(text[max(0, here - 60) : here]):
                found.append(here)
    lowered = text.lower()
    found += [here.start() for part, look in _IN_ANY_CASE if part in lowered for here in _pattern(look).finditer(text)]
    return sorted(found)


def _detected(text: str) -> Iterator[_Found]:
    """What the detectors find; they read lines, of which they get the part around a first look."""
    seen_to = 0
    for position in looks_like_one(text):
        if position < seen_to:
            continue
        begin = max(text.rfind("\n", 0, position) + 1, position - _BEFORE)
        line_end = text.find("\n", position)
        end = min(line_end if line_end >= 0 else len(text), position + _AFTER)
        seen_to = min(end, position + _AFTER - _BEFORE)
        part = text[begin:end]
        for detector in _detectors():
            for start, value in _matches(detector, part):
                if _is_meant(detector.secret_type, value, part, text):
                    yield begin + start, value, detector.secret_type


def _matches(detector: Any, line: str) -> Iterator[tuple[int, str]]:
    """Where a detector's patterns match. Its own `analyze_string` gives for some of them a part of the token."""
    group = 1 if detector.secret_type.startswith("Basic Auth") else 0
    for pattern in detector.denylist:
        for match in pattern.finditer(line):
            if not hasattr(detector, "is_formally_valid") or detector.is_formally_valid(match[0]):
                yield match.start(group), match[group]


def _is_meant(kind: str, value: str, line: str, text: str) -> bool:
    """Code may speak of private keys; an account's number is no secret, nor is the password of an example."""
    if kind == "Private Key":
        return bool(re.search(_PRIVATE_KEY, text)) or value.startswith("PuTTY")
    if kind == "Twilio API Key" and value.startswith("AC"):
        return False
    if kind == "Basic Auth Credentials" and re.search(_LOCAL, line):
        return False
    return not re.search(_PLACEHOLDER, value)


def _is_random(value: str) -> bool:
    counts = Counter(value)
    entropy = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return entropy >= 3.0 and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_allowed(text: str, begin: int) -> bool:
    """Whether the line at `begin`, or the one before it, says that this is none."""
    end = text.find("\n", begin)
    line = text[begin : end if end >= 0 else len(text)]
    before = text[text.rfind("\n", 0, max(begin - 1, 0)) + 1 : begin]
    return bool(re.search(_ALLOWED, line) or re.search(_ALLOWED_NEXT, before))


def _fingerprint(name: str, value: str) -> str:
    import hashlib  # loads OpenSSL, for the few texts that have one

    derived = hashlib.pbkdf2_hmac("sha256", value.encode("utf-8", "replace"), name.encode("utf-8", "replace"), 200_000)
    return derived.hex()[:12]


@cache
def _detectors() -> tuple[Any, ...]:
    found = []
    for name in DETECTORS:
        module = importlib.import_module(f"detect_secrets.plugins.{name}")
        classes = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
        found += [value() for value in classes if isinstance(value, type) and hasattr(value, "secret_type")]
    return tuple(found)
