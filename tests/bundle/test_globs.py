"""What `include` globs match, and what no artifact holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from lua_cli.bundle.globs import files_matching, leaves_folder
from lua_cli.source.denied import denied, denied_file
from tests.bundle.projects import write

FILES = ["a.csv", "data/a.csv", "data/b.json", "data/deep/c.csv", "data/deep/deeper/d.csv", "data/.hidden", "[x].csv"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a.csv", ["a.csv"]),
        ("*.csv", ["[x].csv", "a.csv"]),
        ("data/*.csv", ["data/a.csv"]),
        ("data/*", ["data/.hidden", "data/a.csv", "data/b.json"]),
        ("data/**", ["data/.hidden", "data/a.csv", "data/b.json", "data/deep/c.csv", "data/deep/deeper/d.csv"]),
        ("**/*.csv", ["[x].csv", "a.csv", "data/a.csv", "data/deep/c.csv", "data/deep/deeper/d.csv"]),
        ("data/**/d.csv", ["data/deep/deeper/d.csv"]),
        ("data/*/c.csv", ["data/deep/c.csv"]),
        ("data/[ab].*", ["data/a.csv", "data/b.json"]),
        ("./data//a.csv", ["data/a.csv"]),
        ("[[]x].csv", ["[x].csv"]),
        ("data", []),
        ("data/", []),
        ("nothing/*", []),
        ("DATA/*.csv", []),
    ],
)
def test_matches(tmp_path: Path, pattern: str, expected: list[str]) -> None:
    write(tmp_path, dict.fromkeys(FILES, ""))
    found = [path.relative_to(tmp_path).as_posix() for path in files_matching(tmp_path, pattern)]
    assert found == expected


def test_folders_that_nothing_is_bundled_from_are_not_walked(tmp_path: Path) -> None:
    folders = (".git", "venv311", "node_modules", "__pycache__", ".mypy_cache", ".lua", "lib/site-packages")
    write(tmp_path, {f"{folder}/x.csv": "" for folder in folders} | {"venv311/pyvenv.cfg": "", "kept/x.csv": ""})
    assert files_matching(tmp_path, "**/*.csv") == (tmp_path / "kept/x.csv",)
    assert files_matching(tmp_path, "node_modules/**") == (tmp_path / "node_modules",)


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, {"data/a.csv": "", "shared/b.csv": ""})
    (tmp_path / "data" / "all").symlink_to("..")
    (tmp_path / "data" / "shared").symlink_to("../shared")
    found = [path.relative_to(tmp_path).as_posix() for path in files_matching(tmp_path, "data/**")]
    assert found == ["data/a.csv", "data/shared/b.csv"]


@pytest.mark.parametrize("pattern", ["/etc/*", "../x", "data/../../x", "C:/x", "data\\x.csv"])
def test_patterns_that_leave_the_project(pattern: str) -> None:
    assert leaves_folder(pattern)


@pytest.mark.parametrize("pattern", ["data/*", "..data/x", "a..b"])
def test_patterns_that_do_not(pattern: str) -> None:
    assert not leaves_folder(pattern)


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".env.local", ".env.production", "prod.env", ".ENV", "id_rsa", "id_ed25519", "server.pem", "tls.key", "a.p12", "debug.keystore",
        ".netrc", ".npmrc", ".pypirc", ".git-credentials", "credentials", "credentials.json", "client_secret_1234.apps.json", "service-account.json",
        "service_account_prod.json", "secrets.toml", "secrets.prod.yaml", "token.json", "app.db", "app.sqlite3", "app.db-wal", "x.pyc", "fast.so",
        "terraform.tfstate", "kubeconfig",
    ],
)  # fmt: skip
def test_files_that_are_refused(name: str) -> None:
    assert denied_file(name)


@pytest.mark.parametrize(
    "name",
    [
        ".env.example", ".env.sample", "environment.json", "keys.md", "monkey.txt", "tokenizer.json", "secret_santa.csv", "id_rsa.pub", "dbs.csv",
        "credentials_help.md", "prices.json", "key_facts.json",
    ],
)  # fmt: skip
def test_files_that_are_not(name: str) -> None:
    assert denied_file(name) is None


def test_a_file_in_a_denied_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"env/pyvenv.cfg": "", "env/x/y.csv": "", ".git/config": "", "data/x.csv": ""})
    assert denied(tmp_path / "env/x/y.csv", tmp_path) == "in env, a virtual environment"
    assert denied(tmp_path / ".git/config", tmp_path) == "in .git, version control"
    assert denied(tmp_path / "data/x.csv", tmp_path) is None
    assert denied(tmp_path / "env/x/y.csv", tmp_path / "env") is None
