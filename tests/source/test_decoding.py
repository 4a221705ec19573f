"""The text of a source is what Python's own reader of encodings says, also where it is not asked."""

from __future__ import annotations

import io
import tokenize

import pytest

from lua_cli.source.decoding import decode

SOURCES = [
    b"",
    b"x = 1",
    b"# plain\nx = '\xc3\xa9'\n",
    b"\xef\xbb\xbfx = 1\n",
    b"# coding: latin-1\nx = '\xe9'\n",
    b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\nx = '\xe9'\n",
    b"#" * 5000 + b"\n# vim: set fileencoding=latin-1 :\nx = '\xe9'\n",
    b"x = 1\ny = 2\n# coding: latin-1\nz = '\xc3\xa9'\n",
    b"# \xc3\xa9\n# coding: utf-8\nx = 1\n",
]


@pytest.mark.parametrize("data", SOURCES)
def test_a_source_is_decoded_as_python_does(data: bytes) -> None:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    assert decode(data) == data.decode(encoding)
