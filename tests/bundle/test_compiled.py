"""Whole projects through `lua compile`: what the artifacts hold, and that they are the same from one project in two forms."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.bundle.projects import write
from tests.conftest import Result

TOOL = '''\
"""Rates."""

import json
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool, env
from shop.client import fetch

HERE = Path(__file__).parent


class Query(BaseModel):
    city: str


class GetRate(LuaTool[Query]):
    name = "get_rate"
    description = """Look up the delivery rate of a city.
    Use when the customer asks what delivery costs."""
    input_schema = Query

    def execute(self, input: Query) -> float:
        env("SHOP_TOKEN")
        return json.loads((HERE / "rates.json").read_text())[input.city] + fetch()
'''
AGENT = """\
from lua_cli import LuaAgent, LuaSkill
from tools.rate import GetRate

rates = LuaSkill(
    name="rates",
    context="Use get_rate for questions about delivery.",
    tools=[GetRate()],
    instructions="texts/rates.md",
)
agent = LuaAgent(name="acme", skills=[rates])
"""
FILES: dict[str, str | bytes] = {
    ".env.example": "SHOP_TOKEN=\n",
    "pyproject.toml": '[tool.lua]\ninclude = ["data/*"]\n',
    "agent.py": AGENT,
    "tools/rate.py": TOOL,
    "tools/rates.json": '{"Köln": 4.5}',
    "shop/__init__.py": "",
    "shop/client.py": "def fetch() -> float:\n    return 0.0\n",
    "texts/rates.md": "# Rates\n\nIn euros.\n",
    "data/table.bin": b"\r\n\x00",
}
MEMBERS = [
    "manifest.json", "data/table.bin", "shop/__init__.py", "shop/client.py", "texts/rates.md", "tools/rate.py", "tools/rates.json",
]  # fmt: skip
JUNK = {
    ".env": "SHOP_TOKEN=1", ".env.production": "X=1", "data/.env.local": "X=1", "data/id_rsa": "x", "data/shop.db": "x", ".netrc": "x",
    ".git/config": "x", ".venv/junk.txt": "x", "venv311/pyvenv.cfg": "home = /", "venv311/lib/x.py": "x = 1", "node_modules/x.js": "x",
    "tools/__pycache__/rate.cpython-39.pyc": "x", ".mypy_cache/x": "x", "dist/x.whl": "x", "tools/unused.py": "x = 1", "nested/.git/x": "x",
    "data.parquet": "x" * 100_000, ".gitignore": "!keep\n/rooted \r\ndir/\n",
}  # fmt: skip

Lua = Callable[..., Result]


def compiled(root: Path, lua: Lua) -> dict[str, object]:
    result = lua("compile", "--ci", "--format", "json", cwd=root)
    document: dict[str, object] = json.loads(result.stdout)
    assert document["ok"], document["diagnostics"]
    return document


def members(root: Path, skill: str = "rates") -> list[str]:
    with zipfile.ZipFile(root / ".lua" / "artifacts" / f"{skill}.luapkg") as archive:
        return archive.namelist()


def test_only_what_is_needed_is_bundled_whatever_lies_around(tmp_path: Path, lua: Lua) -> None:
    document = compiled(write(tmp_path, {**FILES, **JUNK}), lua)
    assert members(tmp_path) == MEMBERS
    said = sorted((d["code"], d["message"].split("`")[1]) for d in document["diagnostics"])  # type: ignore[attr-defined]
    assert said == [("lua/refused-file", f"data/{name}") for name in (".env.local", "id_rsa", "shop.db")]


def test_a_checkout_with_crlf_is_the_same_skill(tmp_path: Path, lua: Lua) -> None:
    def digest(name: str, newline: bytes) -> object:
        files = {
            path: content if isinstance(content, bytes) else content.encode().replace(b"\n", newline)
            for path, content in FILES.items()
        }
        skills = compiled(write(tmp_path / name, files), lua)["skills"]
        assert isinstance(skills, list)
        return skills[0]["digest"]

    assert digest("lf", b"\n") == digest("crlf", b"\r\n")


def test_the_artifact_runs_what_was_bundled(tmp_path: Path, lua: Lua) -> None:
    write(tmp_path, FILES)
    args = ("test", "--ci", "skill", "--name", "get_rate", "--input", '{"city": "Köln"}', "--json")
    result = lua(*args, cwd=tmp_path, env={"SHOP_TOKEN": "x"})
    assert json.loads(result.stdout)["output"] == 4.5, result


def test_a_secret_is_shown_by_place_and_never_by_value(tmp_path: Path, lua: Lua) -> None:
    value = "kX81" + "pQz7Lw"
    write(tmp_path, {**FILES, "tools/rates.json": f'{{"db": "postgres://shop:{value}@db.shop.internal/x"}}'})
    for form in ("text", "json", "concise", "github", "sarif"):
        result = lua("compile", "--ci", "--format", form, cwd=tmp_path)
        assert "tools/rates.json" in result.stdout + result.stderr
        assert value not in result.stdout + result.stderr, form


def test_an_unchanged_compile_sees_what_appears_later(tmp_path: Path, lua: Lua) -> None:
    """A data file that was missing, one that a glob finds, a lock file: each is noticed, although nothing was edited."""
    files = {**FILES, "pyproject.toml": '[tool.lua]\ninclude = ["data/**"]\n'}
    del files["tools/rates.json"]
    first = compiled(write(tmp_path, files), lua)
    assert [d["code"] for d in first["diagnostics"]] == ["lua/data-file-missing"]  # type: ignore[attr-defined]
    assert compiled(tmp_path, lua) == first
    compiled(write(tmp_path, {"tools/rates.json": "{}"}), lua)
    assert members(tmp_path) == MEMBERS
    compiled(write(tmp_path, {"data/deep/more.csv": "1"}), lua)
    assert "data/deep/more.csv" in members(tmp_path)
