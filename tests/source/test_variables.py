"""Names of environment variables that are computed, variables of settings classes, and what only one machine has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.project import open_project
from lua_cli.source import SourceIndex

Write = Callable[[Mapping[str, str]], Path]

OTHER = 'TOKEN = "OTHER_TOKEN"\nREGIONS = ("EU", "US")\n\n\nclass Leaf:\n    token_env = "LEAF_TOKEN"\n'


def computed(write_project: Write, text: str) -> tuple[list[str], bool]:
    """The names of the one computed read of `agent.py`, and whether they are all."""
    root = write_project({"agent.py": "import os\nfrom lua_cli import env\n" + text, "other.py": OTHER})
    index = SourceIndex(open_project(root))
    other = index.locate("other")
    assert other is not None
    (read,) = index.computed_reads(index.entry())
    names = index.variables([index.entry(), other]).names(index.entry().dotted, read.span)
    return sorted(names.found), names.complete


@pytest.mark.parametrize(
    ("text", "names", "complete"),
    [
        ('NAME = "A"\nenv(NAME)\n', ["A"], True),
        ("from other import TOKEN\nenv(TOKEN)\n", ["OTHER_TOKEN"], True),
        ("import other\nenv(other.TOKEN)\n", ["OTHER_TOKEN"], True),
        ("class T:\n    def f(self): return env(self.token_env)\n", ["LEAF_TOKEN"], True),
        (
            'class T:\n    token_env = "T"\n    def f(self): return os.environ[self.token_env]\n',
            ["LEAF_TOKEN", "T"],
            True,
        ),
        ("class T:\n    def __init__(self, e): self.token_env = e\n    def f(self): return env(self.token_env)\n",
         ["LEAF_TOKEN"], False),
        ('def f(): return {k: os.environ.get(k) for k in ("A", "B")}\n', ["A", "B"], True),
        ('def f():\n    for k in ["A", "B"]:\n        os.getenv(k)\n', ["A", "B"], True),
        ('NAMES = ["A", "B"]\ndef f():\n    return [os.getenv(n) for n in NAMES]\n', ["A", "B"], True),
        ('NAMES = {"A": 1, "B": 2}\ndef f():\n    return [os.getenv(n) for n in NAMES]\n', ["A", "B"], True),
        ('from other import REGIONS\nx = [os.getenv(f"KEY_{r}") for r in REGIONS]\n', ["KEY_EU", "KEY_US"], True),
        ('def f(region): return os.environ[f"KEY_{region}"]\nf("EU")\nf(region="US")\n', ["KEY_EU", "KEY_US"], True),
        ('def f(region): return os.environ[f"KEY_{region}"]\nf("EU")\nf(input())\n', ["KEY_EU"], False),
        ('def f(region="EU"): return os.environ["KEY_" + region]\n', ["KEY_EU"], True),
        ("def f(region): return os.environ[region]\n", [], False),
        ("def f(*, region): return os.environ[region]\n", [], False),
        (
            'class T:\n    def get(self, key): return env(key)\n    def f(self): return self.get("A")\n',
            ["A"],
            True,
        ),
        ('def f(x):\n    name = "A" if x else "B"\n    return env(name)\n', ["A", "B"], True),
        ('def f(x):\n    if (name := "A"):\n        return env(name)\n', ["A"], True),
        ('def f(x):\n    name: str = "a".upper()\n    return env(name)\n', ["A"], True),
        ('name = "A"\nname = name\nenv(name)\n', ["A"], False),
        ("f = lambda key: env(key)\n", [], False),
        ("def f(names): return [env(n) for n in names]\n", [], False),
        ('env(name=f"{1}")\n', [], False),
        ("env(*())\nenv(undefined)\n", [], False),
    ],
)  # fmt: skip
def test_names_that_are_computed(write_project: Write, text: str, names: list[str], complete: bool) -> None:
    assert computed(write_project, text) == (names, complete)


def test_names_that_would_be_too_many_are_not_told(write_project: Write) -> None:
    digits = ", ".join(f'"{n}"' for n in range(20))
    text = f"def f():\n    return [env(a + b) for a in ({digits}) for b in ({digits})]\n"
    assert computed(write_project, text) == ([], False)


SETTINGS = """\
from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict
from typing import ClassVar

