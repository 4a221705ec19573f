"""One JSON document as stdout gets it. In: a value. Out: text, safe for any encoding of the terminal."""

from __future__ import annotations

import json
import sys


def json_text(document: object) -> str:
    """The document, with characters as they are where stdout can show all of them."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return json.dumps(document, ensure_ascii=encoding != "utf8", indent=2, allow_nan=False) + "\n"
