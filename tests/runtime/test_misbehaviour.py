"""Tools that hang, crash, print, leave things behind or tamper: the result is right or says what happened, and
nothing stays.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from lua_cli.bundle import OpenedArtifact
from lua_cli.child.launch import Limits
from lua_cli.runtime import RunResult
from tests.runtime.workshop import Workshop, tool_module

HEAD = """
    import asyncio, ctypes, json, logging, locale, os, pathlib, resource, signal, subprocess, sys, threading, time

    print("imported")

    def start(*words, **options):
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", *words], **options)
"""

TOOLS = {
    "plain": "return {'ok': True}",
    "prints": """
        print("first")
        sys.stdout.buffer.write(b"second\\n")
        os.write(1, b"third\\n")
        subprocess.run(["echo", "fourth"])
        print("fifth ü", file=sys.stderr)
        logging.basicConfig(stream=sys.stdout)
        logging.error("sixth")
        os.system("echo seventh >&2")
        print("half \\ud83d")
        sys.stdout = open(os.devnull, "w")
        print("nowhere")
        return {"ok": True}
    """,
    "floods": "print('x' * 5_000_000)\nreturn 1",
    "waits": "async def execute(self, input):\n    await asyncio.Event().wait()",
    "waits_deeper": """
        async def inner(self):
            await asyncio.sleep(600)

        async def execute(self, input):
            await self.inner()
    """,
    "spins": "while True:\n    pass",
    "spins_in_c": "import re\nre.match('(a+)+$', 'a' * 64 + 'b')",
    "waits_for_children": "subprocess.run(['sh', '-c', 'sleep 600 & sleep 600'])",
    "hangs_above_children": """
        one, two = start(), start(start_new_session=True)
        print(one.pid, two.pid)
        while True:
            time.sleep(600)
    """,
    "refuses_to_die": """
        async def execute(self, input):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            while True:
                try:
                    await asyncio.sleep(600)
                except BaseException:
                    pass
    """,
    "leaves_children": """
        one, two = start(), start(start_new_session=True)
        orphan = subprocess.run(
            [sys.executable, "-c", "import os, subprocess, sys\\n"
             "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\\n"
             "print(child.pid)"], capture_output=True, text=True)
        return [one.pid, two.pid, int(orphan.stdout)]
    """,
    "leaves_threads": "threading.Thread(target=time.sleep, args=(600,)).start()\nreturn 1",
    "leaves_tasks": """
        async def execute(self, input):
            self.task = asyncio.create_task(asyncio.sleep(600))
            return 1
    """,
    "exits_0": "os._exit(0)",
    "exits_3": "sys.exit(3)",
    "exits_with_text": "sys.exit('no more')",
    "exits_async": "async def execute(self, input):\n    sys.exit(0)",
    "segfaults": "ctypes.string_at(0)",
    "kills_itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "kills_its_group": "os.killpg(0, signal.SIGKILL)",
    "aborts": "os.abort()",
    "interrupts": "raise KeyboardInterrupt",
    "raises_base": "raise BaseException('x')",
    "recurses": "return self.execute(input)",
    "one_big_block": "return len(bytearray(10 ** 12))",
    "many_blocks": "blocks = []\nwhile True:\n    blocks.append(b'x' * 10_000_000)",
    "one_big_file": "with open('big', 'wb') as file:\n    while True:\n        file.write(b'x' * 1_000_000)",
    "many_files": """
        number = 0
        while True:
            number += 1
            with open(f"{number}", "wb") as file:
                file.write(b"x" * 1_000_000)
    """,
    "opens_without_end": "files = []\nwhile True:\n    files.append(open(os.devnull))",
    "reads_stdin": "return [sys.stdin.read(), os.read(0, 10).decode()]",
    "asks": "import builtins\nreturn builtins.input('name? ')",
    "changes_everything": """
        os.chdir("/")
        json.dumps = json.loads = json.encoder.JSONEncoder = json.decoder.JSONDecoder = None
        json.encoder.encode_basestring_ascii = None
        os.write = os.read = os._exit = None
        sys.stdout = sys.stderr = None
        os.environ.clear()
        return [1.5, {"a": "é"}]
    """,
    "closes_descriptors": "os.closerange(3, 150)\nreturn 1",
    "closes_all_descriptors": "os.closerange(3, 512)\nreturn 1",
    "forks": "os.fork()\nreturn 'once'",
    "writes_nonsense": "for fd in range(3, 400):\n    try:\n        os.write(fd, b'R00000002{}')\n    except OSError:\n        pass\nreturn 1",
    "sees": "return [os.getcwd(), os.listdir(), sorted(os.environ), sys.path[0], os.environ['HOME'], sys.argv, __name__]",
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("misbehaviour") / "project")


@pytest.fixture(scope="module")
def opened(workshop: Workshop) -> OpenedArtifact:
    module, tools = tool_module(TOOLS, HEAD)
    return workshop.opened(workshop.draft({"tools.py": module}, tools))


def alive(pid: int) -> bool:
    """Whether a process of that number runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def error_of(result: RunResult) -> tuple[str, int]:
    assert result.error is not None, result.output
    return result.error.type, result.exit_code


