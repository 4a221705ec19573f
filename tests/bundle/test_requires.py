"""Third-party packages: whose they are, and what pins them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from lua_cli.bundle.closure import Imports
from lua_cli.bundle.installed import Environment, without_password
from lua_cli.bundle.locks import read_lock
from lua_cli.bundle.model import Requirement
from lua_cli.bundle.requires import Requirements
from lua_cli.bundle.targets import Targets
from lua_cli.errors import LuaError
from lua_cli.source import SourceIndex
from tests.bundle.projects import install, project, virtual_environment, write

TOOL = "import yaml\n"
DEPENDENCIES = '[tool.lua]\n[project]\nname = "agent"\nversion = "1"\n'


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """An environment with distributions whose names are not those of their modules."""
    folder = virtual_environment(tmp_path / ".venv")
    install(folder, "PyYAML", "6.0.2", {"yaml/__init__.py": "", "_yaml/__init__.py": ""})
    install(folder, "attrs", "24.1", {"attr/__init__.py": "", "attrs/__init__.py": ""})
    install(folder, "pillow", "11.0", {"PIL/__init__.py": "", "PIL/Image.py": ""})
    install(folder, "python-dateutil", "2.9", {"dateutil/__init__.py": ""}, requires=("six>=1.5",))
    install(folder, "six", "1.17", {"six.py": ""})
    install(
        folder, "google-cloud-storage", "3.0", {"google/cloud/storage/__init__.py": ""}, requires=("google-auth<3",)
    )
    install(folder, "google-auth", "2.38", {"google/auth/__init__.py": ""})
    return folder


def required(root: Path, files: Mapping[str, str]) -> tuple[dict[str, Requirement], list[tuple[str, str, str]]]:
    """What tool.py of a project requires, by import, and (code, name, reason) of the findings."""
    opened = project(root, files)
    closure = Imports(SourceIndex(opened)).closure([("tool", "", None)])
    requirements = Requirements(opened, lambda place: f"{place.path}:{place.line}")
    found = requirements.of(closure.outside)
    said = [
        (one.code.removeprefix("lua/"), one.facts["name"], one.facts.get("reason", "")) for one in requirements.findings
    ]
    return {one.imports: one for one in found}, said


def test_import_names_are_mapped_by_metadata(tmp_path: Path, packages: Path) -> None:
    text = "import yaml, attr, attrs\nfrom PIL import Image\nimport google.cloud.storage as gcs\nfrom google import auth\nimport dateutil"
    found, said = required(tmp_path, {"tool.py": text})
    assert said == []
    assert {name: (one.distribution, one.pins, one.place) for name, one in found.items()} == {
        "yaml": ("PyYAML", ("PyYAML==6.0.2",), "tool.py:1"),
        "attr": ("attrs", ("attrs==24.1",), "tool.py:1"),
        "PIL": ("pillow", ("pillow==11.0",), "tool.py:2"),
        "google.cloud.storage": ("google-cloud-storage", ("google-auth==2.38", "google-cloud-storage==3.0"), "tool.py:3"),
        "google.auth": ("google-auth", ("google-auth==2.38",), "tool.py:4"),
        "dateutil": ("python-dateutil", ("python-dateutil==2.9", "six==1.17"), "tool.py:5"),
    }  # fmt: skip
    assert {one.pinned_from for one in found.values()} == {"installed"}


def test_the_first_place_counts_and_imports_in_functions_do(tmp_path: Path, packages: Path) -> None:
    files = {"tool.py": "import helper\n\ndef f():\n    import yaml", "helper.py": "\n\nimport yaml"}
    assert required(tmp_path, files)[0]["yaml"].place == "helper.py:3"


def test_what_is_not_there_is_said_and_never_guessed(tmp_path: Path, packages: Path) -> None:
    write(packages, {"stray.py": ""})
    text = "import stray\n\ndef f():\n    import cv2\n    try:\n        import ujson\n    except ImportError:\n        pass"
    found, said = required(tmp_path, {"tool.py": text})
    assert said == [
        ("unpinned-dependency", "stray", "no installed distribution says that it is its own"),
        ("unpinned-dependency", "cv2", "it is not installed"),
    ]
    assert found == {"stray": Requirement("stray", "tool.py:1", (), "", "")}


def test_requirements_go_on_by_marker_and_extra(tmp_path: Path, packages: Path) -> None:
    install(
        packages, "wide", "1.0", {"wide.py": ""},
        requires=(
            'old; python_version < "3.8"', 'new; python_version >= "3.13"', 'windows; sys_platform == "win32"', 'fast; extra == "speed"',
            "deep[more]>=1", "not installed here", "absent",
        ),
    )  # fmt: skip
    install(
        packages,
        "deep",
        "2.0",
        {"deep.py": ""},
        requires=('deeper; extra == "more"', 'never; extra == "other"', "wide"),
    )
    for name in ("old", "new", "windows", "fast", "deeper", "never"):
        install(packages, name, "1.0", {f"{name}.py": ""})
    pyproject = DEPENDENCIES + 'requires-python = ">=3.11"\ndependencies = ["wide"]\n'
    assert required(tmp_path, {"tool.py": "import wide", "pyproject.toml": pyproject})[0]["wide"].pins == (
        "deep==2.0", "deeper==1.0", "new==1.0", "wide==1.0"
    )  # fmt: skip
    pyproject = DEPENDENCIES + 'requires-python = ">=3.11,<3.13"\ndependencies = ["wide[speed]"]\n'
    assert required(tmp_path, {"tool.py": "import wide", "pyproject.toml": pyproject})[0]["wide"].pins == (
        "deep==2.0", "deeper==1.0", "fast==1.0", "wide==1.0"
    )  # fmt: skip


def test_an_undeclared_import_names_the_distribution_that_has_it_here(tmp_path: Path, packages: Path) -> None:
    pyproject = DEPENDENCIES + 'dependencies = ["python_dateutil >=2"]\n'
    files = {
        "tool.py": "import dateutil\nimport yaml\ntry:\n    import six\nexcept ImportError:\n    six = None",
        "pyproject.toml": pyproject,
    }
    found, said = required(tmp_path, files)
    assert said == [("undeclared-dependency", "yaml", "PyYAML 6.0.2 provides it here")]
    assert list(found) == ["dateutil", "six", "yaml"]


def test_a_commit_is_pinned_as_a_commit(tmp_path: Path, packages: Path) -> None:
    info = install(packages, "ours", "0.1", {"ours.py": ""})
    url = {"url": "https://user:secret@example.com/ours.git", "vcs_info": {"vcs": "git", "commit_id": "abc123"}}
    write(info, {"direct_url.json": json.dumps(url)})
    assert required(tmp_path, {"tool.py": "import ours"})[0]["ours"].pins == (
        "ours @ git+https://example.com/ours.git@abc123",
    )


def test_older_metadata_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "old.py": "",
            "old-1.2.egg-info/PKG-INFO": "Name: Old\nVersion: 1.2\n",
            "old-1.2.egg-info/top_level.txt": "old\n",
        },
    )
    owner = Environment([tmp_path]).owner(tmp_path / "old.py")
    assert owner is not None
    assert owner.pin == "Old==1.2"
    assert Environment([tmp_path]).owner(tmp_path / "other.py") is None


def test_fields_after_a_folded_licence_are_read(tmp_path: Path) -> None:
    info = install(tmp_path, "x", "1", {"x.py": ""})
    metadata = "Name: x\nVersion: 1\nLicense: MIT\n        \n        Permission: granted\nRequires-Dist: y\n\nRequires-Dist: in the text\n"
    write(info, {"METADATA": metadata})
    owner = Environment([tmp_path]).owner(tmp_path / "x.py")
    assert owner is not None
    assert owner.requires == ("y",)


UV = """
version = 1
requires-python = ">=3.11"

