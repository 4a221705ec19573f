"""Bytes of a source file → its text, as Python reads it. In: bytes. Out: text with `\\n` line ends, or DecodeError.
Reads no files.

The encoding is the byte order mark's or PEP 263's comment's, else UTF-8.
"""

from __future__ import annotations

MAX_SOURCE = 10 * 1024 * 1024  # an artifact refuses larger files too; no module written by hand comes near


class DecodeError(Exception):
    """The bytes are no text. `offset` is that of the first bad byte, 0 where it is not known."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


def _encoding(data: bytes) -> str:
    second = data.find(b"\n", data.find(b"\n") + 1)
    head = data if second < 0 else data[:second]
    if b"coding" not in head and head.isascii():  # as in most files, and asking `tokenize` takes longer
        return "utf-8"
    import io
    import tokenize

    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]


def decode(data: bytes) -> str:
    """The text of a source file. Raises DecodeError."""
    if len(data) > MAX_SOURCE:
        raise DecodeError(
            f"the file is larger than {MAX_SOURCE // (1024 * 1024)} MiB: no Python source is read from it"
        )
    nul = data.find(b"\0")
    if nul >= 0:
        raise DecodeError("the file contains a NUL byte, which Python refuses in a source", nul)
    try:
        encoding = _encoding(data)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DecodeError(
            f"the file is not {error.encoding.upper()}: byte {error.start} cannot be decoded", error.start
        ) from error
    except (SyntaxError, LookupError, ValueError) as error:
        raise DecodeError(f"the encoding cannot be used: {getattr(error, 'msg', None) or error}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
