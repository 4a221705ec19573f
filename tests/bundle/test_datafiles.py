"""Files beside the code: taken when they are named, said when they are missing or refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lua_cli.analysis.model import Attribute, Finding, SkillInfo
from lua_cli.bundle.closure import Imports
from lua_cli.bundle.datafiles import add_document, add_included, add_read
from lua_cli.bundle.members import FileReader, Members
from lua_cli.diagnostics import Place
from lua_cli.source import SourceIndex
from tests.bundle.projects import project

PACKAGES = {"skills/__init__.py": "", "skills/tools/__init__.py": ""}
PATH = "from pathlib import Path\n"


def gathered(root: Path, files: Mapping[str, str | bytes], *modules: str, instructions: str | None = None) -> Members:
    """What the globs, the modules' reads and a document named in skills/orders.py bring."""
    opened = project(root, files)
    index = SourceIndex(opened)
    imports = Imports(index)
    members = Members(FileReader(opened, index, keeps=True))
    place = Place("skills/orders.py", 7, 1, 1, 1)
    written = Attribute("instructions", "known", instructions, place)
    skill = SkillInfo(
        place, place, "skills.orders", True, {"instructions": written, "name": Attribute("name", "known", "orders")}
    )
    add_document(members, skill, opened)
    add_included(members, opened)
    add_read(members, imports.closure([(module, "", None) for module in modules]).modules.values(), imports)
    return members


def said(members: Members) -> list[tuple[str, int, str, str]]:
    members.files()
    return [
        (one.code.removeprefix("lua/"), one.place.line, one.facts["name"], one.facts["reason"])
        for one in members.findings
    ]


def names(members: Members) -> list[str]:
    assert said(members) == []
    return [file.name for file in members.files()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PATH + 'x = (Path(__file__).parent / "rates.json").read_text()', "skills/tools/rates.json"),
        (PATH + 'x = Path(__file__).resolve().parent.parent.joinpath("rates.json")', "skills/rates.json"),
        (PATH + 'HERE = Path(__file__).parent\n\ndef f():\n    return open(HERE / "deep" / "rates.json")', "skills/tools/deep/rates.json"),
        ('import os\nx = open(os.path.join(os.path.dirname(__file__), "rates.json"))', "skills/tools/rates.json"),
        ('from importlib.resources import files\nx = files("skills").joinpath("rates.json")', "skills/rates.json"),
        ('from importlib.resources import files\nx = files(__package__) / "rates.json"', "skills/tools/rates.json"),
        (PATH + 'x = Path(__file__).parents[2] / "data" / "rates.json"', "data/rates.json"),
    ],
)  # fmt: skip
def test_literal_reads(tmp_path: Path, text: str, expected: str) -> None:
    members = gathered(tmp_path, {**PACKAGES, "skills/tools/search.py": text, expected: "{}"}, "skills.tools.search")
    assert names(members) == [expected]
    [file] = members.files()
    assert file.kind == "data"
    assert file.reason.startswith("read by skills/tools/search.py:")


def test_data_is_relative_to_the_import_root_as_the_module_is(tmp_path: Path) -> None:
    files = {"src/agent.py": "", "src/tool.py": PATH + 'x = Path(__file__).parent / "d" / "x.csv"', "src/d/x.csv": "1"}
    assert names(gathered(tmp_path, files, "tool")) == ["d/x.csv"]


def test_a_namespace_package_holds_data(tmp_path: Path) -> None:
    text = 'from importlib.resources import files\nx = files("texts").joinpath("a.md")'
    assert names(gathered(tmp_path, {"tool.py": text, "texts/a.md": ""}, "tool")) == ["texts/a.md"]