[[package]]
name = "agent"
version = "0"
source = { virtual = "." }
dependencies = [{ name = "pyyaml" }, { name = "wide", extra = ["speed"] }]

[package.metadata]
requires-dist = [{ name = "pyyaml", specifier = ">=6" }, { name = "wide", extras = ["speed"], specifier = ">=1" }]

[[package]]
name = "pyyaml"
version = "6.0.1"
source = { registry = "https://example.com/simple" }
wheels = [{ url = "https://example.com/pyyaml-6.0.1-py3-none-any.whl" }]

[[package]]
name = "wide"
version = "1.5"
source = { registry = "https://example.com/simple" }
wheels = [{ url = "https://example.com/wide-1.5-py3-none-any.whl" }]
dependencies = [
    { name = "colorama", marker = "sys_platform == 'win32'" },
    { name = "numpy", version = "1.26.4", marker = "python_full_version < '3.12'" },
    { name = "numpy", version = "2.1.0", marker = "python_full_version >= '3.12'" },
    { name = "ours" },
]

[package.optional-dependencies]
speed = [{ name = "fast" }]
other = [{ name = "never" }]

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://example.com/simple" }
wheels = [
    { url = "https://example.com/numpy-1.26.4-cp311-cp311-macosx_11_0_arm64.whl" },
    { url = "https://example.com/numpy-1.26.4-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl" },
]
resolution-markers = ["python_full_version < '3.12'"]

