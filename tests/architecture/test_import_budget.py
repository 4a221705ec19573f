"""What a command line may import, as module names: a time would depend on the machine, a module count does not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

HEAVY = {
    "libcst",
    "typer",
    "rich",
    "pydantic",
    "httpx",
    "jsonschema_rs",
    "platformdirs",
    "packaging",
    "tomli_w",
    "ruamel",
}


def modules_after(code: str, cwd: Path) -> set[str]:
    """Top-level packages in `sys.modules` at the end of `code`, in a fresh interpreter."""
    tail = "\nimport json, sys; sys.stderr.write(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, cwd=cwd, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_import_nothing_heavy(argument: str, tmp_path: Path) -> None:
    loaded = modules_after(f"from lua_cli.main import main; main([{argument!r}])", tmp_path)
    assert not loaded & HEAVY, f"lua {argument} must answer from constants: move the import into a command's body"


def test_the_sdk_is_standard_library_only(tmp_path: Path) -> None:
    loaded = modules_after("import lua_cli", tmp_path)
    bare = modules_after("", tmp_path)
    third = {name for name in loaded - bare if name not in sys.stdlib_module_names}
    assert third == {"lua_cli"}


def test_the_application_imports_typer_alone(tmp_path: Path) -> None:
    loaded = modules_after("import lua_cli.commands.app", tmp_path)
    assert loaded & HEAVY == {"typer"}, "command files are thin: heavy imports belong into their bodies"


def test_an_unchanged_compile_imports_nothing_heavy(tmp_path: Path) -> None:
    """typer alone brings pydantic: a compile with nothing to do answers without both."""
    root = tmp_path / "shop"
    ignored = shutil.ignore_patterns("__pycache__", ".lua")
    shutil.copytree(REPOSITORY / "templates" / "minimal", root, ignore=ignored)
    compiling = "from lua_cli.main import main; assert main(['compile']) == 0"
    assert "ast" in modules_after(compiling, root)
    assert not modules_after(compiling, root) & HEAVY


def all_modules_after(code: str, cwd: Path) -> set[str]:
    """Every module in `sys.modules` at the end of `code`, less those of a bare interpreter."""
    tail = "\nimport sys; had = set(sys.modules); import json; sys.stderr.write(json.dumps(sorted(had)))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, cwd=cwd, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


# The dearest modules of the standard library: each costs a fifth of a bare Python and more.
DEAR = {"typing", "dataclasses", "inspect", "re", "pathlib", "json", "hashlib", "tempfile", "tomllib", "enum"}


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_load_next_to_nothing(argument: str, tmp_path: Path) -> None:
    loaded = all_modules_after(f"from lua_cli.main import main; main([{argument!r}])", tmp_path)
    added = loaded - all_modules_after("", tmp_path)
    assert not added & DEAR
    assert {name for name in added if name.startswith("lua_cli")} == {
        "lua_cli",
        "lua_cli._version",
        "lua_cli.errors",
        "lua_cli.main",
    }


def test_an_unchanged_compile_that_is_known_loads_next_to_nothing(tmp_path: Path) -> None:
    """The guard of `pipeline/at_once.py`: by modules, since a time would depend on the machine."""
    root = tmp_path / "shop"
    ignored = shutil.ignore_patterns("__pycache__", ".lua")
    shutil.copytree(REPOSITORY / "templates" / "minimal", root, ignore=ignored)
    young = "import lua_cli.pipeline.keeping as k; k.RACY_NS = -10**13\n"
    compiling = "from lua_cli.main import main; assert main(['compile']) == 0"
    all_modules_after(young + compiling, root)
    assert (root / ".lua/cache/answers/compile-text.txt").is_file()
    added = all_modules_after(compiling, root) - all_modules_after("", tmp_path)
    assert not added & DEAR
    assert {name for name in added if name.startswith("lua_cli")} == {
        "lua_cli",
        "lua_cli._version",
        "lua_cli.commands",
        "lua_cli.commands.at_once",
        "lua_cli.errors",
        "lua_cli.main",
        "lua_cli.pipeline",
        "lua_cli.pipeline.at_once",
    }


def loaded_after_an_edit(tmp_path: Path, old: str, new: str) -> set[str]:
    """What a compile loads when a tool of a compiled project has been edited; there is a new build of it then."""
    root = tmp_path / "shop"
    shutil.copytree(REPOSITORY / "templates" / "minimal", root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    compiling = "from lua_cli.main import main; assert main(['compile']) == 0"
    all_modules_after(compiling, root)
    source = root / "src/skills/tools/get_opening_hours.py"
    text = source.read_text("utf-8")
    assert old in text
    source.write_text(text.replace(old, new, 1), "utf-8")
    built = (root / ".lua" / "artifacts").resolve()
    added = all_modules_after(compiling, root) - all_modules_after("", tmp_path)
    assert (root / ".lua" / "artifacts").resolve() != built
    return added


def test_an_edit_of_a_body_loads_next_to_nothing(tmp_path: Path) -> None:
    """The guard of `pipeline/afresh.py`: the artifact and the document are written anew, and little is loaded for it."""
    added = loaded_after_an_edit(tmp_path, "\n        return {", "\n        # now\n        return {")
    assert not added & (DEAR | {"ast", "urllib", "contextlib"})
    stages = {name.split(".")[1] for name in added if name.startswith("lua_cli.")}
    assert stages <= {"_version", "bundle", "commands", "digests", "errors", "main", "pipeline", "plain_json", "source"}


def test_an_edit_of_a_word_loads_the_rules_of_words_and_no_reader(tmp_path: Path) -> None:
    """The guard of `pipeline/rejudged.py`."""
    added = loaded_after_an_edit(tmp_path, '    name = "get_opening_hours"\n', '    name = "tell_opening_hours"\n')
    assert "lua_cli.pipeline.rejudged" in added
    assert not added & {"libcst", "pydantic", "rich", "typer", "hashlib", "subprocess", "tomllib"}
    assert {name for name in added if name.startswith("lua_cli.analysis.")} == {"lua_cli.analysis.model"}
    assert not {name for name in added if name.startswith(("lua_cli.project", "lua_cli.source.index"))}


def test_a_push_of_an_unchanged_project_loads_sqlite_and_next_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard of `commands/pushing_ahead.py`: the registry is asked, and nothing is loaded that a push plans with."""
    monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "config"))
    root = tmp_path / "shop"
    ignored = shutil.ignore_patterns("__pycache__", ".lua")
    shutil.copytree(REPOSITORY / "templates" / "minimal", root, ignore=ignored)
    pushing = "assert main(['push', 'all']) == 0"
    for _ in range(2):  # the second one finds what the first one sent
        all_modules_after(SAID + pushing, root)
    assert (root / ".lua/cache/answers/push-all@-text.txt").is_file()
    added = all_modules_after(f"from lua_cli.main import main\n{pushing}", root) - all_modules_after("", tmp_path)
    assert not added & (DEAR - {"hashlib"})
    assert {name for name in added if name.startswith("lua_cli")} == {
        "lua_cli",
        "lua_cli._version",
        "lua_cli.commands",
        "lua_cli.commands.at_once",
        "lua_cli.commands.pushing_ahead",
        "lua_cli.errors",
        "lua_cli.main",
        "lua_cli.pipeline",
        "lua_cli.pipeline.at_once",
        "lua_cli.registry",
        "lua_cli.registry.database",
        "lua_cli.registry.standing",
    }
    assert len(added) <= 40, sorted(added)


