"""`--sandbox`: bubblewrap where it is installed, and a clear word where it is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lua_cli.bundle import OpenedArtifact
from lua_cli.errors import UsageError
from tests.runtime.workshop import Workshop, tool_module

TOOLS = {
    "looks": "return [os.path.exists(name) for name in FILES]",
    "connects": """
        try:
            socket.create_connection(("127.0.0.1", PORT), timeout=5).close()
        except OSError as error:
            return type(error).__name__
        return "connected"
    """,
    "writes": """
        out = []
        for folder in (".", os.environ["HOME"], os.environ["TMPDIR"], os.path.dirname(__file__), "/usr", os.path.dirname(pydantic.__file__)):
            try:
                open(os.path.join(folder, "written"), "w").close()
                out.append(True)
            except OSError:
                out.append(False)
        return out
    """,
    "sees_processes": "return len([name for name in os.listdir('/proc') if name.isdigit()])",
    "hangs": "import time\ntime.sleep(600)",
    "raises": "raise ValueError('no')",
}


def head(project: Path, port: int) -> str:
    files = [str(project / "src/agent.py"), str(project.parent / "in-the-home"), "/etc/passwd"]
    return f"""
        import os, socket, pydantic
        FILES, PORT = {files!r}, {port}
    """


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("sandbox") / "project")


@pytest.fixture(scope="module")
def port() -> object:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(scope="module")
def opened(workshop: Workshop, port: int) -> OpenedArtifact:
    module, tools = tool_module(TOOLS, head(workshop.root, port))
    return workshop.opened(workshop.draft({"tools.py": module}, tools))


needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@needs_bubblewrap
def test_project_and_home_are_not_there(workshop: Workshop, opened: OpenedArtifact) -> None:
    (workshop.root.parent / "in-the-home").write_text("private", encoding="utf-8")
    assert workshop.run(opened, "looks").output == [True, True, True]
    assert workshop.run(opened, "looks", sandbox=True).output == [False, False, False]


@needs_bubblewrap
def test_there_is_no_network_unless_it_is_asked_for(workshop: Workshop, opened: OpenedArtifact) -> None:
    assert workshop.run(opened, "connects", sandbox=True).output == "ConnectionRefusedError"
    assert workshop.run(opened, "connects", sandbox=True, network=True).output == "connected"


@needs_bubblewrap
def test_only_the_runs_own_folders_can_be_written(workshop: Workshop, opened: OpenedArtifact) -> None:
    assert workshop.run(opened, "writes", sandbox=True).output == [True, True, True, False, False, False]


@needs_bubblewrap
def test_other_processes_are_not_there_and_time_and_errors_work(workshop: Workshop, opened: OpenedArtifact) -> None:
    assert workshop.run(opened, "sees_processes", sandbox=True).output < 6
    late = workshop.run(opened, "hangs", sandbox=True, timeout=3)
    assert late.error is not None
    assert (late.error.type, "it was at src/tools.py:" in late.error.message) == ("timeout", True)
    failed = workshop.run(opened, "raises", sandbox=True)
    assert failed.error is not None
    assert failed.error.message == "ValueError: no"


def test_without_bubblewrap_it_says_what_to_install(
    workshop: Workshop, opened: OpenedArtifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(workshop.root))
    with pytest.raises(UsageError, match="--sandbox needs bubblewrap") as caught:
        workshop.run(opened, "looks", sandbox=True)
    assert caught.value.hint == "apt install bubblewrap"


def test_a_sandbox_that_cannot_be_made_is_named(
    workshop: Workshop, opened: OpenedArtifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lua_cli.errors import LuaError

    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(LuaError, match="the sandbox cannot be started: bwrap: No permissions"):
        workshop.run(opened, "looks", sandbox=True)