[[package]]
name = "numpy"
version = "2.1.0"
source = { registry = "https://example.com/simple" }
wheels = [{ url = "https://example.com/numpy-2.1.0-cp312-cp312-manylinux_2_28_x86_64.whl" }]
resolution-markers = ["python_full_version >= '3.12'"]

[[package]]
name = "ours"
version = "0.3"
source = { git = "https://token@example.com/ours.git?rev=main#abc123" }

[[package]]
name = "fast"
version = "3"
source = { registry = "https://example.com/simple" }
wheels = [{ url = "https://example.com/fast-3-py3-none-any.whl" }]
"""
UV_PROJECT = DEPENDENCIES + 'requires-python = ">=3.11"\ndependencies = ["PyYAML>=6", "wide[speed]>=1"]\n'


def test_uv_lock_pins_what_it_says(tmp_path: Path, packages: Path) -> None:
    install(packages, "wide", "1.5", {"wide.py": ""})
    files = {"tool.py": "import wide, yaml", "uv.lock": UV, "pyproject.toml": UV_PROJECT}
    found, said = required(tmp_path, files)
    assert found["wide"].pins == (
        "fast==3",
        "numpy==1.26.4 ; (python_full_version < '3.12')",
        "numpy==2.1.0 ; (python_full_version >= '3.12')",
        "ours @ git+https://example.com/ours.git@abc123",
        "wide==1.5",
    )
    assert found["yaml"].pins == ("pyyaml==6.0.1",)
    assert {one.pinned_from for one in found.values()} == {"uv.lock"}
    assert said == [("lock-mismatch", "PyYAML", "6.0.2 is installed, uv.lock has 6.0.1")]


def test_a_lock_older_than_pyproject_is_said(tmp_path: Path, packages: Path) -> None:
    pyproject = UV_PROJECT.replace("PyYAML>=6", "PyYAML>=7").replace(', "wide[speed]>=1"', ', "six"')
    _, said = required(tmp_path, {"tool.py": "", "uv.lock": UV, "pyproject.toml": pyproject})
    assert said == [
        ("lock-stale", "pyyaml", "pyproject.toml lists `PyYAML>=7`, the lock has `pyyaml>=6`"),
        ("lock-stale", "six", "pyproject.toml lists `six`, the lock has nothing of it"),
        ("lock-stale", "wide", "pyproject.toml does not list it"),
    ]


@pytest.mark.parametrize("name", ["pylock.toml", "requirements.txt"])
def test_a_lock_that_does_not_say_what_it_was_made_of_is_compared_by_versions(
    name: str, tmp_path: Path, packages: Path
) -> None:
    lock = PYLOCK if name == "pylock.toml" else "python-dateutil==2.8 --hash=sha256:00\nsix==1.16 --hash=sha256:00\n"
    listed = '"python-dateutil>=2.9", "six", "PyYAML; sys_platform == \'win32\'", "attrs", "lua-cli"'
    pyproject = f'[project]\nname = "x"\nversion = "1"\ndependencies = [{listed}]\n[tool.lua]\n'
    found, said = required(tmp_path, {"tool.py": "import dateutil", name: lock, "pyproject.toml": pyproject})
    assert (found["dateutil"].pins, found["dateutil"].pinned_from) == (("python-dateutil==2.8", "six==1.16"), name)
    assert said == [
        ("lock-stale", "attrs", "pyproject.toml lists `attrs`, the lock does not have it"),
        ("lock-stale", "python-dateutil", "pyproject.toml lists `python-dateutil>=2.9`, the lock has 2.8"),
    ]


@pytest.mark.parametrize("name", ["poetry.lock", "pdm.lock", "Pipfile.lock"])
def test_a_lock_that_is_not_read_is_said_when_it_is_the_only_one(name: str, tmp_path: Path, packages: Path) -> None:
    found, said = required(tmp_path, {"tool.py": "import six", name: "{}"})
    assert (found["six"].pins, found["six"].pinned_from) == (("six==1.17",), "installed")
    assert said == [("lock-unread", name, "")]
    _, beside = required(tmp_path, {"tool.py": "import six", name: "{}", "requirements.txt": "six==1.17"})
    assert beside == [("lock-mismatch", "", f"requirements.txt is used, {name} is not")]


def test_what_a_lock_lacks_is_pinned_as_installed_and_said(tmp_path: Path, packages: Path) -> None:
    found, said = required(tmp_path, {"tool.py": "import six", "uv.lock": "version = 1"})
    assert (found["six"].pins, found["six"].pinned_from) == (("six==1.17",), "installed")
    assert said == [("lock-mismatch", "six", "it is not in uv.lock")]


PYLOCK = "lock-version = '1.0'\ncreated-by = 'a test'\n" + "".join(
    f"""
