"""Which modules go along with a tool, and which stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bundle.projects import bundled, closure, install, project, virtual_environment, write

TOOL = "skills/tools/search.py"
ROOT = "skills.tools.search"
PACKAGES = {"skills/__init__.py": "", "skills/tools/__init__.py": ""}


@pytest.mark.parametrize(
    ("text", "files", "expected"),
    [
        ("import kit.http", {"kit/__init__.py": "", "kit/http.py": "", "kit/other.py": ""}, ["kit/__init__.py", "kit/http.py"]),
        ("from kit import http", {"kit/__init__.py": "", "kit/http.py": ""}, ["kit/__init__.py", "kit/http.py"]),
        ("from kit import Http", {"kit/__init__.py": "from .http import Http", "kit/http.py": "class Http: ..."}, ["kit/__init__.py", "kit/http.py"]),
        ("from kit import *", {"kit/__init__.py": "__all__ = ['http', 'x']\nx = 1", "kit/http.py": "", "kit/y.py": ""}, ["kit/__init__.py", "kit/http.py"]),
        ("from kit import *", {"kit/__init__.py": "__all__ = ['a']\n__all__ += ['b']", "kit/a.py": "", "kit/b.py": ""}, ["kit/__init__.py", "kit/a.py", "kit/b.py"]),
        ("from . import text", {"skills/tools/text.py": ""}, ["skills/tools/text.py"]),
        ("from ..shared import x", {"skills/shared.py": "x = 1"}, ["skills/shared.py"]),
        ("from .. import shared", {"skills/shared.py": ""}, ["skills/shared.py"]),
        ("from .text import x", {"skills/tools/text/__init__.py": "from ._impl import x", "skills/tools/text/_impl.py": "x = 1"}, ["skills/tools/text/__init__.py", "skills/tools/text/_impl.py"]),
        ("def f():\n    import late", {"late.py": "import later", "later.py": ""}, ["late.py", "later.py"]),
        ("try:\n    import fast\nexcept ImportError:\n    import slow", {"fast.py": "", "slow.py": ""}, ["fast.py", "slow.py"]),
        ("import importlib\nm = importlib.import_module('plug.a')", {"plug/__init__.py": "", "plug/a.py": ""}, ["plug/__init__.py", "plug/a.py"]),
        ("import importlib\nm = importlib.import_module('.text', __package__)", {"skills/tools/text.py": ""}, ["skills/tools/text.py"]),
        ("m = __import__('late')", {"late.py": ""}, ["late.py"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import types_only\nelse:\n    import at_run_time", {"types_only.py": "", "at_run_time.py": ""}, ["at_run_time.py"]),
        ("import a", {"a.py": "import b", "b.py": "import a"}, ["a.py", "b.py"]),
        ("import space.part", {"space/part.py": "", "space/other.py": ""}, ["space/part.py"]),
        ("from space import part", {"space/part.py": ""}, ["space/part.py"]),
        ("import json, os.path, pydantic, lua_cli", {}, []),
        ("import kit as k\nk.late.x", {"kit/__init__.py": "", "kit/late.py": ""}, ["kit/__init__.py"]),
    ],
)  # fmt: skip
def test_what_an_import_brings(tmp_path: Path, text: str, files: dict[str, str], expected: list[str]) -> None:
    opened = project(tmp_path, {**PACKAGES, TOOL: text, **files})
    assert bundled(opened, ROOT) == sorted([TOOL, *PACKAGES, *expected])


def test_the_entry_and_the_skill_stay_when_no_tool_needs_them(tmp_path: Path) -> None:
    files = {
        **PACKAGES,
        TOOL: "",
        "agent.py": "from skills.orders import orders",
        "skills/orders.py": "from skills.tools.search import S",
        "skills/tools/other.py": "",
        "conftest.py": "",
    }
    assert bundled(project(tmp_path, files), ROOT) == sorted([TOOL, *PACKAGES])


def test_import_roots_are_not_in_the_names(tmp_path: Path) -> None:
    files = {"src/agent.py": "", "src/tool.py": "import helper, shared", "src/helper.py": "", "shared.py": ""}
    assert bundled(project(tmp_path, files), "tool") == ["helper.py", "shared.py", "tool.py"]


def test_a_namespace_package_comes_from_all_its_portions(tmp_path: Path) -> None:
    files = {
        "src/agent.py": "",
        "src/tool.py": "import space.one, space.two",
        "src/space/one.py": "",
        "space/two.py": "",
        "space/three.py": "",
    }
    assert bundled(project(tmp_path, files), "tool") == ["space/one.py", "space/two.py", "tool.py"]


def test_each_module_says_why_it_is_there(tmp_path: Path) -> None:
    files = {
        **PACKAGES,
        TOOL: "import kit.http",
        "kit/__init__.py": "",
        "kit/http.py": "\n\nfrom late import x",
        "late.py": "",
    }
    reasons = {name: module.reason for name, module in closure(project(tmp_path, files), ROOT).modules.items()}
    assert reasons == {
        "skills": f"the package of {ROOT}",
        "skills.tools": f"the package of {ROOT}",
        ROOT: "the root",
        "kit": "the package of kit.http",
        "kit.http": f"imported by {TOOL}:1",
        "late": "imported by kit/http.py:3",
    }


def test_installed_packages_stay_outside_and_say_who_asks(tmp_path: Path) -> None:
    packages = virtual_environment(tmp_path / ".venv")
    install(packages, "Wide", "1.0", {"wide/__init__.py": "import hidden", "wide/sub.py": ""})
    install(packages, "wide-extra", "1.0", {"shared/extra.py": ""})
    opened = project(tmp_path, {"tool.py": "from wide import sub\nfrom shared import extra\nimport missing\n"})
    found = closure(opened, "tool")
    assert list(found.modules) == ["tool"]
    assert [(one.dotted, one.location is not None, one.fact.place.line) for one in found.outside] == [
        ("wide", True, 1),
        ("wide.sub", True, 1),
        ("shared.extra", True, 2),
        ("missing", False, 3),
    ]


def test_a_dynamic_import_is_handed_on(tmp_path: Path) -> None:
    opened = project(
        tmp_path, {"tool.py": "import importlib\n\ndef f(name):\n    return importlib.import_module(f'plug.{name}')"}
    )
    [(location, fact)] = closure(opened, "tool").dynamic
    assert (location.dotted, fact.module, fact.place.line) == ("tool", "f'plug.{name}'", 4)


def test_a_module_that_cannot_be_read_is_handed_on(tmp_path: Path) -> None:
    opened = project(tmp_path, {"tool.py": "def f():\n    import broken", "broken.py": "def\n"})
    found = closure(opened, "tool")
    assert list(found.modules) == ["tool"]
    [error] = found.broken
    assert (error.place.path, error.place.line) == ("broken.py", 1)


def test_sources_beside_the_project_are_bundled(tmp_path: Path) -> None:
    """An editable install, as a path in a .pth file and as a finder's mapping, and a folder of PYTHONPATH."""
    packages = virtual_environment(tmp_path / "agent" / ".venv")
    write(tmp_path / "lib" / "src", {"lib/__init__.py": "", "lib/core.py": "from other import x"})
    write(tmp_path / "other", {"other/__init__.py": "from wide import y\nx = 1"})
    install(packages, "wide", "1.0", {"wide.py": "y = 1"})
    write(packages, {"_lib.pth": f"{tmp_path / 'lib' / 'src'}\n"})
    mapping = {"other": str(tmp_path / "other" / "other")}
    write(packages, {"__editable___other_1_0_finder.py": f"MAPPING: dict[str, str] = {mapping!r}\n"})
    opened = project(tmp_path / "agent", {"tool.py": "from lib.core import base"})
    assert bundled(opened, "tool") == ["lib/__init__.py", "lib/core.py", "other/__init__.py", "tool.py"]
    assert [one.dotted for one in closure(opened, "tool").outside] == ["wide"]


def test_a_folder_of_pythonpath(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "beside", {"near.py": ""})
    packages = tmp_path / "target"
    install(packages, "wide", "1.0", {"wide.py": ""})
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (tmp_path / "beside", packages))))
    opened = project(tmp_path / "agent", {"tool.py": "import near, wide"})
    assert bundled(opened, "tool") == ["near.py", "tool.py"]
    assert [one.dotted for one in closure(opened, "tool").outside] == ["wide"]


def test_a_native_extension_is_reached(tmp_path: Path) -> None:
    opened = project(tmp_path, {"tool.py": "import fast", "fast.abi3.so": b"\x7fELF"})
    assert closure(opened, "tool").modules["fast"].location.native == tmp_path / "fast.abi3.so"
