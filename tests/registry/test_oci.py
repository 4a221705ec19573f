"""A copy in a real OCI registry (docker-registry), and in ones that refuse: by digest, sent once, looked at again."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from lua_cli.bundle import open_artifact
from lua_cli.errors import AuthError, UnavailableError, UsageError
from lua_cli.registry.oci import OciMirror
from lua_cli.registry.sending import Policy
from tests.commands.project_text import FILES
from tests.conftest import Result
from tests.registry.sample import submission

_CONFIG = """version: 0.1
storage:
  filesystem: {{rootdirectory: {folder}}}
http: {{addr: "127.0.0.1:{port}"}}
{auth}
"""


@pytest.fixture
def start_registry(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Starts docker-registry with a piece of configuration, and gives its host."""
    program = shutil.which("docker-registry")
    if program is None:
        pytest.skip("docker-registry is not installed (Debian: apt-get install docker-registry)")
    running: list[subprocess.Popen[bytes]] = []

    def start(auth: str = "") -> str:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        config = tmp_path / "config.yml"
        config.write_text(_CONFIG.format(folder=tmp_path / "oci", port=port, auth=auth), encoding="utf-8")
        command = ["timeout", "300", program, "serve", str(config)]
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for _ in range(400):
            try:
                httpx.get(f"http://127.0.0.1:{port}/v2/", trust_env=False, timeout=60)
            except httpx.TransportError:
                time.sleep(0.05)
            else:
                return f"127.0.0.1:{port}"
        raise AssertionError("docker-registry did not come up")

    yield start
    for process in running:
        process.terminate()
        process.wait(30)


def test_a_push_is_copied_by_digest(
    start_registry: Callable[[str], str],
    lua: Callable[..., Result],
    write_project: Callable[[Mapping[str, str]], Path],
) -> None:
    host = start_registry("")
    root = write_project(FILES)
    target = f"oci://{host}/team/skills"
    pushed = lua("push", "skill", "--name", "orders", "--to", target, cwd=root)
    assert pushed.exit_code == 0, pushed.stderr
    line = pushed.stdout.splitlines()[-1]
    assert line.startswith(f"orders 1.0.0  copied to {target}@sha256:")
    reference = line.rpartition("@")[2]
    url = f"http://{host}/v2/team/skills"
    accept = {"Accept": "application/vnd.oci.image.manifest.v1+json"}
    manifest = httpx.get(f"{url}/manifests/{reference}", headers=accept, trust_env=False, timeout=60).json()
    (layer,) = manifest["layers"]
    opened = open_artifact(httpx.get(f"{url}/blobs/{layer['digest']}", trust_env=False, timeout=60).content)
    assert (opened.skill, opened.digest, len(opened.content)) == ("orders", layer["digest"], layer["size"])
    assert manifest["annotations"]["org.opencontainers.image.version"] == "1.0.0"
    again = lua("push", "skill", "--name", "orders", "--to", target, "--json", cwd=root)
    document = json.loads(again.stdout)
    assert document["steps"][0]["action"] == "unchanged"
    assert document["mirrors"] == [{"skill": "orders", "version": "1.0.0", "reference": f"{target}@{reference}"}]
    assert httpx.get(f"{url}/tags/list", trust_env=False, timeout=60).status_code in (200, 404)


def test_a_login_is_dockers_own(start_registry: Callable[[str], str], tmp_path: Path) -> None:
    bcrypt = ["perl", "-e", "print crypt('secret', '$2y$05$abcdefghijklmnopqrstuu')"]
    hashed = subprocess.run(bcrypt, capture_output=True, text=True).stdout
    if not hashed.startswith("$2y$"):
        pytest.skip("perl here knows no bcrypt")
    passwords = tmp_path / "htpasswd"
    passwords.write_text(f"mo:{hashed}\n")
    host = start_registry(f"auth: {{htpasswd: {{realm: x, path: {passwords}}}}}")
    (tmp_path / ".docker").mkdir()
    stored = base64.b64encode(b"mo:wrong").decode()
    (tmp_path / ".docker" / "config.json").write_text(json.dumps({"auths": {host: {"auth": stored}}}))
    for home in (tmp_path, tmp_path / "nobody"):
        mirror = OciMirror(f"oci://{host}/a", home=home, policy=Policy(repeats=0))
        with pytest.raises(AuthError, match="status 401") as refused:
            mirror.copy(submission().content, {})
        assert refused.value.hint == f"docker login {host}"
        assert "wrong" not in str(refused.value) and stored not in str(refused.value)
        mirror.close()
    right = base64.b64encode(b"mo:secret").decode()
    (tmp_path / ".docker" / "config.json").write_text(json.dumps({"auths": {host: {"auth": right}}}))
    mirror = OciMirror(f"oci://{host}/a", home=tmp_path)
    assert mirror.copy(submission().content, {}).startswith(f"oci://{host}/a@sha256:")
    mirror.close()


def test_a_mirror_that_fails_does_not_undo_the_push(
    lua: Callable[..., Result], write_project: Callable[[Mapping[str, str]], Path]
) -> None:
    root = write_project(FILES)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    os.environ.pop("HTTP_PROXY", None)
    result = lua("push", "skill", "--name", "orders", "--to", f"oci://127.0.0.1:{port}/x", cwd=root)
    assert result.exit_code == 11
    assert result.stdout.startswith("orders 1.0.0  pushed") and "cannot connect" in result.stderr
    mirror = OciMirror(f"oci://127.0.0.1:{port}/x", policy=Policy(repeats=0))
    with closing(mirror), pytest.raises(UnavailableError):
        mirror.copy(b"x", {})


@pytest.mark.parametrize(
    "target", ["docker://x/y", "oci://", "oci://host", "oci://host/UPPER", "oci://u:p@host/x", "oci://h/a:b"]
)
def test_what_is_no_place_for_a_copy(target: str) -> None:
    with pytest.raises(UsageError) as refused:
        OciMirror(target)
    assert "u:p" not in str(refused.value)