[[packages]]
name = "{name}"
version = "{version}"
wheels = [{{ name = "{name.replace("-", "_")}-{version}-py3-none-any.whl", url = "https://example.com/x", hashes = {{ sha256 = "00" }} }}]
"""
    for name, version in (("python-dateutil", "2.8"), ("six", "1.16"), ("unrelated", "1"))
)


def test_pylock_takes_what_requires_what_from_metadata_where_it_does_not_say(tmp_path: Path, packages: Path) -> None:
    found, said = required(tmp_path, {"tool.py": "import dateutil", "pylock.toml": PYLOCK, "uv.lock": "version = 1"})
    assert found["dateutil"].pins == ("python-dateutil==2.8", "six==1.16")
    assert found["dateutil"].pinned_from == "pylock.toml"
    assert said == [
        ("lock-mismatch", "", "pylock.toml is used, uv.lock is not"),
        ("lock-mismatch", "python-dateutil", "2.9 is installed, pylock.toml has 2.8"),
    ]


def test_the_digest_of_a_lock_does_not_depend_on_line_ends(tmp_path: Path) -> None:
    write(tmp_path, {"a/pylock.toml": PYLOCK, "b/pylock.toml": PYLOCK.replace("\n", "\r\n")})
    one, other = read_lock(tmp_path / "a"), read_lock(tmp_path / "b")
    assert one is not None
    assert other is not None
    assert one.sha256 == other.sha256


def test_the_lock_of_a_workspace_counts_for_its_members(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"uv.lock": UV.replace('virtual = "."', 'editable = "agents/one"'), "agents/one/x": "", "agents/two/x": ""},
    )
    found = read_lock(tmp_path / "agents" / "one")
    assert found is not None
    assert found.path == tmp_path / "uv.lock"
    assert read_lock(tmp_path / "agents" / "two") is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("uv.lock", "[", "uv.lock is not valid TOML"),
        ("pylock.toml", "created-by = 'x'", "pylock.toml is not a valid lock file"),
        (
            "pylock.toml",
            'lock-version = "9.0"\ncreated-by = "x"\npackages = []',
            "pylock.toml is not a valid lock file",
        ),
    ],
)
def test_a_broken_lock_is_one_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    write(tmp_path, {name: text})
    with pytest.raises(LuaError) as caught:
        read_lock(tmp_path)
    assert message in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint == "write the lock file again"


@pytest.mark.parametrize(
    "text", ["", "package = 1", "[[package]]\nversion = 1", '[[package]]\nname = "x"\ndependencies = "y"']
)
def test_a_strange_lock_pins_nothing(tmp_path: Path, packages: Path, text: str) -> None:
    found, _ = required(tmp_path, {"tool.py": "import six", "uv.lock": text})
    assert found["six"].pinned_from == "installed"


@pytest.mark.parametrize(
    ("requires_python", "marker", "holds"),
    [
        ("", "python_version < '3.11'", False),
        ("", "python_version < '3.12'", True),
        (">=3.12", "python_version < '3.12'", False),
        (">=3.11", "python_full_version < '3.11.3'", True),
        (">=3.11.4,<3.12", "python_full_version >= '3.11.5'", True),
        ("", "sys_platform == 'darwin'", False),
        ("", "platform_machine == 'x86_64' and os_name == 'posix'", True),
        ("nonsense", "python_version >= '3.13'", True),
        ("", "nonsense", True),
        ("", "", True),
    ],
)
def test_markers_are_asked_for_the_machines_an_artifact_may_run_on(
    requires_python: str, marker: str, holds: bool
) -> None:
    assert Targets(requires_python).may_hold(marker) is holds


def test_passwords_are_taken_out_of_addresses() -> None:
    assert without_password("https://u:p@example.com:8080/x?y#z") == "https://example.com:8080/x?y#z"
