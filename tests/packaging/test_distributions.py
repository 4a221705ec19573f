"""What a user installs: the files of the wheel and of the sdist, and a project made by an installed copy.

Built from a copy of the checkout that somebody has worked in: caches, a `.env`, build output of a template.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from lua_cli import __version__
from lua_cli.scaffold.templates import SKIPPED

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SHIPPED = ("lua_cli", "templates", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore")
LEFT_BEHIND = (
    "lua_cli/__pycache__/main.cpython-311.pyc",
    "templates/orders/src/__pycache__/agent.cpython-311.pyc",
    "templates/orders/.env",
    "templates/orders/.lua/artifacts/orders.luapkg",
    ".env",
)


@dataclass(frozen=True)
class Distributions:
    wheel: Path
    sdist: Path

    def names(self) -> tuple[set[str], set[str]]:
        """Files of the wheel and of the sdist, without the folder that the sdist wraps them in."""
        with zipfile.ZipFile(self.wheel) as wheel, tarfile.open(self.sdist) as sdist:
            inside = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
            return set(wheel.namelist()), inside


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("checkout")
    for name in SHIPPED:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns(*SKIPPED))
        else:
            shutil.copy(source, root / name)
    for name in LEFT_BEHIND:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("left behind")
    return root


@pytest.fixture(scope="module")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The sdist, and the wheel that is built from it: the way that an index's users get it."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, checkout, cwd=out)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return Distributions(wheel, sdist)


def expected(root: Path, folder: str) -> set[str]:
    files = (path for path in (root / folder).rglob("*") if path.is_file())
    names = {path.relative_to(root).as_posix() for path in files}
    return names - set(LEFT_BEHIND)


def test_the_wheel_holds_the_package_and_the_templates_and_nothing_else(checkout: Path, built: Distributions) -> None:
    wheel, _ = built.names()
    templates = {name.replace("templates/", "lua_cli/_templates/", 1) for name in expected(checkout, "templates")}
    metadata = {
        f"lua_cli-{__version__}.dist-info/{name}"
        for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    }
    assert wheel == expected(checkout, "lua_cli") | templates | metadata
    assert {"lua_cli/py.typed", "lua_cli/_help.txt", "lua_cli/_templates/orders/.env.example"} <= wheel


def test_the_sdist_builds_the_same_wheel(checkout: Path, built: Distributions) -> None:
    _, sdist = built.names()
    own = {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore", "PKG-INFO"}
    assert sdist == expected(checkout, "lua_cli") | expected(checkout, "templates") | own


def test_a_wheel_built_from_the_checkout_is_the_same(checkout: Path, built: Distributions, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, checkout, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert Distributions(wheel, built.sdist).names() == built.names()


def test_the_version_is_said_once_in_each_place() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__
    assert f"## [{__version__}]" in (REPOSITORY / "CHANGELOG.md").read_text("utf-8")


def test_an_installed_copy_makes_a_project(built: Distributions, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin/python"
    run(
        sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", built.wheel, cwd=tmp_path
    )
    # the dependencies come from this environment; the package itself must not
    (site,) = home.glob("lib/python3.*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"])

    where = run(python, "-c", "import lua_cli; print(lua_cli.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(site)
    for command in ("lua", "lua-cli", "heylua"):
        assert run(home / "bin" / command, "--version", cwd=tmp_path) == f"lua-cli {__version__}\n"
    run(home / "bin/lua", "init", "shop", "--template", "orders", "--ci", cwd=tmp_path)
    assert (tmp_path / "shop/.gitignore").is_file() and (tmp_path / "shop/.env.example").is_file()
    compiled = run(home / "bin/lua", "compile", "--ci", "--format", "concise", cwd=tmp_path / "shop")
    assert compiled == ""
    artifacts = sorted(path.name for path in (tmp_path / "shop/.lua/artifacts").glob("*.luapkg"))
    assert artifacts == ["orders.luapkg", "refunds.luapkg"]


def test_a_project_of_an_installed_copy_has_no_bytecode(built: Distributions, tmp_path: Path) -> None:
    """pip compiles what it installs, the templates too."""
    site = tmp_path / "site"
    run(
        *(
            sys.executable,
            "-m",
            "pip",
            "install",
            "--no-deps",
            "--no-index",
            "--compile",
            "--target",
            site,
            built.wheel,
        ),
        cwd=tmp_path,
    )
    assert list(site.rglob("_templates/**/*.pyc")), "pip left none: then this test says nothing"
    code = (
        "import sys; from pathlib import Path; from lua_cli.scaffold import scaffold, template_named;"
        "scaffold(template_named('orders'), Path('shop'), 'shop')"
    )
    run(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(site)!r}); {code}", cwd=tmp_path)
    assert not list((tmp_path / "shop").rglob("*.pyc")) and not list((tmp_path / "shop").rglob("__pycache__"))
