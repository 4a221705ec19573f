"""SHA-256 of what is small, without OpenSSL: `hashlib` loads it, which costs a fifth of a bare Python.

In: bytes. Out: the digest. Imports nothing of the product.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12 and newer
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # not CPython
            from hashlib import sha256


_LARGE = 1 << 20  # from here on OpenSSL, which is several times as fast, is worth its loading


def sha256_hex(content: bytes) -> str:
    """The SHA-256 of the bytes, as 64 hexadecimal digits."""
    if len(content) > _LARGE:
        import hashlib

        return hashlib.sha256(content).hexdigest()
    return sha256(content).hexdigest()
