"""The environment of a child, built from nothing. In: declared names, the project's folder. Out: a mapping. Runs in
the parent.

A tool sees PATH, the language, proxies and certificates, and the names that its skill's manifest declares; nothing
else of the user's environment. Values come from, first one first: what a case says, the process's environment,
`--env-file`, the project's `.env`. No other `.env` is read.
"""

from __future__ import annotations

import os

from lua_cli.errors import NotFoundError

TYPE_CHECKING = False  # what type checkers take for true; what a run is begun with is loaded before all else
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PLACEHOLDER = "lua-placeholder"
_PASSED = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
)  # fmt: skip


def child_environment(declared: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The whole environment of a child whose skill declares these values."""
    return {"LANG": "C.UTF-8", **{name: environ[name] for name in _PASSED if name in environ}, **declared}


def declared_values(
    names: Iterable[str],
    root: Path | None,
    *,
    env_file: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    first: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The values of those of `names` that are set anywhere. Raises as `value_places`."""
    places = [first or {}, *value_places(root, env_file=env_file, environ=environ).values()]
    found = {}
    for name in sorted(names):
        for place in places:
            if name in place:
                found[name] = place[name]
                break
    return found


def value_places(
    root: Path | None, *, env_file: Path | None = None, environ: Mapping[str, str] = os.environ
) -> dict[str, Mapping[str, str]]:
    """Where values come from, the first place first: what it is called → the values there.

    Raises NotFoundError for an `env_file` that is not there, UsageError for a file that cannot be read.
    """
    places: dict[str, Mapping[str, str]] = {"the shell": environ}
    if env_file is not None:
        if not env_file.is_file():
            raise NotFoundError(f"no such file: {env_file}", hint="--env-file names a file of NAME=value lines")
        places[str(env_file)] = _read(env_file)
    if root is not None and (root / ".env").is_file():
        places[".env"] = _read(root / ".env")
    return places


def _read(path: Path) -> Mapping[str, str]:
    from lua_cli.project.envfile import read_env_file

    return read_env_file(path)
