"""Files that no artifact holds, whatever names them: secrets, other people's code, what a machine made for itself.

In: a path. Out: what it is, in words, or None. Looks at names, and for a virtual environment at `pyvenv.cfg`.
"""

from __future__ import annotations

import re
from pathlib import Path

_FOLDERS = {
    **dict.fromkeys((".git", ".hg", ".svn", ".bzr"), "version control"),
    **dict.fromkeys((".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud"), "a folder of credentials"),
    **dict.fromkeys(("site-packages", "node_modules"), "installed packages"),
    **dict.fromkeys(("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"), "a cache"),
    **dict.fromkeys((".cache", ".tox", ".nox", ".eggs"), "a cache"),
    ".lua": "the output of lua-cli",
}
_EXAMPLE = re.compile(r"\.env\.(example|sample|template|dist|defaults?)", re.IGNORECASE)
_FILES = tuple(
    (re.compile(pattern, re.IGNORECASE), what)
    for pattern, what in (
        (r"\.env|\.env\..*|.*\.env", "an environment file"),
        (r"id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx|gpg)", "a key file"),
        (r"\.netrc|_netrc|\.pypirc|\.npmrc|\.yarnrc|\.git-credentials|\.htpasswd|\.pgpass|\.my\.cnf", "credentials"),
        (r"credentials?(\.(json|ya?ml|toml|ini|csv|txt|xml))?", "credentials"),
        (r"(client[_-]?secret|service[_-]?account).*\.json|tokens?\.json", "credentials"),
        (r"secrets?(\..*)?\.(json|ya?ml|toml|ini|txt)", "credentials"),
        (r"application_default_credentials\.json|kubeconfig|terraform\.tfstate.*", "credentials"),
        (r".*\.(db|db3|sqlite|sqlite3|mdb|duckdb)(-(wal|shm|journal))?", "a database"),
        (r".*\.py[co]", "bytecode"),
        (r".*\.(so|pyd|dll|dylib)(\.[0-9.]+)?", "a native library, which runs on one system only"),
        (r"\.DS_Store|Thumbs\.db", "a file of the desktop"),
    )
)


def denied_folder(path: Path) -> str | None:
    """What the folder is, when nothing in it is bundled."""
    if (path / "pyvenv.cfg").is_file():
        return "a virtual environment"
    return _FOLDERS.get(path.name)


def denied_file(name: str) -> str | None:
    """What a file of this name is, when it is not bundled."""
    if _EXAMPLE.fullmatch(name):
        return None
    return next((what for pattern, what in _FILES if pattern.fullmatch(name)), None)


def denied(path: Path, root: Path) -> str | None:
    """What the file is, when it, or a folder between `root` and it, is not bundled."""
    what = denied_file(path.name)
    if what:
        return what
    for folder in path.parents:
        if folder == root or not folder.is_relative_to(root):
            return None
        inside = denied_folder(folder)
        if inside:
            return f"in {folder.name}, {inside}"
    return None