def test_bytes_of_data_stay_and_line_ends_of_text_do_not(tmp_path: Path) -> None:
    files = {
        "skills/orders.py": "",
        "skills/orders.md": b"# A\r\n",
        "d/x.bin": b"\r\n\x00",
        "d/y.csv": b"a\r\n",
        "d/z.py": b"a = 1\r\n",
        "pyproject.toml": '[tool.lua]\ninclude = ["d/*"]\n',
    }
    found = {
        file.name: (file.kind, file.content) for file in gathered(tmp_path, files, instructions="orders.md").files()
    }
    assert found == {
        "skills/orders.md": ("document", b"# A\n"),
        "d/x.bin": ("data", b"\r\n\x00"),
        "d/y.csv": ("data", b"a\r\n"),
        "d/z.py": ("data", b"a = 1\n"),
    }


@pytest.mark.parametrize(
    ("target", "files", "reason"),
    [
        ('"x.csv"', {}, "there is no tools/x.csv"),
        ('"rates.json"', {"tools/Rates.json": ""}, "there is no tools/rates.json (did you mean `Rates.json`?)"),
        ('"rate.json"', {"tools/rates.json": ""}, "there is no tools/rate.json (did you mean `rates.json`?)"),
        ('"d" / "x.csv"', {}, "there is no folder tools/d"),
        ('"d"', {"tools/d/x.csv": ""}, "it is a folder"),
        ('".." / ".." / "x.csv"', {}, "it lies outside of the import root `.`, and an artifact has no place for it"),
    ],
)  # fmt: skip
def test_what_is_missing(tmp_path: Path, target: str, files: dict[str, str], reason: str) -> None:
    members = gathered(tmp_path, {"tools/t.py": PATH + f"\nx = Path(__file__).parent / {target}", **files}, "tools.t")
    [(code, line, _, why)] = said(members)
    assert (code, line, why) == ("data-file-missing", 3, reason)


def test_a_folder_whose_files_are_included_is_fine(tmp_path: Path) -> None:
    files = {
        "tool.py": PATH + 'x = Path(__file__).parent / "d"',
        "d/x.csv": "",
        "pyproject.toml": '[tool.lua]\ninclude = ["d/*.csv"]\n',
    }
    assert names(gathered(tmp_path, files, "tool")) == ["d/x.csv"]


def test_refusals_say_what_and_why(tmp_path: Path) -> None:
    files = {
        "tool.py": PATH + '\nx = (Path(__file__).parent / ".env").read_text()',
        ".env": "KEY=1",
        ".env.example": "KEY=",
        "config/.env.local": "",
        "config/id_rsa": "",
        "config/fine.json": "",
        "node_modules/x.js": "",
        "pyproject.toml": '[tool.lua]\n\ninclude = ["config/*", ".env.example",\n"node_modules/**", "../x/*", "nothing/*.csv", "config"]\n',
    }
    members = gathered(tmp_path, files, "tool")
    assert sorted(said(members)) == [
        ("data-file-missing", 4, "config", "it is a folder: write `config/**`"),
        ("data-file-missing", 4, "nothing/*.csv", "no file matches it"),
        ("refused-file", 3, ".env", "an environment file"),
        ("refused-file", 3, "config/.env.local", "an environment file"),
        ("refused-file", 3, "config/id_rsa", "a key file"),
        ("refused-file", 4, "../x/*", "an include glob is relative to the project, with `/`, and stays in it"),
        ("refused-file", 4, "node_modules", "installed packages"),
    ]
    assert [file.name for file in members.files()] == [".env.example", "config/fine.json"]


def test_nothing_of_a_project_full_of_folders_is_bundled_unless_it_is_named(tmp_path: Path) -> None:
    heaps = (".venv/lib", "env/x", "node_modules/y", "__pycache__", ".mypy_cache", "dist", ".lua/builds", "other/.git")
    files = {f"{folder}/junk.txt": "" for folder in heaps}
    members = gathered(tmp_path, {**files, "tool.py": "", "data.parquet": "x", ".env": ""}, "tool")
    assert names(members) == []


