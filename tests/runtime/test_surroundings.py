"""What a run takes from outside: the environment, packages, the project that it must not see; and what it shows of
failures.
"""

from __future__ import annotations

import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from lua_cli.errors import LuaError, NotFoundError, UsageError
from lua_cli.runtime import RunResult
from tests.runtime.workshop import Workshop, tool_module

READS_ALL = "return {name: os.environ.get(name) for name in 'ABCDEFG'}"


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "project")


def run_once(
    workshop: Workshop, body: str, head: str = "import os", reads: tuple[str, ...] = (), **given: Any
) -> RunResult:
    module, tools = tool_module({"tool": body}, head)
    return workshop.run(workshop.opened(workshop.draft({"tools.py": module}, tools, env=reads)), "tool", **given)


def test_values_come_from_the_case_then_the_shell_then_the_file_then_the_projects_env(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (workshop.root / ".env").write_text("A=project\nB=project\nC=project\nD=project\n", encoding="utf-8")
    (tmp_path / ".env").write_text("E=above\n", encoding="utf-8")
    (tmp_path / "more.env").write_text("A=file\nB=file\nC=file\n", encoding="utf-8")
    monkeypatch.setenv("A", "shell")
    monkeypatch.setenv("B", "shell")
    monkeypatch.setenv("F", "shell")
    result = run_once(workshop, READS_ALL, reads=tuple("ABCDE"), env_file=tmp_path / "more.env", env={"A": "case"})
    assert result.output == {"A": "case", "B": "shell", "C": "file", "D": "project", "E": None, "F": None, "G": None}


def test_the_syntax_of_env_files(workshop: Workshop) -> None:
    text = '\ufeffA=file\r\nexport B=2\r\nC="x # y"\r\nD=x # y\r\nE=${A}/e\r\nF=\r\n# G=1\r\n'
    (workshop.root / ".env").write_bytes(text.encode("utf-8"))
    result = run_once(workshop, READS_ALL, reads=tuple("ABCDEFG"))
    assert result.output == {"A": "file", "B": "2", "C": "x # y", "D": "x", "E": "file/e", "F": "", "G": None}


def test_an_env_file_that_cannot_be_used(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "latin.env").write_bytes(b"A=\xfc\n")
    with pytest.raises(UsageError, match=r"latin.env is not UTF-8 \(byte 2\)"):
        run_once(workshop, "return 1", env_file=tmp_path / "latin.env")
    with pytest.raises(NotFoundError, match="no such file"):
        run_once(workshop, "return 1", env_file=tmp_path / "none.env")


def test_a_missing_variable_is_named_with_what_to_do(workshop: Workshop) -> None:
    result = run_once(workshop, "return os.environ['PAYMENTS_KEY']", reads=("PAYMENTS_KEY",))
    assert result.error is not None
    assert result.error.message == "KeyError: 'PAYMENTS_KEY'"
    assert result.error.hint == "the variable PAYMENTS_KEY is not set: put it into .env, or pass --env-file"
    through_sdk = run_once(workshop, "return env('PAYMENTS_KEY')", "from lua_cli import env", reads=("PAYMENTS_KEY",))
    assert through_sdk.error is not None
    assert "the environment variable PAYMENTS_KEY is not set" in through_sdk.error.message


FAILS = """
import logging

def outer(key):
    try:
        return inner(key)
    except LookupError as error:
        raise RuntimeError(f"no luck with {key}") from error

def inner(key):
    return {}[key]
"""


def test_a_traceback_has_the_users_frames_alone_and_no_secrets(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_API_KEY", "k-12345")
    monkeypatch.setenv("DATABASE", "postgres://me:pass-word@db.example/x")
    monkeypatch.setenv("MODE", "fast")
    head = "import asyncio, os\nfrom helper import outer"
    body = """
        async def execute(self, input):
            print("the key is", os.environ["ACME_API_KEY"], os.environ["MODE"], os.environ["DATABASE"])
            return await asyncio.to_thread(outer, os.environ["ACME_API_KEY"])
    """
    module, tools = tool_module({"tool": body}, head)
    draft = workshop.draft({"tools.py": module, "helper.py": FAILS}, tools, env=("ACME_API_KEY", "DATABASE", "MODE"))
    result = workshop.run(workshop.opened(draft), "tool")
    assert result.error is not None
    assert (result.error.type, result.exit_code) == ("tool-error", 1)
    assert result.error.message == "RuntimeError: no luck with ***"
    assert result.logs == "the key is *** fast postgres://me:***@db.example/x\n"
    assert (result.error.traceback or "").splitlines() == [
        "Traceback (most recent call last):",
        '  File "src/helper.py", line 6, in outer',
        "    return inner(key)",
        '  File "src/helper.py", line 11, in inner',
        "    return {}[key]",
        "KeyError: '***'",
        "",
        "The above exception led to the following one:",
        "",
        "Traceback (most recent call last):",
        '  File "src/tools.py", line 11, in ToolTool.execute',
        '    return await asyncio.to_thread(outer, os.environ["ACME_API_KEY"])',
        '  File "src/helper.py", line 8, in outer',
        '    raise RuntimeError(f"no luck with {key}") from error',
        "RuntimeError: no luck with ***",
    ]


GROUP = """
    async def execute(self, input):
        async with asyncio.TaskGroup() as group:
            group.create_task(self.first())
            group.create_task(self.second())

    async def first(self):
        raise ValueError("no " + os.environ["ACME_API_KEY"])

    async def second(self):
        raise ExceptionGroup("inner", [KeyError("x"), OSError(28, "No space left on device")])
"""


def test_the_exceptions_in_a_group_are_shown(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "k-12345")
    result = run_once(workshop, GROUP.replace("\n    ", "\n"), "import asyncio, os", reads=("ACME_API_KEY",))
    assert result.error is not None
    assert result.error.exception == "ExceptionGroup"
    assert "k-12345" not in str(result)
    assert (result.error.traceback or "").splitlines() == [
        "Traceback (most recent call last):",
        '  File "src/tools.py", line 9, in ToolTool.execute',
        "    async with asyncio.TaskGroup() as group:",
        "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)",
        "",
        "in the group:",
        "  Traceback (most recent call last):",
        '    File "src/tools.py", line 14, in ToolTool.first',
        '      raise ValueError("no " + os.environ["ACME_API_KEY"])',
        "  ValueError: no ***",
        "",
        "in the group:",
        "  Traceback (most recent call last):",
        '    File "src/tools.py", line 17, in ToolTool.second',
        '      raise ExceptionGroup("inner", [KeyError("x"), OSError(28, "No space left on device")])',
        "  KeyError: 'x'",
        "",
        "in the group:",
        "  Traceback (most recent call last):",
        '    File "src/tools.py", line 17, in ToolTool.second',
        '      raise ExceptionGroup("inner", [KeyError("x"), OSError(28, "No space left on device")])',
        "  OSError: [Errno 28] No space left on device",
    ]


def test_an_exception_whose_words_cannot_be_had(workshop: Workshop) -> None:
    head = "class Odd(Exception):\n    def __str__(self):\n        raise ValueError('no')"
    result = run_once(workshop, "raise Odd", head)
    assert result.error is not None
    assert result.error.message == "tools.Odd: (its __str__ raised ValueError)"


def test_a_failed_import_at_run_time_names_the_line(workshop: Workshop) -> None:
    head = "import os\nif os.environ.get('BREAK') == 'yes':\n    import nosuchpackage"
    module, tools = tool_module({"tool": "return 1"}, head)
    opened = workshop.opened(workshop.draft({"tools.py": module}, tools, env=("BREAK",)))
    result = workshop.run(opened, "tool", env={"BREAK": "yes"})
    assert result.error is not None
    assert result.error.message == "importing it failed: ModuleNotFoundError: No module named 'nosuchpackage'"
    assert '  File "src/tools.py", line 3, in <module>' in (result.error.traceback or "")
    assert "is `nosuchpackage` a module of the project?" in (result.error.hint or "")


def test_the_projects_own_modules_are_not_there(workshop: Workshop) -> None:
    workshop.write({"forgotten.py": "VALUE = 1\n"})
    body = """
        try:
            import forgotten
        except ModuleNotFoundError as error:
            return str(error)
        return "found in the project"
    """
    assert run_once(workshop, body).output == "No module named 'forgotten'"


def test_of_lua_cli_only_the_sdk_is_there(workshop: Workshop) -> None:
    body = """
        found = []
        for name in ("lua_cli.sdk", "lua_cli.sdk.tool", "lua_cli.bundle", "lua_cli.main", "lua_cli.errors"):
            try:
                importlib.import_module(name)
                found.append(name)
            except ModuleNotFoundError:
                pass
        import lua_cli
        return [found, lua_cli.__version__, issubclass(type(self), lua_cli.LuaTool)]
    """
    from lua_cli import __version__

    assert run_once(workshop, body, "import importlib").output == [
        ["lua_cli.sdk", "lua_cli.sdk.tool"],
        __version__,
        True,
    ]


def test_another_python_gets_the_sdk_and_not_the_packages_of_the_cli(workshop: Workshop) -> None:
    """A virtual environment of the project, with an editable install of the project itself and one package."""
    folder = workshop.root / ".venv"
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python3.*/site-packages"))
    (site / "__editable__.project.pth").write_text(f"{workshop.root / 'src'}\n", encoding="utf-8")
    (site / "only_here.py").write_text("VALUE = 'from the venv'\n", encoding="utf-8")
    workshop.write({"forgotten.py": "VALUE = 1\n"})
    body = """
        input_schema = {"type": "object"}

        def execute(self, input):
            found = {}
            for name in ("only_here", "forgotten", "pydantic", "lua_cli"):
                try:
                    found[name] = getattr(__import__(name), "VALUE", True)
                except ModuleNotFoundError:
                    found[name] = None
            return [found, sys.prefix]
    """
    result = run_once(workshop, body, "import sys")
    assert result.output == [
        {"only_here": "from the venv", "forgotten": None, "pydantic": None, "lua_cli": True},
        str(folder),
    ]


def test_an_import_hook_of_an_editable_install_does_not_lead_into_the_project(workshop: Workshop) -> None:
    folder = workshop.root / ".venv"
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python3.*/site-packages"))
    hook = f"""
import importlib.util, sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "forgotten":
            return importlib.util.spec_from_file_location(name, {str(workshop.root / "src" / "forgotten.py")!r})
sys.meta_path.append(Finder)
"""
    (site / "_hook.py").write_text(hook, encoding="utf-8")
    (site / "hook.pth").write_text("import _hook\n", encoding="utf-8")
    workshop.write({"forgotten.py": "VALUE = 1\n"})
    body = """
        input_schema = {"type": "object"}

        def execute(self, input):
            try:
                import forgotten
            except ModuleNotFoundError as error:
                return str(error)
            return "found in the project"
    """
    assert run_once(workshop, body).output == "No module named 'forgotten'"


def test_a_python_without_pydantic_says_so_when_a_schema_needs_it(workshop: Workshop) -> None:
    venv.create(workshop.root / ".venv", with_pip=False, symlinks=True)
    module, tools = tool_module(
        {"tool": "def execute(self, input: Data):\n    return 1"},
        "import dataclasses\n@dataclasses.dataclass\nclass Data:\n    a: int",
    )
    (finding,) = workshop.look(workshop.draft({"tools.py": module}, tools)).findings
    assert finding.code == "lua/schema-failed"
    assert finding.facts["reason"].startswith("pydantic is not installed for ")


def test_a_python_that_cannot_be_started(workshop: Workshop) -> None:
    with pytest.raises(LuaError, match="cannot start"):
        run_once(workshop, "return 1", interpreter=workshop.root / "no-python")


def test_a_file_of_the_user_that_is_called_like_a_library_module(workshop: Workshop) -> None:
    files = {
        "tools/__init__.py": "",
        "tools/json.py": "from lua_cli import LuaTool\nclass J(LuaTool):\n    name = 'j'\n    description = 'd'\n    def execute(self, input):\n        import json\n        return [json.dumps({'a': 1}), __name__]\n",
    }
    opened = workshop.opened(workshop.draft(files, {"j": "tools.json:J"}))
    assert workshop.run(opened, "j").output == ['{"a": 1}', "tools.json"]


def test_a_top_level_file_of_the_user_comes_before_a_library_module_of_its_name(workshop: Workshop) -> None:
    """Whatever lua-cli itself imports ahead of the tool."""
    text = "import annotated_types, heapq\nfrom pydantic import BaseModel\nfrom lua_cli import LuaTool\n"
    text += "class In(BaseModel):\n    a: int = 1\n"
    text += "class T(LuaTool):\n    name = 't'\n    description = 'd'\n    async def execute(self, input: In):\n"
    text += "        return [heapq.OWN, annotated_types.__name__]\n"
    files = {"tools.py": text, "heapq.py": "from _heapq import *\nOWN = True\n"}
    assert workshop.run(workshop.opened(workshop.draft(files, {"t": "tools:T"})), "t").output == [
        True,
        "annotated_types",
    ]


def test_lazy_relative_imports_know_their_package(workshop: Workshop) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/shared.py": "VALUE = 1\n",
        "shop/tools/__init__.py": "",
        "shop/tools/helpers.py": "def fmt(value):\n    return f'<{value}>'\n",
        "shop/tools/get.py": """
            from lua_cli import LuaTool
            from ..shared import VALUE

            class Get(LuaTool):
                name = "get"
                description = "d"

                async def execute(self, input):
                    from .helpers import fmt

                    return fmt(VALUE)
        """,
    }
    assert workshop.run(workshop.opened(workshop.draft(files, {"get": "shop.tools.get:Get"})), "get").output == "<1>"


@pytest.mark.parametrize(
    ("body", "output"),
    [
        ("@timed\nasync def execute(self, i):\n    return {'ok': True}", {"ok": True}),
        ("@timed\ndef execute(self, i):\n    return {'ok': True}", {"ok": True}),
        ("async def execute(self, i):\n    for n in range(3):\n        yield n", [0, 1, 2]),
        ("def execute(self, i):\n    yield from range(3)", [0, 1, 2]),
        ("def _do(self, i, n):\n    return n\nexecute = functools.partialmethod(_do, n=3)", 3),
        ("def execute(self, i):\n    return asyncio.run(later(4))", 4),
        ("async def execute(self, i):\n    return later(later(5))", 5),
        ("lock = asyncio.Lock()\nasync def execute(self, i):\n    async with self.lock:\n        return 6", 6),
        ("async def execute(self, i):\n    return asyncio.create_task(later(7))", 7),
        (
            "def __init__(self):\n    self.value = 8\n    super().__init__()\ndef execute(self, i):\n    return self.value",
            8,
        ),
        ("def execute(self, i):\n    threading.main_thread()\n    return loop_runs()", False),
    ],
)
def test_whatever_execute_is(body: str, output: object, workshop: Workshop) -> None:
    head = """
        import asyncio, functools, threading

        def timed(fn):
            def inner(*a, **k):
                return fn(*a, **k)
            return inner

        async def later(value):
            await asyncio.sleep(0)
            return value

        def loop_runs():
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return False
            return True
    """
    body = (
        body
        if body.startswith(("@", "def execute", "async"))
        else "@property\ndef unused(self):\n    return 1\n" + body
    )
    result = run_once(workshop, body, head)
    assert result.error is None
    assert result.output == output
    assert result.logs == ""


def test_the_pythons_version_is_told_when_it_is_too_old(workshop: Workshop, tmp_path: Path) -> None:
    """The script that children start with must be readable for any Python 3; an old one is played by a changed
    version.
    """
    old = tmp_path / "python"
    old.write_text(
        f"#!{sys.executable}\nimport runpy, sys\nsys.version_info = (3, 8, 0)\nsys.argv = sys.argv[5:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n",
        encoding="utf-8",
    )
    old.chmod(0o755)
    with pytest.raises(LuaError, match=r"the project's Python is 3\.8, and tools need 3\.11 or newer"):
        run_once(workshop, "return 1", interpreter=old)


def test_unpacked_artifacts_that_nobody_needs_are_removed_after_a_day(tmp_path: Path) -> None:
    import os
    import time

    from lua_cli.runtime import forget_old

    for name in ("a" * 64, "b" * 64, "c" * 64):
        (tmp_path / name).mkdir()
    yesterday = time.time() - 25 * 3600
    for name in ("a" * 64, "b" * 64):
        os.utime(tmp_path / name, (yesterday, yesterday))
    forget_old(tmp_path, {"sha256:" + "a" * 64})
    assert sorted(path.name[0] for path in tmp_path.iterdir()) == ["a", "c"]
    forget_old(tmp_path / "nothing", set())


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("Path(__file__).parent / 'data' / 'prices.json'", "it is not bundled: `lua compile` says why"),
        ("Path(__file__).parents[1] / 'prices.json'", "it is not bundled: `lua compile` says why"),
        (
            "Path('prices.json')",
            "a run begins in an empty folder: a file of the tool is read by `Path(__file__).parent",
        ),
        ("Path('/nowhere/prices.json')", ""),
    ],
)
def test_a_file_that_is_not_there_is_told_from_one_that_was_not_bundled(
    workshop: Workshop, path: str, hint: str
) -> None:
    result = run_once(workshop, f"return ({path}).read_text()", "from pathlib import Path")
    assert result.error is not None
    assert result.error.message.startswith("FileNotFoundError: ")
    assert (result.error.hint or "").startswith(hint) and bool(result.error.hint) == bool(hint)


def test_a_program_that_is_not_there_is_no_file_of_the_tool(workshop: Workshop) -> None:
    result = run_once(workshop, "return subprocess.run(['no-such-program']).returncode", "import subprocess")
    assert result.error is not None
    assert (
        result.error.hint
        == "there is no program 'no-such-program' on the PATH of the run: install it, or do without one"
    )
