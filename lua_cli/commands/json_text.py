"""One JSON document as stdout gets it. In: a value. Out: text, safe for any encoding of the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice

_PIECE = 1 << 12  # tokens: a line has about four


def json_text(document: object) -> str:
    """The document, with characters as they are where stdout can show all of them."""
    return "".join(json_pieces(document))


def json_pieces(document: object) -> Iterator[str]:
    """The same, piece by piece: that of a large project would weigh several times what it says."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    encoder = json.JSONEncoder(ensure_ascii=encoding != "utf8", indent=2, allow_nan=False)
    tokens = encoder.iterencode(document)
    while piece := "".join(islice(tokens, _PIECE)):
        yield piece
    yield "\n"