@pytest.mark.parametrize(
    ("instructions", "reason"),
    [
        ("missing.md", "there is no skills/missing.md"),
        ("../../x.md", "it lies outside of the project"),
        ("texts", "it is a folder"),
        (".env", "it is an environment file, which is never bundled"),
    ],
)
def test_documents_that_cannot_be_bundled(tmp_path: Path, instructions: str, reason: str) -> None:
    files = {"skills/orders.py": "", "skills/texts/a.md": "", "skills/.env": ""}
    members = gathered(tmp_path, files, instructions=instructions)
    assert said(members) == [("document-missing", 7, instructions, reason)]


def test_a_link_that_leaves_the_project_is_refused_with_its_target(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "private.txt").write_text("x")
    root = tmp_path / "agent"
    (root / "data").mkdir(parents=True)
    (root / "data" / "passwd").symlink_to("/etc/passwd")
    (root / "data" / "shared").symlink_to("../../outside")
    (root / "data" / "dangling").symlink_to("nowhere")
    (root / "data" / "inside").symlink_to("../kept.txt")
    files = {"kept.txt": "kept", "pyproject.toml": '[tool.lua]\ninclude = ["data/**"]\n'}
    members = gathered(root, files)
    assert sorted(said(members)) == [
        ("data-file-missing", 2, "data/dangling", "no regular file"),
        ("link-outside", 2, "data/passwd", str(Path("/etc/passwd").resolve())),
        ("link-outside", 2, "data/shared/private.txt", (tmp_path / "outside/private.txt").as_posix()),
    ]
    assert [(file.name, file.content) for file in members.files()] == [("data/inside", b"kept")]


def test_a_project_that_is_reached_through_a_link(tmp_path: Path) -> None:
    files = {"tool.py": PATH + 'x = Path(__file__).parent / "x.csv"', "x.csv": ""}
    project(tmp_path / "real", files)
    (tmp_path / "link").symlink_to("real")
    assert names(gathered(tmp_path / "link", files, "tool")) == ["x.csv"]


def test_names_that_collide_elsewhere_are_said(tmp_path: Path) -> None:
    files = {
        "a/Data.csv": "", "A/data.csv": "", "a/data.csv": "", "b/con.txt": "", "b/what?.txt": "", "manifest.json": "{}",
        "pyproject.toml": '[tool.lua]\ninclude = ["a/*", "A/*", "b/*", "manifest.json"]\n',
    }  # fmt: skip
    members = gathered(tmp_path, files)
    assert sorted((code, name, reason) for code, _, name, reason in said(members)) == [
        ("name-collision", "a/Data.csv", "`A/data.csv` and `a/Data.csv` differ only in letter case or Unicode form"),
        ("name-collision", "a/data.csv", "`A/data.csv` and `a/data.csv` differ only in letter case or Unicode form"),
        ("name-collision", "b/con.txt", "the name has the part 'con.txt', which is a device on Windows"),
        (
            "name-collision",
            "b/what?.txt",
            "the name has the character '?', which not every system allows in a file name",
        ),
        ("name-collision", "manifest.json", "the name is the artifact's own"),
    ]


def test_two_files_for_one_name_are_said(tmp_path: Path) -> None:
    files = {
        "src/agent.py": "",
        "src/x.csv": "1",
        "x.csv": "2",
        "pyproject.toml": '[tool.lua]\ninclude = ["src/x.csv", "x.csv"]\n',
    }
    [(code, _, name, reason)] = said(gathered(tmp_path, files))
    assert (code, name) == ("name-collision", "x.csv")
    assert reason == "src/x.csv and x.csv would both be `x.csv` in the artifact"


def test_findings_are_findings(tmp_path: Path) -> None:
    members = gathered(tmp_path, {"tool.py": PATH + 'x = Path(__file__).parent / "x.csv"'}, "tool")
    [finding] = members.findings
    assert finding == Finding(
        "lua/data-file-missing", Place("tool.py", 2, 5, 2, 36), {"name": "x.csv", "reason": "there is no x.csv"}
    )