def test_what_a_tool_prints_is_beside_the_result_in_its_order(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "prints")
    assert result.output == {"ok": True}
    assert result.logs.splitlines() == [
        "imported", "first", "second", "third", "fourth", "fifth ü", "ERROR:root:sixth", "seventh", "half \\ud83d",
    ]  # fmt: skip


def test_logs_are_cut_and_counted(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "floods", limits=Limits(logs=1000))
    assert result.output == 1
    assert result.logs.startswith("imported\nxxx")
    assert result.logs.endswith("x\n… 4999010 bytes more\n")


HANGS = {
    "waits": "TOOLS", "waits_deeper": "inner", "spins": "TOOLS", "spins_in_c": "execute", "waits_for_children": "TOOLS",
    "refuses_to_die": "TOOLS",
}  # fmt: skip


@pytest.mark.parametrize("name", HANGS)
def test_a_tool_that_does_not_end_is_stopped_where_it_stands(
    name: str, workshop: Workshop, opened: OpenedArtifact
) -> None:
    result = workshop.run(opened, name, timeout=2)
    assert error_of(result) == ("timeout", 124)
    assert result.error is not None
    assert result.error.message.startswith(f"{name} ran longer than 2 seconds and was stopped; it was at src/tools.py:")
    assert result.error.traceback is not None
    if name == "waits_deeper":
        lines = [line.strip() for line in result.error.traceback.splitlines()]
        assert [line.rpartition(" in ")[2] for line in lines if line.startswith("File")] == [
            "WaitsDeeperTool.execute",
            "WaitsDeeperTool.inner",
        ]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="only Linux can find processes that left the group")
def test_processes_left_behind_are_killed_also_outside_of_the_group(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "leaves_children")
    assert result.error is None
    assert len(result.output) == 3
    assert [pid for pid in result.output if alive(pid)] == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="only Linux can find processes that left the group")
def test_nothing_is_left_of_a_tool_that_was_stopped(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "hangs_above_children", timeout=2)
    assert error_of(result) == ("timeout", 124)
    started = [int(pid) for pid in result.logs.splitlines()[-1].split()]
    assert len(started) == 2
    assert [pid for pid in started if alive(pid)] == []


@pytest.mark.parametrize("name", ["leaves_threads", "leaves_tasks"])
def test_threads_and_tasks_left_behind_do_not_hold_the_result_up(
    name: str, workshop: Workshop, opened: OpenedArtifact
) -> None:
    assert workshop.run(opened, name).output == 1