class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ACME_")
    limits: ClassVar[int] = 3
    crm_token: str
    page: int = 10
    url: str = Field(validation_alias="CRM_URL")
    either: str = Field(validation_alias=AliasChoices("EITHER_A", "EITHER_B"))
    dots: str = Field(...)
    made: str = Field(default_factory=str)
    _own: int = 1

class Old(BaseSettings):
    Key: str
    class Config:
        case_sensitive = True
        env_prefix = "old_"

class Plain(BaseSettings):
    model_config = {"env_prefix": "P_"}
    key: str = "x"
"""


def test_a_settings_class_reads_a_variable_for_each_field(write_project: Write) -> None:
    index = SourceIndex(open_project(write_project({"agent.py": SETTINGS})))
    assert [(read.name, read.has_default) for read in index.env_reads(index.entry())] == [
        ("ACME_CRM_TOKEN", False), ("ACME_PAGE", True), ("CRM_URL", False), ("EITHER_A", True), ("EITHER_B", True),
        ("ACME_DOTS", False), ("ACME_MADE", True), ("old_Key", False), ("P_KEY", True),
    ]  # fmt: skip


def local(write_project: Write, text: str) -> list[tuple[str, str]]:
    index = SourceIndex(open_project(write_project({"agent.py": text})))
    return [(thing.kind, thing.text) for thing in index.local_things(index.entry())]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('x = "http://localhost:8000"', [("address", "http://localhost:8000")]),
        ('x = "HTTP://LOCALHOST/api"', [("address", "HTTP://LOCALHOST/api")]),
        ('x = "postgresql://u@127.0.0.1/db"', [("address", "postgresql://u@127.0.0.1/db")]),
        ('x = f"http://localhost:{port}/"', [("address", "http://localhost:")]),
        ('x = "http://[::1]:80"', [("address", "http://[::1]:80")]),
        ('x = "https://printer.local"', [("address", "https://printer.local")]),
        ('x = "https://localhost.example.com"', []),
        ('x = "https://api.local.example"', []),
        ('x = "see http://localhost:3000 for it"', []),
        ('"""http://localhost"""\ndef f():\n    "http://localhost"', []),
        ('if __name__ == "__main__":\n    x = "http://localhost"', []),
        ('x = "/Users/me/out"; y = "/home/me/x"; z = "~/x"', [("path", "/Users/me/out"), ("path", "/home/me/x"), ("path", "~/x")]),
        (r'x = "C:\\Users\\me"; y = "d:/data"; z = "https://x"', [("path", "C:\\Users\\me"), ("path", "d:/data")]),
        ('x = "/users/{id}"; y = "/homepage"; z = "/tmp/x"', []),
        ('import sqlite3\nsqlite3.connect("./crm.db")', [("file", "./crm.db")]),
        ('import sqlite3\nsqlite3.connect(":memory:")\nsqlite3.connect("file:x?mode=memory", uri=True)', []),
        ('open("rates.json")\nopen("a", "r")\nopen("b", mode="rb")', [("file", "rates.json"), ("file", "a"), ("file", "b")]),
        ('open("w.txt", "w")\nopen("x", mode="a")\nopen(name)\nopen("/etc/hosts")\nopen("m", mode)', []),
        ('Path("a/b.json").read_text()\npathlib.Path("c").open()', [("file", "a/b.json"), ("file", "c")]),
        ('Path("a").write_text("")\nPath("b").open("w")\nPath(__file__).read_text()', []),
    ],
)  # fmt: skip
def test_what_only_this_machine_has(write_project: Write, text: str, found: list[tuple[str, str]]) -> None:
    assert local(write_project, text) == found
