"""No network for this process from here on. In: nothing. Out: connecting and looking up names fail as on a machine
without a network.

An audit hook: what goes through Python's sockets is stopped, which is what imports do; a library that opens sockets
in C is not.
"""

from __future__ import annotations

import errno
import socket
import sys
from typing import Any

_LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")


def go_offline(why: str) -> None:
    """Stop this process, and what it forks, from connecting; what fails says `why`."""
    sys.addaudithook(lambda event, arguments: _hook(event, arguments, why))


def _hook(event: str, arguments: tuple[Any, ...], why: str) -> None:
    if event in ("socket.connect", "socket.sendto") and arguments[0].family in (socket.AF_INET, socket.AF_INET6):
        raise OSError(errno.ENETUNREACH, f"{why} (to {_address(arguments[1])})")
    if event in _LOOKUPS and arguments[0] not in (None, "", b"", "localhost", socket.gethostname()):
        raise socket.gaierror(socket.EAI_AGAIN, f"{why} (looked up {arguments[0]})")


def _address(address: Any) -> str:
    return ":".join(str(part) for part in address[:2]) if isinstance(address, tuple) else str(address)
