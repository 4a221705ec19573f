"""From an analysis to drafts: what each skill gets, what there is to say, and why everything is there."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from lua_cli.analysis.model import Entry
from lua_cli.bundle import BundledFile, Collected, collect, explain_bundle, open_artifact, seal
from lua_cli.errors import LuaError, UsageError
from lua_cli.packed import Packed
from lua_cli.source import SourceIndex
from tests.bundle.analyses import analysis, place, skill, tool
from tests.bundle.projects import install, project, virtual_environment, write
from tests.bundle.samples import draft
from tests.conftest import REPOSITORY

FILES = {
    "agent.py": "import secrets_of_the_entry",
    "secrets_of_the_entry.py": "",
    "skills/orders.py": "",
    "skills/gate.py": "import clock\n\nasync def is_open(): ...",
    ".env.example": "SHOP_KEY=\nZONE=\n",
    "clock.py": "from lua_cli import env\nZONE = env('ZONE', 'UTC')",
    "skills/tools/track.py": "import os\nfrom skills.tools.base import Base\nKEY = os.environ['SHOP_KEY']\nZONE = os.getenv('ZONE')\nclass Track(Base): ...",
    "skills/tools/base.py": "from pathlib import Path\nRATES = Path(__file__).parent / 'rates.json'\nclass Base: ...",
    "skills/tools/rates.json": "{}",
    "skills/tools/refund.py": "class Refund: ...",
    "orders.md": "# Orders\r\n",
    "pyproject.toml": "[tool.lua]\n[project]\nname = 'x'\nversion = '1'\nrequires-python = '>=3.11'\n",
}  # fmt: skip
TRACK = tool("skills.tools.track.Track", "skills/tools/track.py", condition="own", voice_flags=frozenset({"b", "a"}))
REFUND = tool("skills.tools.refund.Refund", "skills/tools/refund.py")
GATE = Entry("skills.gate", "is_open", place("skills/gate.py", 3))


def collected(root: Path, files: dict[str, str] | None = None, **changes: object) -> Collected:
    opened = project(root, {**FILES, **(files or {})})
    skills = [
        skill(
            "orders", [TRACK], description="Orders.", context={"base": "b"}, instructions="orders.md", condition=GATE
        ),
        skill("refunds", [REFUND, REFUND]),
        skill("drafted", [TRACK], registered=False),
    ]
    modules = {"skills.tools.track": "skills/tools/track.py"}
    return collect(analysis(opened, skills, [TRACK, REFUND], modules), SourceIndex(opened), opened)


def said(found: Collected) -> list[tuple[str, str, int]]:
    return [(one.code.removeprefix("lua/"), one.place.path, one.place.line) for one in found.findings]


def test_each_registered_skill_gets_what_it_needs(tmp_path: Path) -> None:
    found = collected(tmp_path)
    assert found.findings == ()
    orders, refunds = found.drafts
    assert [file.name for file in orders.files] == [
        "clock.py", "orders.md", "skills/gate.py", "skills/tools/base.py", "skills/tools/rates.json", "skills/tools/track.py",
    ]  # fmt: skip
    assert [file.name for file in refunds.files] == ["skills/tools/refund.py"]
    assert (orders.skill, orders.description, orders.context) == ("orders", "Orders.", {"base": "b"})
    assert (orders.instructions, orders.condition, orders.python) == ("orders.md", ("skills.gate", "is_open"), ">=3.11")
    assert (refunds.instructions, refunds.condition, refunds.context) == (None, None, "")
    [track] = orders.tools
    assert (track.name, track.module, track.qualname) == ("track", "skills.tools.track", "Track")
    assert (track.has_condition, track.voice_flags) == (True, ("a", "b"))
    assert [one.name for one in refunds.tools] == ["refund"]


def test_variables_say_who_reads_them(tmp_path: Path) -> None:
    orders, refunds = collected(tmp_path).drafts
    assert orders.env == ("SHOP_KEY", "ZONE")
    assert [(use.name, use.places, use.optional) for use in orders.env_uses] == [
        ("SHOP_KEY", ("skills/tools/track.py:3",), False),
        ("ZONE", ("clock.py:2", "skills/tools/track.py:4"), False),
    ]
    assert refunds.env == ()


def test_the_draft_becomes_an_artifact(tmp_path: Path) -> None:
    orders, _ = collected(tmp_path).drafts
    opened = open_artifact(seal(orders, {}).content)
    assert opened.files["orders.md"] == b"# Orders\n"
    assert opened.manifest["skill"] == {
        "name": "orders",
        "description": "Orders.",
        "context": {"base": "b"},
        "instructions": "orders.md",
        "hasCondition": True,
        "condition": {"module": "skills.gate", "attribute": "is_open"},
    }
    assert opened.manifest["env"] == ["SHOP_KEY", "ZONE"]
    assert opened.manifest["envReads"][1] == {"name": "ZONE", "optional": False, "place": "clock.py:2"}


def test_every_key_of_a_manifest_is_documented(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "artifact.md").read_text("utf-8")
    opened = open_artifact(seal(collected(tmp_path).drafts[0], {}).content)
    for key, value in opened.manifest.items():
        assert f"`{key}" in page, key
        for part in value if isinstance(value, list) else [value]:
            for inner in part if isinstance(part, dict) else ():
                assert (
                    f"`.{inner}`" in page
                    or f"`{key}.{inner}`" in page
                    or f"`{key}[].{inner}`" in page
                    or f"`{inner}`" in page
                ), (key, inner)


def test_the_digest_of_a_draft_is_that_of_what_a_probe_would_see(tmp_path: Path) -> None:
    [one, _], [other, _] = (collected(tmp_path / name).drafts for name in ("a", "b"))
    assert one.digest() == other.digest()
    changed, _ = collected(tmp_path / "c", {"clock.py": "x = 1"}).drafts
    assert changed.digest() != one.digest()


def test_modules_that_are_named_in_the_settings_go_along(tmp_path: Path) -> None:
    pyproject = "[tool.lua]\ninclude-modules = ['plugins.german']\n"
    files = {"plugins/german.py": "import helper", "helper.py": "", "pyproject.toml": pyproject}
    for made in collected(tmp_path, files).drafts:
        assert {"plugins/german.py", "helper.py"} <= {file.name for file in made.files}


def test_a_module_of_the_settings_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no module 'plugins.german'"):
        collected(tmp_path, {"pyproject.toml": "[tool.lua]\ninclude-modules = ['plugins.german']\n"})


@pytest.mark.parametrize(
    ("expression", "include", "is_said"),
    [
        ('f"plugins.{name}"', [], True),
        ('f"plugins.{name}"', ["plugins.german"], False),
        ('f"plugins.{name}"', ["clock"], True),
        ('"plugins." + name', ["plugins.german"], False),
        ('"plugins.%s" % name', ["clock"], True),
        ('"plugins.{}".format(name)', ["plugins.german"], False),
        ("name", ["clock"], False),
        ("name", [], True),
        ('f".{name}"', ["skills.tools.refund"], False),
        ('f".{name}"', ["plugins.german"], True),
    ],
)
def test_dynamic_imports_are_said_until_they_are_covered(
    tmp_path: Path, expression: str, include: list[str], is_said: bool
) -> None:
    text = f"import importlib\n\ndef f(name):\n    return importlib.import_module({expression})"
    pyproject = f"[tool.lua]\ninclude-modules = {include!r}\n"
    files = {"skills/tools/track.py": text, "plugins/german.py": "", "pyproject.toml": pyproject}
    assert said(collected(tmp_path, files)) == [("dynamic-import", "skills/tools/track.py", 4)] * is_said


def test_linked_code(tmp_path: Path) -> None:
    """A link that stays in the project is followed, and what it leads to packed once; one that leaves it is refused."""
    write(tmp_path / "agent", {"shared/common/__init__.py": "", "shared/common/text.py": "x = 1"})
    write(tmp_path / "elsewhere", {"__init__.py": "", "code.py": ""})
    (tmp_path / "agent" / "common").symlink_to("shared/common", target_is_directory=True)
    (tmp_path / "agent" / "stray").symlink_to("../elsewhere", target_is_directory=True)
    found = collected(tmp_path / "agent", {"skills/tools/refund.py": "import common.text\n\nimport stray.code"})
    assert {(code, line) for code, _, line in said(found)} == {("link-outside", 3)}
    names = [file.name for file in found.drafts[1].files]
    assert names == ["common/__init__.py", "common/text.py", "skills/tools/refund.py"]


def test_an_editable_install_made_of_links_is_bundled(tmp_path: Path) -> None:
    """As setuptools makes it in strict mode."""
    packages = virtual_environment(tmp_path / "agent" / ".venv")
    write(tmp_path / "lib", {"src/lib/__init__.py": "", "build/__editable__/lib/x": ""})
    (tmp_path / "lib/build/__editable__/lib/__init__.py").symlink_to(tmp_path / "lib/src/lib/__init__.py")
    write(packages, {"_lib.pth": f"{tmp_path / 'lib/build/__editable__'}\n"})
    found = collected(tmp_path / "agent", {"skills/tools/refund.py": "import lib"})
    assert found.findings == ()
    assert [file.name for file in found.drafts[1].files] == ["lib/__init__.py", "skills/tools/refund.py"]


def test_a_package_whose_files_are_read_goes_along(tmp_path: Path) -> None:
    text = "from importlib.resources import files\nx = files('texts.de').joinpath('a.md')"
    files = {
        "skills/tools/refund.py": text,
        "texts/__init__.py": "",
        "texts/de/__init__.py": "import clock",
        "texts/de/a.md": "",
    }
    [_, refunds] = collected(tmp_path, files).drafts
    assert [file.name for file in refunds.files] == [
        "clock.py", "skills/tools/refund.py", "texts/__init__.py", "texts/de/__init__.py", "texts/de/a.md",
    ]  # fmt: skip


def test_what_cannot_be_bundled_is_said_at_its_place(tmp_path: Path) -> None:
    text = "\nimport fast\n\ndef f():\n    import broken\n    import cv2_of_nobody"
    found = collected(tmp_path, {"skills/tools/track.py": text, "fast.abi3.so": "", "broken.py": "def"})
    assert sorted(said(found)) == [
        ("native-extension", "skills/tools/track.py", 2),
        ("syntax-error", "broken.py", 1),
        ("unpinned-dependency", "skills/tools/track.py", 6),
    ]


def test_a_missing_import_that_the_analysis_has_judged_is_not_said_again(tmp_path: Path) -> None:
    text = "import sys\nif sys.version_info < (3, 8):\n    import backport_of_nobody"
    assert collected(tmp_path, {"skills/tools/track.py": text}).findings == ()


def test_a_secret_in_data_is_said_at_its_place(tmp_path: Path) -> None:
    url = "postgres://shop:" + "kX81pQz7" + "@db.shop.internal/x"
    found = collected(tmp_path, {"skills/tools/rates.json": f'{{\n"url": "{url}"}}'})
    assert said(found) == [("secret-in-bundle", "skills/tools/rates.json", 2)]
    assert "kX81pQz7" not in repr(found.findings)


def test_packages_are_pinned_and_those_beside_the_project_bundled(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    packages = virtual_environment(root / ".venv")
    install(packages, "PyYAML", "6.0.2", {"yaml.py": ""})
    lib = write(tmp_path / "lib", {"lib/__init__.py": "import os\nimport yaml\nA = os.environ['LIB_KEY']"})
    info = install(packages, "our-lib", "0.1", {})
    direct = {"url": lib.as_uri(), "dir_info": {"editable": True}}
    write(packages, {"_lib.pth": f"{lib}\n", f"{info.name}/direct_url.json": json.dumps(direct)})
    [_, refunds] = collected(root, {"skills/tools/refund.py": "import lib"}).drafts
    assert [file.name for file in refunds.files] == ["lib/__init__.py", "skills/tools/refund.py"]
    assert [(one.imports, one.distribution, one.pins, one.pinned_from, one.place) for one in refunds.requires] == [
        ("lib", "our-lib", (), "local", "skills/tools/refund.py:1"),
        ("yaml", "PyYAML", ("PyYAML==6.0.2",), "installed", "lib/__init__.py:2"),
    ]
    assert refunds.env_uses[0].places == ("lib/__init__.py:3",)
    content = seal(refunds, {}).content
    assert str(tmp_path).encode() not in content


def test_the_explanation_says_why(tmp_path: Path) -> None:
    packages = virtual_environment(tmp_path / ".venv")
    install(packages, "PyYAML", "6.0.2", {"yaml.py": ""})
    orders, _ = collected(tmp_path, {"clock.py": "import yaml, os\nZONE = os.environ['ZONE']"}).drafts
    explained = explain_bundle(orders)
    assert {one["path"]: (one["source"], one["reason"]) for one in explained["files"]} == {
        "clock.py": ("clock.py", "imported by skills/gate.py:1"),
        "orders.md": ("orders.md", "the instructions of skill orders"),
        "skills/gate.py": ("skills/gate.py", "the condition of skill orders"),
        "skills/tools/base.py": ("skills/tools/base.py", "imported by skills/tools/track.py:2"),
        "skills/tools/rates.json": ("skills/tools/rates.json", "read by skills/tools/base.py:2"),
        "skills/tools/track.py": ("skills/tools/track.py", "the module of tool track"),
    }
    assert explained["packages"] == [
        {
            "imports": "yaml",
            "distribution": "PyYAML",
            "pins": ["PyYAML==6.0.2"],
            "pinnedFrom": "installed",
            "reason": "imported by clock.py:1",
        }
    ]
    assert explained["env"][-1] == {
        "name": "ZONE",
        "optional": False,
        "readBy": ["clock.py:2", "skills/tools/track.py:4"],
    }
    assert json.loads(json.dumps(explained)) == explained


def test_what_the_answer_depends_on_is_named(tmp_path: Path) -> None:
    found = collected(
        tmp_path, {"skills/tools/refund.py": "from pathlib import Path\nx = Path(__file__).parent / 'later.csv'"}
    )
    assert {tmp_path / "skills/tools/later.csv", tmp_path / "uv.lock"} <= set(found.asked)
    on_disk = (tmp_path / "orders.md").read_bytes()
    assert b"\r\n" in on_disk
    assert found.read[tmp_path / "orders.md"] == hashlib.sha256(on_disk).hexdigest()


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    opened = project(tmp_path, FILES)
    index = SourceIndex(opened)
    location = index.locate("skills.tools.track")
    assert location is not None
    index.imports(location)
    (tmp_path / "skills/tools/track.py").write_text("changed = 1")
    with pytest.raises(LuaError, match=r"skills/tools/track.py changed while it was compiled"):
        collect(analysis(opened, [skill("orders", [TRACK])], [TRACK]), index, opened)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    opened = project(tmp_path, FILES)
    with (tmp_path / "skills/tools/rates.json").open("wb") as file:
        file.truncate(300 * 2**20)
    with pytest.raises(LuaError, match=r"rates.json is too large for an artifact: 300.0 MiB"):
        collect(analysis(opened, [skill("orders", [TRACK])], [TRACK]), SourceIndex(opened), opened)


def test_an_artifact_that_is_too_large_names_its_largest_files() -> None:
    files = tuple(BundledFile(f"{n}.bin", Packed(bytes(9 * 2**20 + n)), "data", "", "") for n in range(6))
    with pytest.raises(LuaError, match=r"of which 5.bin \(9.0 MiB\), 4.bin \(9.0 MiB\), 3.bin"):
        seal(draft(files=files), {})


def test_an_artifact_beyond_its_budget_names_its_largest_files(tmp_path: Path) -> None:
    write(tmp_path, {f"data/{size}.bin": b"x" * size * 1024 for size in (10, 20, 30, 40)})

    def reasons(budget: str) -> list[str]:
        settings = f"[tool.lua]\ninclude = ['data/*']\nsize-budget = '{budget}'\n"
        opened = project(tmp_path, {"a.py": "", "agent.py": "", "pyproject.toml": settings})
        track = tool("a.A", "a.py")
        found = collect(analysis(opened, [skill("s", [track])], [track]), SourceIndex(opened), opened).findings
        return [one.facts["reason"] for one in found if one.code == "lua/artifact-large"]

    assert reasons("100 KiB") == []
    largest = "data/40.bin (40.0 KiB), data/30.bin (30.0 KiB), data/20.bin (20.0 KiB)"
    assert reasons("99 KiB") == [f"100.0 KiB, and the budget is 99.0 KiB; most of it are {largest}"]