CRASHES = {
    "exits_0": "exits_0 ended the process with exit(0)",
    "exits_3": "exits_3 ended the process with exit(3)",
    "exits_with_text": "exits_with_text ended the process with exit(1)",
    "exits_async": "exits_async ended the process with exit(0)",
    "segfaults": "segfaults was killed by signal 11 (SIGSEGV)",
    "aborts": "aborts was killed by signal 6 (SIGABRT)",
    "kills_itself": "kills_itself was killed by signal 9 (SIGKILL)",
    "kills_its_group": "kills_its_group was killed by signal 9 (SIGKILL)",
    "one_big_block": "one_big_block needs more memory than the limit of 2048 MiB",
    "one_big_file": "one_big_file wrote a file larger than the limit of 100 MiB",
    "closes_all_descriptors": "closes_all_descriptors closed the descriptor that its result goes through",
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_tool_that_ends_the_process_never_counts_as_a_success(
    name: str, workshop: Workshop, opened: OpenedArtifact
) -> None:
    result = workshop.run(opened, name)
    assert error_of(result) == ("crashed", 1)
    assert result.error is not None
    assert result.error.message == CRASHES[name]
    if name in ("segfaults", "aborts"):
        assert 'File "src/tools.py", line ' in (result.error.traceback or "")


def test_memory_taken_bit_by_bit_ends_at_the_limit(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "many_blocks", limits=Limits(memory=300 * 1024**2))
    assert error_of(result) == ("crashed", 1)
    assert result.error is not None
    assert result.error.message == "many_blocks needs more memory than the limit of 300 MiB"


def test_many_files_end_at_the_limit(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "many_files", limits=Limits(disk=20 * 1024**2))
    assert error_of(result) == ("crashed", 1)
    assert result.error is not None
    assert result.error.message == "many_files wrote more than the limit of 20 MiB into its folders"


def test_cpu_time_ends_at_the_limit(workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, "spins", limits=Limits(cpu=1))
    assert error_of(result) == ("crashed", 1)
    assert result.error is not None
    assert result.error.message == "spins used more CPU time than the limit of 1 seconds"


RAISES = {
    "interrupts": "KeyboardInterrupt",
    "raises_base": "BaseException: x",
    "recurses": "RecursionError: maximum recursion depth exceeded",
    "opens_without_end": "OSError: [Errno 24] Too many open files: '/dev/null'",
    "asks": "EOFError: EOF when reading a line",
}


@pytest.mark.parametrize("name", RAISES)
def test_whatever_is_raised_is_the_tools_error(name: str, workshop: Workshop, opened: OpenedArtifact) -> None:
    result = workshop.run(opened, name)
    assert error_of(result) == ("tool-error", 1)
    assert result.error is not None
    assert result.error.message == RAISES[name]
    assert len((result.error.traceback or "").splitlines()) < 60


def test_stdin_is_empty(workshop: Workshop, opened: OpenedArtifact) -> None:
    assert workshop.run(opened, "reads_stdin").output == ["", ""]


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("changes_everything", [1.5, {"a": "é"}]),
        ("closes_descriptors", 1),
        ("forks", "once"),
        ("writes_nonsense", 1),
    ],
)
def test_tampering_does_not_reach_the_result(
    name: str, output: object, workshop: Workshop, opened: OpenedArtifact
) -> None:
    result = workshop.run(opened, name)
    assert result.error is None
    assert result.output == output


def test_a_tool_sees_its_artifact_and_empty_folders(
    workshop: Workshop, opened: OpenedArtifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNRELATED", "secret")
    folder, files, names, path, home, arguments, module = workshop.run(opened, "sees").output
    assert files == []
    assert not Path(folder).exists()
    assert not Path(home).exists()
    assert home != os.environ.get("HOME")
    assert "UNRELATED" not in names
    assert {"PATH", "HOME", "LANG", "TMPDIR"} <= set(names)
    assert path == str((workshop.root / ".lua/cache/unpacked" / opened.digest.removeprefix("sha256:")).resolve())
    assert (arguments, module) == (["lua"], "tools")


def test_nothing_of_a_run_is_left_on_the_disk(
    workshop: Workshop, opened: OpenedArtifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert workshop.run(opened, "plain").output == {"ok": True}
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_interrupted_leaves_no_process(
    workshop: Workshop, opened: OpenedArtifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def interrupted(self: object, *_arguments: object) -> bool:
        started.append(self._process.pid)  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr("lua_cli.child.process.Process.pump", interrupted)
    with pytest.raises(KeyboardInterrupt):
        workshop.run(opened, "spins")
    assert [pid for pid in started if alive(pid)] == []
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], signal.SIGCONT)