SAID = "import lua_cli.pipeline.keeping as k; k.RACY_NS = -10**13\nfrom lua_cli.main import main\n"
TESTED = """\
from lua_cli import LuaAgent, LuaSkill, LuaTool


class Ping(LuaTool):
    name = "ping"
    description = "Answer. Use when somebody tests."
    input_schema = {"type": "object", "properties": {}}

    def execute(self, input):
        return 1


agent = LuaAgent(name="a", skills=[LuaSkill(name="s", context="Testing.", tools=[Ping()])])
"""


def test_a_tool_of_an_unchanged_project_begins_with_next_to_nothing(tmp_path: Path) -> None:
    """The guard of `runtime/ahead.py`: what the parent loads, all of it, with what it loads while the tool starts."""
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "pyproject.toml").write_text("[tool.lua]\n")
    (root / "src/agent.py").write_text(TESTED)
    running = "assert main(['test', '--ci', 'skill', '--name', 'ping', '--input', '{}']) == 0"
    all_modules_after(SAID + running, root)
    added = all_modules_after(f"from lua_cli.main import main\n{running}", root) - all_modules_after("", tmp_path)
    assert "lua_cli.runtime.ahead" in added, "the short way was not taken"
    assert not added & {"typing", "dataclasses", "inspect", "pathlib", "subprocess", "tempfile", "shutil", "tomllib"}
    assert not added & HEAVY
    assert len(added) <= 62, sorted(added)


def test_the_process_of_a_plain_tool_loads_little_more_than_the_sdk(tmp_path: Path) -> None:
    alone = all_modules_after("import lua_cli.sdk", tmp_path)
    loaded = all_modules_after("import lua_cli.child.supervise, lua_cli.child.early, lua_cli.child.run", tmp_path)
    added = loaded - alone
    assert not added & {"inspect", "dataclasses", "ast", "dis", "asyncio", "pathlib", "logging", "subprocess"}
    assert len(added) <= 32, sorted(added)
