"""One source, one artifact, byte for byte: wherever, whenever and by whomever it is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import packaging
import pytest

from tests.bundle.projects import install, virtual_environment, write
from tests.conftest import REPOSITORY

FILES = {
    "agent.py": "",
    "pyproject.toml": "[tool.lua]\npython = 'env'\ninclude = ['data/**']\n[project]\nname = 'x'\nversion = '1'\nrequires-python = '>=3.11'\n",
    "skills/gate.py": "import os\nX = os.environ.get('ZONE')",
    "skills/tools/track.py": (
        "import yaml\nfrom google.cloud import storage\nfrom skills.tools.größe import x\nPROMPT = '''Zeile\nZwei'''\n"
        "def f():\n    import skills.tools.late\n"
    ),
    "skills/tools/größe.py": "import os\nx = os.environ['B'] + os.environ['A']\n",
    "skills/tools/late.py": "import yaml\n",
    "texts/orders.md": "# Orders\n\nÄndern.\n",
    "data/z.csv": "1\n",
    "data/a/é.csv": "2\n",
    "data/B.csv": "3\n",
    "data/x.bin": b"\r\n\x00\xff",
}  # fmt: skip


def written(root: Path, newline: bytes = b"\n") -> Path:
    """The project; text that Python or a model reads, and the settings, with other line ends where asked for."""
    for name, content in FILES.items():
        data = content if isinstance(content, bytes) else content.encode()
        text = name.endswith((".py", ".md", ".toml"))
        write(root, {name: data.replace(b"\n", newline) if text else data})
    packages = virtual_environment(root / "env")
    install(packages, "PyYAML", "6.0.2", {"yaml/__init__.py": ""}, requires=('old; python_version < "3.12"', "six"))
    install(packages, "google-cloud-storage", "3.0", {"google/cloud/storage.py": ""})
    install(packages, "six", "1.0", {"six.py": ""})
    install(packages, "old", "1.0", {"old.py": ""})
    return root


def digest(root: Path, python: str = sys.executable, **environment: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), "A": "1", "B": "1", "ZONE": "1", **environment}
    command = [python, "-B", str(REPOSITORY / "tests" / "bundle" / "rebuild.py"), str(root)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=root.parent, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return digest(written(tmp_path_factory.mktemp("first") / "agent"))


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati"},
        {"PYTHONHASHSEED": "2", "TZ": "America/St_Johns", "LUA_TEST_UMASK": "0"},
        {"LC_ALL": "C", "LUA_TEST_UMASK": "77"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "SOURCE_DATE_EPOCH": "1"},
        {"HOME": "/nonexistent", "USER": "somebody", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONOPTIMIZE": "2"},
    ],
    ids=lambda environment: ",".join(environment),
)
def test_surroundings_do_not_matter(tmp_path: Path, expected: str, environment: dict[str, str]) -> None:
    assert digest(written(tmp_path / "elsewhere in a folder with ümlauts"), **environment) == expected


def test_times_and_modes_of_files_do_not_matter(tmp_path: Path, expected: str) -> None:
    root = written(tmp_path / "agent")
    for number, path in enumerate(sorted(root.rglob("*.py"))):
        os.utime(path, (number * 1e8, number * 1e8))
        path.chmod(0o600 if number % 2 else 0o755)
    assert digest(root) == expected


def test_the_order_in_which_files_were_made_does_not_matter(tmp_path: Path, expected: str) -> None:
    root = written(tmp_path / "agent")
    for path in sorted((p for p in root.rglob("*.*") if p.is_file()), reverse=True):
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
    assert digest(root) == expected


def test_a_checkout_with_crlf_gives_the_same(tmp_path: Path, expected: str) -> None:
    assert digest(written(tmp_path / "agent", newline=b"\r\n")) == expected


def test_a_project_that_is_reached_through_a_link(tmp_path: Path, expected: str) -> None:
    written(tmp_path / "real")
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    assert digest(tmp_path / "link") == expected


def test_the_build_of_before_does_not_matter(tmp_path: Path, expected: str) -> None:
    root = written(tmp_path / "agent")
    assert digest(root) == expected
    write(root, {"skills/tools/late.py": "x = 1"})
    assert digest(root) != expected
    write(root, {"skills/tools/late.py": FILES["skills/tools/late.py"]})
    assert digest(root) == expected


def other_pythons() -> list[str]:
    found = sorted(Path.home().glob(".pyenv/versions/3.1[1-9]*/bin/python"))
    return [
        str(path) for path in found if f"{sys.version_info[0]}.{sys.version_info[1]}." not in path.parent.parent.name
    ]


@pytest.mark.parametrize(
    "python", other_pythons() or [pytest.param("", marks=pytest.mark.skip("no other Python here"))]
)
def test_other_versions_of_python_give_the_same(tmp_path: Path, expected: str, python: str) -> None:
    """The only package that bundling needs from outside of the standard library is made of Python alone."""
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    (libraries / "packaging").symlink_to(Path(packaging.__file__).parent, target_is_directory=True)
    root = written(tmp_path / "agent")
    paths = os.pathsep.join((str(REPOSITORY), str(libraries)))
    assert digest(root, python, PYTHONPATH=paths) == expected
