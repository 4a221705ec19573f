"""Where modules are found: by the rules of Python's import system, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import lua_cli
from lua_cli.project import open_project
from lua_cli.source import SourceIndex

Write = Callable[[Mapping[str, str]], Path]


def index_of(root: Path) -> SourceIndex:
    return SourceIndex(open_project(root))


def test_a_package_comes_before_a_module_and_stubs_play_no_part(write_project: Write) -> None:
    root = write_project({"agent.py": "", "kit.py": "", "kit/__init__.py": "", "kit/one.pyi": "", "two.pyi": ""})
    index = index_of(root)
    location = index.locate("kit")
    assert location is not None and location.is_package and location.path == root / "kit" / "__init__.py"
    assert index.locate("kit.one") is None
    assert index.locate("two") is None


def test_a_namespace_package_has_a_portion_in_each_root(write_project: Write) -> None:
    pyproject = '[tool.lua]\nentry = "src/agent.py"\nimport-roots = ["src", "lib"]\n'
    files = {"src/agent.py": "", "src/acme/tools/t.py": "", "lib/acme/common.py": "", "pyproject.toml": pyproject}
    root = write_project(files)
    index = index_of(root)
    acme = index.locate("acme")
    assert acme is not None and acme.path is None
    assert acme.portions == (root / "src" / "acme", root / "lib" / "acme")
    common, tool = index.locate("acme.common"), index.locate("acme.tools.t")
    assert common is not None and common.path == root / "lib" / "acme" / "common.py"
    assert tool is not None and tool.origin == "first-party"


def test_a_regular_package_further_down_the_path_beats_a_bare_folder(write_project: Write) -> None:
    root = write_project({"agent.py": "", "pydantic/notes.txt": "", "tests/x.py": ""})
    location = index_of(root).locate("pydantic")
    assert location is not None and location.origin == "third-party"


@pytest.mark.parametrize("name", ["os", "abc", "sys", "io"])
def test_what_python_starts_with_is_never_shadowed(name: str, write_project: Write) -> None:
    location = index_of(write_project({"agent.py": "", f"{name}.py": ""})).locate(name)
    assert location is not None and location.origin in ("stdlib", "builtin")


def test_a_project_file_beats_the_standard_library(write_project: Write) -> None:
    root = write_project({"agent.py": "", "calendar.py": ""})
    location = index_of(root).locate("calendar")
    assert location is not None and location.path == root / "calendar.py"


def test_pythonpath_stands_before_the_packages(write_project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_project({"agent.py": "", "site/vendor_tools/__init__.py": "", "site/attr.py": ""})
    monkeypatch.setenv("PYTHONPATH", str(root / "site"))
    index = index_of(root)
    vendor, attr = index.locate("vendor_tools"), index.locate("attr")
    assert vendor is not None and vendor.origin == "third-party"
    assert attr is not None and attr.path == root / "site" / "attr.py"


def test_an_extension_module_beats_a_source_beside_it(write_project: Write) -> None:
    root = write_project(
        {"agent.py": "", "fast.py": "", "fast.abi3.so": "", "other.cpython-27-x86_64-linux-gnu.so": ""}
    )
    index = index_of(root)
    fast = index.locate("fast")
    assert fast is not None and fast.path is None and fast.native == root / "fast.abi3.so"
    assert index.locate("other") is None, "it is tagged for another Python"


def test_the_sdk_is_the_one_that_belongs_to_the_compiler(write_project: Write) -> None:
    index = index_of(write_project({"agent.py": "", "tools/lua_cli.py": "", "tools/json.py": ""}))
    sdk, json, own = index.locate("lua_cli"), index.locate("json"), index.locate("tools.json")
    assert sdk is not None and sdk.origin == "sdk"
    assert json is not None and json.origin == "stdlib"
    assert own is not None and own.origin == "first-party"


def test_the_sdk_stays_the_sdk_where_pythonpath_leads_to_it(
    write_project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(lua_cli.__file__).parent.parent))
    location = index_of(write_project({"agent.py": ""})).locate("lua_cli")
    assert location is not None and location.origin == "sdk"


def test_a_module_is_no_package(write_project: Write) -> None:
    index = index_of(write_project({"agent.py": "", "leaf.py": ""}))
    assert index.locate("leaf.inner") is None
    assert index.locate("no_such_module") is None


def test_an_editable_install_leads_to_its_source(write_project: Write) -> None:
    root = write_project(
        {"agent.py": "", "elsewhere/acme_base/__init__.py": "", "env/lib/python3.11/site-packages/x.txt": ""}
    )
    site = root / "env" / "lib" / "python3.11" / "site-packages"
    finder = f"MAPPING: dict[str, str] = {{'acme_base': {str(root / 'elsewhere' / 'acme_base')!r}}}\n"
    (site / "__editable___acme_base_1_0_finder.py").write_text(finder)
    (root / "env" / "bin").mkdir()
    (root / "env" / "bin" / "python").write_text("")
    (root / "pyproject.toml").write_text('[tool.lua]\npython = "env"\n')
    location = index_of(root).locate("acme_base")
    assert location is not None and location.path == root / "elsewhere" / "acme_base" / "__init__.py"
    assert location.origin == "third-party"
