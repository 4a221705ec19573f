"""`lua serve` as a command: keys, options, TLS, schema versions, a stop in the middle, and PostgreSQL side by side."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import obstore
import pytest
import trustme
from obstore.store import from_url

from lua_cli.errors import AuthError, LuaError, UnavailableError, UsageError
from lua_cli.registry.sending import Policy
from lua_cli.server.database import open_database
from lua_cli.server.state import open_state
from tests.conftest import Result
from tests.registry.sample import AGENT, submission
from tests.server.serving import Postgres, Server
from tests.server.stores import running_moto, running_seaweedfs

Lua = Callable[..., Result]


def test_keys_are_made_listed_and_revoked(lua: Lua, tmp_path: Path) -> None:
    made = lua("serve", "keys", "create", "--name", "ci", "--agent", "acme", "--scope", "push", "--json", cwd=tmp_path)
    key = json.loads(made.stdout)
    assert key["secret"].startswith("lua_") and len(key["secret"]) == 47
    assert (key["name"], key["agents"], key["scopes"]) == ("ci", ["acme"], ["push"])
    plain = lua("serve", "keys", "create", cwd=tmp_path)
    assert plain.stdout.startswith("lua_") and len(plain.stdout.splitlines()) == 1
    assert "every agent (read, push, deploy, data)" in plain.stderr
    listed = lua("serve", "keys", "list", cwd=tmp_path).stdout
    assert key["id"] in listed and key["secret"] not in listed and len(listed.splitlines()) == 3
    revoked = lua("serve", "keys", "revoke", key["id"], cwd=tmp_path)
    assert revoked.stdout.startswith(f"key {key['id']} (ci) is revoked since ")
    assert lua("serve", "keys", "revoke", "nope", cwd=tmp_path).exit_code == 3
    assert lua("serve", "keys", "create", "--scope", "admin", cwd=tmp_path).exit_code == 2
    records = json.loads(lua("serve", "keys", "list", "--json", cwd=tmp_path).stdout)["keys"]
    assert [record["revoked"] is None for record in records] in ([False, True], [True, False])
    assert os.stat(Path(os.environ["LUA_DATA_DIR"]) / "server.db").st_mode & 0o077 == 0


def test_a_revoked_key_opens_nothing_from_the_next_call_on(server: Server, lua: Lua, tmp_path: Path) -> None:
    secret = server.key("ci")
    with server.client(secret) as client:
        client.skills(AGENT)
        env = {"LUA_DATABASE_URL": server.url}
        (key,) = json.loads(lua("serve", "keys", "list", "--json", cwd=tmp_path, env=env).stdout)["keys"]
        lua("serve", "keys", "revoke", key["id"], cwd=tmp_path, env=env)
        with pytest.raises(AuthError, match="unknown or was revoked"):
            client.skills(AGENT)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--database-url", "mysql://x/y"], "cannot be of the kind mysql"),
        (["--database-url", "nonsense"], "is no address of a database"),
        (["--blobs", "ftp://x"], "is no address of a store"),
        (["--tls-cert", "x.pem"], "go together"),
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
    ],
)
def test_what_cannot_be_served_is_one_line(lua: Lua, tmp_path: Path, args: list[str], said: str) -> None:
    result = lua("serve", "--port", "0", *args, cwd=tmp_path)
    assert result.exit_code in (1, 2) and result.stdout == ""
    assert said in result.stderr and "Traceback" not in result.stderr


def test_a_database_that_is_not_ours_or_newer_is_left_alone(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.db"
    with contextlib.closing(sqlite3.connect(theirs)) as connection:
        connection.execute("CREATE TABLE photos (id)")
    with pytest.raises(LuaError, match="is a database, but not one of lua serve"):
        open_database(f"sqlite:///{theirs}")
    ours = tmp_path / "ours.db"
    open_database(f"sqlite:///{ours}").close()
    with contextlib.closing(sqlite3.connect(ours)) as connection:
        connection.execute("UPDATE lua_schema SET version = 99")
        connection.commit()
    before = ours.read_bytes()
    with pytest.raises(LuaError, match="was written by a newer lua-cli"):
        open_database(f"sqlite:///{ours}")
    assert ours.read_bytes() == before
    (tmp_path / "noise.db").write_bytes(b"noise" * 1000)
    with pytest.raises(LuaError, match=r"noise\.db"):
        open_database(f"sqlite:///{tmp_path / 'noise.db'}")


def test_a_database_stays_with_the_place_of_its_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'server.db'}"
    open_state(url, None, reserve=0).close()
    with running_moto() as env:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(UsageError, match="the contents of this database lie in the database"):
            open_state(url, "s3://lua/team", reserve=0)


def test_versions_never_change_whoever_writes_the_database(server: Server) -> None:
    with server.client() as client:
        client.put(AGENT, submission())
        client.deploy(AGENT, "orders", "1.0.0", seen=0, key="k")
    with contextlib.closing(sqlite3.connect(server.folder / "server.db")) as connection:
        for statement in (
            "DELETE FROM versions",
            "UPDATE versions SET digest = 'x'",
            "DELETE FROM deployments",
            "UPDATE deployments SET version = 'x'",
        ):
            with pytest.raises(sqlite3.IntegrityError, match=r"never|only grows"):
                connection.execute(statement)


def test_a_database_that_was_taken_away_takes_nothing_more(server: Server) -> None:
    """Otherwise it would answer that it kept what goes with the last process that has the file open."""
    with server.client(policy=Policy(repeats=0)) as client:
        client.put(AGENT, submission())
        (server.folder / "server.db").rename(server.folder / "elsewhere.db")
        with pytest.raises(UnavailableError):
            client.put(AGENT, submission("1.0.1", "two"))
        with server.http() as api:
            assert api.get("/readyz").status_code == 503
        (server.folder / "elsewhere.db").rename(server.folder / "server.db")
        assert client.put(AGENT, submission("1.0.1", "two", base="1.0.0")).created


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--public-url", "not a url", "--public-url 'not a url' is no address"),
        ("--tls-cert", "/nowhere.pem", "--tls-cert /nowhere.pem is no file"),
        ("--database-url", "postgresql+psycopg://u:pass@[::1/x", "--database-url is no address of a database"),
        ("--blobs", "s3://a:hidden@[b", "--blobs is no address of a store"),
    ],
)
def test_what_a_server_cannot_be_started_with(lua: Lua, tmp_path: Path, option: str, value: str, said: str) -> None:
    more = ("--tls-key", "/nowhere.key") if option == "--tls-cert" else ()
    result = lua("serve", option, value, *more, cwd=tmp_path, env={"LUA_DATABASE_URL": f"sqlite:///{tmp_path}/x.db"})
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr and "hidden" not in result.stderr and "pass@" not in result.stderr


def test_a_damaged_row_or_content_is_an_error_and_never_an_answer(server: Server) -> None:
    with server.client() as client:
        client.put(AGENT, submission())
        with contextlib.closing(sqlite3.connect(server.folder / "server.db")) as connection:
            connection.execute("UPDATE blobs SET content = zeroblob(10)")
            connection.commit()
        with server.http(server.key()) as api:
            skill = api.get(f"/developer/skills/{AGENT}").json()["data"]["skills"][0]["id"]
            answer = api.get(f"/developer/skills/{AGENT}/{skill}/version/1.0.0/artifact")
            assert (answer.status_code, answer.json()["error"]["code"]) == (500, "damaged")
        with pytest.raises(LuaError, match="was damaged here") as refused:
            client.put(AGENT, submission("1.0.1"))
        assert refused.value.hint == "push again: it is sent anew"
        client.put(AGENT, submission("1.0.1"))
        assert client.artifact(AGENT, "orders", "1.0.0") == submission().content, "sent again, it is mended"


def test_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    certificate.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    (tmp_path / "cert.pem").write_bytes(b"".join(pem.bytes() for pem in certificate.cert_chain_pems))
    files = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    server = Server(tmp_path / "server", *files).start()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    try:
        assert server.address.startswith("https://127.0.0.1:")
        with server.client() as client:
            assert client.put(AGENT, submission()).created
        monkeypatch.delenv("SSL_CERT_FILE")
        context = ssl.create_default_context()
        with pytest.raises(httpx.ConnectError, match="certificate"):
            httpx.get(server.address + "/healthz", verify=context, trust_env=False, timeout=60)
    finally:
        server.close()


def test_a_stop_lets_what_is_running_end(server: Server) -> None:
    """An upload that has begun when the stop is asked for is answered; then the server is gone."""
    content = submission(word="x").content
    began, go_on = threading.Event(), threading.Event()

    def slowly() -> Any:
        yield content[:100]
        began.set()
        assert go_on.wait(30)
        yield content[100:]

    with server.http(server.key()) as client:
        digest = submission(word="x").digest.removeprefix("sha256:")
        body = {"hashes": [digest]}
        urls = client.post(f"/developer/agents/{AGENT}/backup/blob-upload-urls", json=body).json()["data"]["urls"]
    answers: list[httpx.Response] = []
    sending = threading.Thread(
        target=lambda: answers.append(httpx.put(urls[digest], content=slowly(), trust_env=False, timeout=60))
    )
    sending.start()
    assert began.wait(30)
    assert server.process is not None
    server.process.terminate()
    go_on.set()
    sending.join(30)
    assert server.stop() == 0
    assert answers[0].status_code == 200


def test_replicas_on_one_postgresql(postgres: Postgres, tmp_path: Path) -> None:
    """Two servers that start together on an empty database make its tables once, and are one registry."""
    url = postgres.database()
    replicas = [Server(tmp_path / name, url=url) for name in ("a", "b")]
    starting = [threading.Thread(target=replica.start) for replica in replicas]
    for thread in starting:
        thread.start()
    for thread in starting:
        thread.join()
    try:
        key = replicas[0].key("mo", AGENT)
        with replicas[0].client(key) as one, replicas[1].client(key) as two:
            one.put(AGENT, submission())
            assert two.artifact(AGENT, "orders", "1.0.0") == submission().content
            two.deploy(AGENT, "orders", "1.0.0", seen=0, key="k")
            assert one.deploy(AGENT, "orders", "1.0.0", seen=0, key="k").number == 1
    finally:
        for replica in replicas:
            replica.close()


def test_a_postgresql_that_goes_away_and_comes_back(postgres: Postgres, tmp_path: Path) -> None:
    server = Server(tmp_path, url=postgres.database()).start()
    try:
        with server.client(server.key()) as client:
            client.put(AGENT, submission())
            postgres.crash()
            assert client.artifact(AGENT, "orders", "1.0.0") == submission().content
            client.put(AGENT, submission("1.0.1", "two", base="1.0.0"))
        with server.http() as api:
            assert api.get("/readyz").status_code == 200
    finally:
        server.close()


def test_postgresql_holds_what_never_changes(postgres: Postgres, tmp_path: Path) -> None:
    url = postgres.database()
    server = Server(tmp_path, url=url).start()
    try:
        with server.client(server.key()) as client:
            client.put(AGENT, submission())
    finally:
        server.close()
    with contextlib.closing(open_database(url)) as database:
        for statement in ("DELETE FROM versions", "UPDATE versions SET digest = 'x'"):
            with pytest.raises(LuaError, match="never change"):
                database.write(lambda tx, statement=statement: tx.exec_driver_sql(statement))  # type: ignore[misc]
        database.write(lambda tx: tx.exec_driver_sql("UPDATE lua_schema SET version = 99"))
    with pytest.raises(LuaError, match="was written by a newer lua-cli"):
        open_database(url)


@pytest.mark.parametrize("kind", ["moto", "seaweedfs"])
def test_an_object_store_that_damages_or_loses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    with contextlib.ExitStack() as stack:
        env = stack.enter_context(running_moto()) if kind == "moto" else stack.enter_context(running_seaweedfs()).env
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        store = from_url("s3://lua/team", client_options={"allow_http": True})
        server = Server(tmp_path, "--blobs", "s3://lua/team").start()
        sent = submission()
        place = sent.digest.replace(":", "/")
        try:
            with server.client() as client:
                client.put(AGENT, sent)
                assert bytes(obstore.get(store, place).bytes()) == sent.content
                obstore.put(store, place, sent.content[:-1])
                with pytest.raises(LuaError, match="what is stored is not what was written"):
                    client.artifact(AGENT, "orders", "1.0.0")
                with pytest.raises(LuaError, match="was damaged here"):
                    client.put(AGENT, submission("1.0.1"))
                client.put(AGENT, submission("1.0.1"))
                assert client.artifact(AGENT, "orders", "1.0.0") == sent.content, "sent again, it is mended"
                obstore.delete(store, place)
                with pytest.raises(LuaError):
                    client.artifact(AGENT, "orders", "1.0.0")
        finally:
            server.close()


def test_a_store_that_is_not_there_is_not_ready(tmp_path: Path) -> None:
    env = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}
    limits = {"AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}
    server = Server(tmp_path, "--blobs", "s3://lua/team", env={**env, **limits}).start()
    try:
        with server.http() as api:
            assert api.get("/healthz").status_code == 200
            assert api.get("/readyz").status_code == 503
    finally:
        server.close()


def test_replicas_before_postgresql_and_an_object_store(tmp_path: Path, postgres: Postgres) -> None:
    """Two servers, one database, one store, all real: what one took the other gives, through a kill of the store."""
    with running_seaweedfs() as store:
        url = postgres.database()
        replicas = [
            Server(tmp_path / name, "--blobs", "s3://lua/team", url=url, env=store.env).start()
            for name in ("one", "two")
        ]
        try:
            key = replicas[0].key()
            with replicas[0].client(key) as one, replicas[1].client(key, policy=Policy(repeats=0)) as two:
                sent = submission()
                one.put(AGENT, sent)
                assert two.artifact(AGENT, "orders", "1.0.0") == sent.content
                with replicas[1].http() as api:
                    assert api.get("/readyz").status_code == 200
                store.kill()
                with replicas[1].http() as api:
                    assert (api.get("/healthz").status_code, api.get("/readyz").status_code) == (200, 503)
                with pytest.raises(UnavailableError):
                    two.put(AGENT, submission("1.0.1", "two", base="1.0.0"))
                assert [record.version for record in one.skills(AGENT)[0].versions] == ["1.0.0"], "the database answers"
                store.start()
                two.put(AGENT, submission("1.0.1", "two", base="1.0.0"))
                assert one.artifact(AGENT, "orders", "1.0.0") == sent.content
                assert one.artifact(AGENT, "orders", "1.0.1") == submission("1.0.1", "two").content
        finally:
            for replica in replicas:
                replica.close()
