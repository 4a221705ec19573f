"""Templates become projects: complete, under the name that was asked for, and never over a file that is there."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lua_cli.errors import LuaError, NotFoundError, UsageError
from lua_cli.scaffold import Template, checked_name, name_from_folder, scaffold, template_named, templates
from lua_cli.scaffold.create import NAMED

TEMPLATES = templates()
IDS = [template.name for template in TEMPLATES]


def tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_the_templates_and_their_descriptions() -> None:
    assert IDS == ["facts-flow", "minimal", "order-flow", "orders", "search-docs", "shared-base", "weather-flow"]
    for template in TEMPLATES:
        assert 20 < len(template.description) < 110, "one line that tells the templates apart"


@pytest.mark.parametrize("template", TEMPLATES, ids=IDS)
def test_a_project_is_the_template_under_another_name(template: Template, tmp_path: Path) -> None:
    root = tmp_path / "shop"
    made = scaffold(template, root, "my-shop")

    written, sources = tree(root), template.files()
    assert list(made.files) == sorted(written) == sorted(sources)
    assert (made.root, made.name, made.template) == (root, "my-shop", template.name)
    for path, source in sources.items():
        original = source.read_bytes()
        if path in NAMED:
            assert original != written[path], f"{path} must say the project's name"
            assert original.replace(template.project.encode(), b"my-shop") == written[path]
        else:
            assert template.project.encode() not in original, f"{path} says the template's own name: add it to NAMED"
            assert original == written[path]
    assert tomllib.loads(written["pyproject.toml"].decode())["project"]["name"] == "my-shop"
    assert ".lua/" in written[".gitignore"].decode().split() and ".env" in written[".gitignore"].decode().split()


def test_what_work_in_a_template_leaves_behind_is_not_copied(tmp_path: Path) -> None:
    folder = tmp_path / "template"
    for name in (
        "pyproject.toml",
        "src/agent.py",
        "src/__pycache__/agent.cpython-311.pyc",
        ".lua/build.json",
        ".venv/pyvenv.cfg",
        ".env",
        ".env.example",
        "lua.skill.toml",
        "gitignore",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("old-agent\n")

    made = scaffold(Template("t", "", "old-agent", folder), tmp_path / "out", "new")

    assert made.files == (".env.example", ".gitignore", "pyproject.toml", "src/agent.py")
    assert tree(tmp_path / "out")["src/agent.py"] == b"new\n"


def test_only_the_whole_name_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "template"
    folder.mkdir()
    (folder / "README.md").write_text("old-agent, old-agents, my-old-agent, (old-agent)")
    scaffold(Template("t", "", "old-agent", folder), tmp_path / "out", "new")
    assert (tmp_path / "out/README.md").read_text() == "new, old-agents, my-old-agent, (new)"


def test_an_unknown_template_is_answered_with_the_nearest_and_all_of_them() -> None:
    with pytest.raises(NotFoundError, match=r"no template 'order'") as caught:
        template_named("order")
    assert (
        caught.value.hint
        == "did you mean orders? there are facts-flow, minimal, order-flow, orders, search-docs, shared-base, weather-flow"
    )
    with pytest.raises(NotFoundError) as caught:
        template_named("qqq")
    assert (
        caught.value.hint == "there are facts-flow, minimal, order-flow, orders, search-docs, shared-base, weather-flow"
    )


@pytest.mark.parametrize(
    "name",
    ["", "-", "a-", "-a", "a--b", "My-Agent", "a_b", "a.b", "é", "a b", "a/b", "../a", "a\nb", 'a"b', "x" * 65],
)
def test_a_name_that_no_project_can_have(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a project"):
        checked_name(name)


def test_names_from_folders() -> None:
    assert [name_from_folder(folder) for folder in ("my-agent", "My Agent_2", "Été.v1", "x" * 80)] == [
        "my-agent",
        "my-agent-2",
        "ete-v1",
        "x" * 64,
    ]
    with pytest.raises(UsageError) as caught:
        name_from_folder("日本")
    assert caught.value.hint == "name it with --name my-agent"
    with pytest.raises(UsageError) as caught:
        checked_name("My Agent")
    assert caught.value.hint and caught.value.hint.endswith("for example my-agent")


def test_a_folder_with_other_files_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/notes.txt").write_text("mine")
    scaffold(template_named("minimal"), tmp_path, "x")
    assert (tmp_path / "src/notes.txt").read_text() == "mine"
    assert (tmp_path / "src/agent.py").is_file()


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("README.md", "README.md"),
        ("src/skills/tools/get_opening_hours.py", "src/skills/tools/get_opening_hours.py"),
        ("src", "src/agent.py, src/skills/__init__.py, src/skills/opening_hours.py and 2 more"),
    ],
)
def test_a_file_in_the_way_is_named_and_nothing_is_written(path: str, named: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("mine")
    with pytest.raises(UsageError) as caught:
        scaffold(template_named("minimal"), tmp_path, "x")
    assert caught.value.message == f"{tmp_path} has {named} already; nothing was written"
    assert tree(tmp_path) == {path: b"mine"}


def test_links_in_the_way_are_not_followed(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    root.mkdir()
    (root / "README.md").symlink_to(tmp_path / "nowhere")
    (root / "src").symlink_to(outside, target_is_directory=True)
    with pytest.raises(UsageError, match=r"README\.md, src/agent\.py"):
        scaffold(template_named("minimal"), root, "x")
    assert not list(outside.iterdir()) and not (tmp_path / "nowhere").exists()


def test_an_existing_project_is_told_how_to_become_one_of_lua(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\n')
    with pytest.raises(UsageError) as caught:
        scaffold(template_named("minimal"), tmp_path, "x")
    assert caught.value.hint and "add [tool.lua] with `entry = " in caught.value.hint
    (tmp_path / "pyproject.toml").write_text("[tool.lua]\n")
    with pytest.raises(UsageError) as caught:
        scaffold(template_named("minimal"), tmp_path, "x")
    assert caught.value.hint == "name a folder that does not exist yet"


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(UsageError, match="taken is a file"):
        scaffold(template_named("minimal"), tmp_path / "taken", "x")
    with pytest.raises(OSError):
        scaffold(template_named("minimal"), tmp_path / "taken" / "below", "x")
    assert tree(tmp_path) == {"taken": b"mine"}


@pytest.mark.parametrize("target", ["new", "a/b/new", "there"])
def test_a_disk_that_refuses_leaves_nothing_behind(target: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there/mine.txt").write_text("mine")
    # one block: the first file beyond it fails in the middle of its bytes, as on a full disk
    limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", sys.executable, "-m", "lua_cli"]
    done = subprocess.run(
        [*limited, "init", target, "--template", "orders", "--ci"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr and "too large" in done.stderr
    assert tree(tmp_path) == {"there/mine.txt": b"mine"}
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize("there", [False, True], ids=["a new folder", "a folder that is there"])
def test_of_several_at_once_one_makes_the_project(tmp_path: Path, there: bool) -> None:
    template = template_named("orders")
    if there:
        (tmp_path / "new").mkdir()

    def attempt(number: int) -> str:
        try:
            return scaffold(template, tmp_path / "new", f"name-{number}").name
        except LuaError as error:
            return error.message

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(8)))
    names = [answer for answer in answers if answer.startswith("name-")]
    assert len(names) == 1 and all("nothing was written" in answer for answer in answers if answer not in names)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert sorted(tree(tmp_path / "new")) == sorted(template.files())
    assert f'name = "{names[0]}"' in (tmp_path / "new/pyproject.toml").read_text()


def test_folders_have_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.mkdir()
    scaffold(template_named("minimal"), tmp_path / "new", "x")
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize("template", TEMPLATES, ids=IDS)
def test_a_new_project_compiles_with_nothing_to_say_and_its_cases_pass(
    template: Template, tmp_path: Path, lua: Callable[..., object]
) -> None:
    root = scaffold(template, tmp_path / "project", "mine").root
    compiled = lua("compile", "--ci", "--strict", "--format", "concise", cwd=root)
    assert (compiled.exit_code, compiled.stdout) == (0, ""), compiled
    tested = lua("test", "--ci", cwd=root)
    assert tested.exit_code == 0, tested
