"""A child inside of bubblewrap. In: the command of a child, what it must reach. Out: the command that wraps it. Runs
in the parent.

Inside there are the system's libraries, the Python, the SDK, the artifact, the run's own folders, and nothing else:
no project, no home, no other process, and no network unless it is asked for.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lua_cli.errors import UsageError
from lua_cli.records import record

PACKAGE = Path(__file__).parent.parent
_SERVED = ("__init__.py", "_version.py", "sdk", "child")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_CONFIGURATION = (
    "/etc/ssl", "/etc/ca-certificates", "/etc/pki", "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf",
    "/etc/localtime", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
)  # fmt: skip
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@record(frozen=True)
class Sandbox:
    """What a sandbox lets through: `network`, and folders that are read besides the Python's own (`reads`)."""

    network: bool = False
    reads: tuple[Path, ...] = ()


def find_bubblewrap() -> str:
    """The program. Raises UsageError, saying what to do, where there is none."""
    found = shutil.which("bwrap")
    if sys.platform != "linux":
        raise UsageError("--sandbox needs Linux", hint="without it a tool has a process of its own and its limits")
    if found is None:
        raise UsageError(
            "--sandbox needs bubblewrap, and there is no `bwrap` on the PATH", hint="apt install bubblewrap"
        )
    return found


def wrapped(
    command: list[str], sandbox: Sandbox, *, interpreter: Path, folder: Path, work: Path, environment: Mapping[str, str]
) -> list[str]:
    """`command` inside of a sandbox that can write into `folder` alone. Raises UsageError without bubblewrap."""
    out = [find_bubblewrap(), "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    out += ["--share-net"] if sandbox.network else []
    for path in _SYSTEM:
        if os.path.islink(path):  # noqa: PTH114
            out += ["--symlink", os.readlink(path), path]  # noqa: PTH115
        elif os.path.isdir(path):  # noqa: PTH112
            out += ["--ro-bind", path, path]
    out += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108  # the sandbox's own
    reads = [
        *_CONFIGURATION,
        *_python(interpreter),
        *(str(PACKAGE / name) for name in _SERVED),
        *map(str, sandbox.reads),
    ]
    reads += [environment[name] for name in _CERTIFICATES if name in environment]
    for path in dict.fromkeys(reads):
        out += ["--ro-bind-try", path, path]
    return [*out, "--bind", str(folder), str(folder), "--chdir", str(work), "--", *command]


def _python(executable: Path) -> Iterator[str]:
    """The folders of a Python: its environment, and the installation that the environment was made of."""
    for place in _chain(executable):
        prefix = place.parent.parent
        if str(prefix) not in ("/", "/usr"):
            yield str(prefix)
        try:
            config = (prefix / "pyvenv.cfg").read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        home = re.search(r"^home\s*=\s*(.+)$", config, re.MULTILINE)
        if home and Path(home[1].strip()).parent != Path("/usr"):
            yield str(Path(home[1].strip()).parent)


def _chain(path: Path) -> Iterable[Path]:
    """A path and everything that it links to, one link at a time."""
    yield path
    for _ in range(20):
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))
        yield path
