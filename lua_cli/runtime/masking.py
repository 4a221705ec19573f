"""Secrets do not leave a run through its messages. In: the values that the tool was given. Out: a function over text.

Masked are values of names that sound secret, values that look like tokens, and passwords inside of URLs; never short
or plain ones, which would blacken half of the text. The output itself is never touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_SECRET_NAME = re.compile(r"key|token|secret|passw|pwd|credential|auth|dsn|private|signature|cookie", re.IGNORECASE)
_TOKEN = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[^\s/\\:]{16,}")
_URL_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^\s:/@]*:([^\s/@]+)@", re.IGNORECASE)
_SHORTEST = 4
MASK = "***"


def masker(values: Mapping[str, str]) -> Callable[[str], str]:
    """Replaces the secrets among `values` in a text."""
    secrets = set()
    for name, value in values.items():
        if len(value) >= _SHORTEST and (_SECRET_NAME.search(name) or _TOKEN.fullmatch(value)):
            secrets.add(value)
        secrets.update(found for found in _URL_PASSWORD.findall(value) if len(found) >= _SHORTEST)
    if not secrets:
        return lambda text: text
    pattern = re.compile("|".join(re.escape(secret) for secret in sorted(secrets, key=len, reverse=True)))
    return lambda text: pattern.sub(MASK, text)
