"""What tools keep on a server: the same answers as from a project's own store, whatever the database, for those who
may."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine, text

from lua_cli.errors import ForbiddenError, LuaError
from lua_cli.project.credentials import Key
from lua_cli.registry.api import Api
from lua_cli.runtime.remote_state import RemoteState
from lua_cli.runtime.state import EndUser, State
from lua_cli.server.database import open_database
from lua_cli.server.schema import MIGRATIONS
from lua_cli.server.state_data import MOST_RECORDS
from tests.conftest import Result
from tests.server.serving import Postgres, Server

ADA = EndUser("ada/1", {"plan": "gold", "city": "Köln"})
CONVERSATION: list[tuple[str, dict[str, Any]]] = [
    ("user.get", {}),
    ("user.update", {"changes": {"plan": "blue", "n": 1.5}}),
    ("user.get", {}),
    ("data.create", {"collection": "notes", "data": {"text": "prefers the blue one", "n": [1, "two"]}, "text": None}),
    ("data.create", {"collection": "notes", "data": {"text": "über Größe 42"}, "text": None}),
    ("data.create", {"collection": "notes", "data": {"k": "v"}, "text": "blue blue words"}),
    ("data.create", {"collection": "a/b c", "data": {"text": "blue elsewhere"}, "text": None}),
    ("data.search", {"collection": "notes", "text": "blue"}),
    ("data.search", {"collection": "notes", "text": "grosse uber"}),
    ("data.search", {"collection": "notes", "text": 'blue" OR *', "limit": 1}),
    ("data.search", {"collection": "notes", "text": ""}),
    ("data.search", {"collection": "notes", "text": "", "limit": 2}),
    ("data.search", {"collection": "none", "text": "x"}),
    ("data.search", {"collection": "notes", "text": "x", "limit": 0}),
    ("data.search", {"collection": "notes", "text": "x", "limit": "7"}),
    ("data.get", {"collection": "notes", "id": "#0"}),
    ("data.get", {"collection": "a/b c", "id": "#0"}),
    ("data.get", {"collection": "a/b c", "id": "#3"}),
    ("data.get", {"collection": "notes", "id": ""}),
    ("data.update", {"collection": "notes", "id": "#0", "data": {"n": None, "text": "now red"}, "text": None}),
    ("data.update", {"collection": "notes", "id": "nope", "data": {}, "text": None}),
    ("data.update", {"collection": "notes", "id": "#1", "data": {"x": "y" * (1024 * 1024)}, "text": None}),
    ("data.search", {"collection": "notes", "text": "blue"}),
    ("data.search", {"collection": "notes", "text": "red"}),
    ("data.delete", {"collection": "notes", "id": "#0"}),
    ("data.delete", {"collection": "notes", "id": "#0"}),
    ("data.get", {"collection": "notes", "id": "#0"}),
    ("data.create", {"collection": "", "data": {}, "text": None}),
    ("data.create", {"collection": "notes", "data": "no dict", "text": None}),
    ("data.nothing", {"collection": "notes"}),
    ("data.search", {"collection": "notes", "text": ""}),
]


def answers(state: State) -> list[Any]:
    """What the state answers; ids of records as the number of their making."""
    made: list[str] = []
    heard = []
    for question, given in CONVERSATION:
        name = given.get("id", "")
        asked = {**given, "id": made[int(name[1:])]} if name.startswith("#") else given
        answer = state.answer({"question": question, "given": asked})
        if question == "data.create" and "value" in answer:
            made.append(answer["value"]["id"])
        heard.append(json.loads(json.dumps(answer)))
    told = json.dumps(heard, sort_keys=True)
    for number, name in enumerate(made):
        told = told.replace(name, f"#{number}")
    found: list[Any] = json.loads(told)
    return found


def remote(server: Server, agent: str, user: EndUser | None = None, key: str = "") -> RemoteState:
    return RemoteState(Api(server.address, Key(key or server.key(), "the test")), agent, user)


@contextlib.contextmanager
def served(folder: Path, url: str = "") -> Iterator[Server]:
    server = Server(folder, url=url).start()
    try:
        yield server
    finally:
        server.close()


def check(server: Server) -> None:
    local, kept = State(ADA), remote(server, "acme", ADA)
    with contextlib.closing(local), contextlib.closing(kept):
        assert answers(kept) == answers(local)
        assert kept.user is not None and local.user is not None
        assert (kept.user.id, kept.user.data) == (local.user.id, local.user.data)
    with contextlib.closing(remote(server, "acme", EndUser("ada/1"))) as again:  # it outlives the conversation
        assert again.answer({"question": "user.get", "given": {}})["value"]["data"] == {"plan": "blue", "n": 1.5}
        left = again.answer({"question": "data.search", "given": {"collection": "notes"}})["value"]
        assert [record["data"] for record in left] == [{"k": "v"}, {"text": "über Größe 42"}]
    with contextlib.closing(remote(server, "other", EndUser("ada/1"))) as other:  # another agent has nothing of it
        assert other.answer({"question": "user.get", "given": {}})["value"]["data"] == {}
        assert other.answer({"question": "data.search", "given": {"collection": "notes"}})["value"] == []
    with contextlib.closing(remote(server, "acme")) as nobody:
        assert nobody.answer({"question": "user.get", "given": {}}) == {"value": None}
        assert nobody.answer({"question": "user.update", "given": {"changes": {}}}) == {"error": "no end user is known"}


def test_the_answers_are_those_of_a_project_on_sqlite(tmp_path: Path) -> None:
    with served(tmp_path / "server") as server:
        check(server)


def test_the_answers_are_those_of_a_project_on_postgresql(postgres: Postgres, tmp_path: Path) -> None:
    with served(tmp_path / "server", postgres.database()) as server:
        check(server)


def test_a_key_needs_the_scope_and_the_agent(server: Server) -> None:
    for key in (server.key("ci", scopes=["read", "push", "deploy"]), server.key("ci", "other")):
        with contextlib.closing(remote(server, "acme", ADA, key)) as state, pytest.raises(ForbiddenError):
            state.answer({"question": "user.get", "given": {}})
    with contextlib.closing(remote(server, "acme", ADA, server.key("bot", "acme", scopes=["data"]))) as state:
        assert state.answer({"question": "user.get", "given": {}})["value"]["id"] == "ada/1"
        with server.http(server.key("bot", "acme", scopes=["data"])) as http:
            assert http.get("/developer/skills/acme").status_code == 403


def test_the_document_has_every_call(server: Server) -> None:
    document = httpx.get(f"{server.address}/openapi.json", trust_env=False).json()
    found = {path: sorted(calls) for path, calls in document["paths"].items() if "/users/" in path or "/data/" in path}
    base = "/developer/agents/{agent}"
    assert found == {
        f"{base}/users/{{user}}": ["get", "put"],
        f"{base}/data/{{collection}}": ["post"],
        f"{base}/data/{{collection}}/search": ["post"],
        f"{base}/data/{{collection}}/{{record}}": ["delete", "get", "put"],
    }


def test_an_agent_keeps_so_much_and_no_more(server: Server) -> None:
    rows = [{"n": number, "id": f"r{number}"} for number in range(1, MOST_RECORDS + 1)]
    insert = "INSERT INTO records (agent, number, collection, id, data) VALUES ('acme', :n, 'notes', :id, '{}')"
    engine = create_engine(server.url)
    with engine.begin() as connection:
        connection.execute(text(insert), rows)
    engine.dispose()
    with contextlib.closing(remote(server, "acme")) as state:
        refused = state.answer({"question": "data.create", "given": {"collection": "notes", "data": {}}})
        assert refused == {"error": "the agent acme has kept all that it may: 10000 records and 64 MiB"}
        assert state.answer({"question": "data.delete", "given": {"collection": "notes", "id": "r7"}})["value"]
        assert "value" in state.answer({"question": "data.create", "given": {"collection": "notes", "data": {}}})


def test_a_database_of_before_gets_the_tables(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE lua_schema (version INTEGER NOT NULL)")
        connection.exec_driver_sql("INSERT INTO lua_schema VALUES (1)")
        for statement in MIGRATIONS[0]["sqlite"]:
            connection.exec_driver_sql(statement.replace("{bytes}", "BLOB"))
    engine.dispose()
    with contextlib.closing(open_database(url)) as database, database.reading() as tx:
        assert tx.exec_driver_sql("SELECT COUNT(*) FROM records").scalar_one() == 0
        assert tx.exec_driver_sql("SELECT version FROM lua_schema").scalar_one() == len(MIGRATIONS)


AGENT = """\
import os
from lua_cli import Data, LuaAgent, LuaSkill, LuaTool, User


class Note(LuaTool):
    name = "note"
    description = "Write something down about the customer. Use when the customer says what they like."
    input_schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

    def execute(self, input):
        user = User.get()
        user.update(last=input["text"])
        Data.create("notes", {"text": input["text"]})
        found = [record.data["text"] for record in Data.search("notes", input["text"].split()[0])]
        return {"user": user.data, "found": found, "environment": sorted(os.environ.items())}


notes = LuaSkill("notes", "Notes", "Use note.", [Note()])
agent = LuaAgent("acme", "Friendly.", [notes])
"""


def test_a_conversation_keeps_it_there_and_no_tool_sees_the_key(
    server: Server, lua: Callable[..., Result], write_project: Callable[[Mapping[str, str]], Path]
) -> None:
    calls = [{"name": "note", "arguments": {"text": f"blue {number}"}} for number in (1, 2)]
    script = json.dumps([{"toolCalls": calls}, {"text": "Noted."}])
    root = write_project({"agent.py": AGENT, "s.json": script, "ada.json": '{"id": "ada", "data": {"plan": "gold"}}'})
    key = server.key("bot", "acme")
    env = {"LUA_API_URL": server.address, "LUA_API_KEY": key}
    flags = ("--ci", "-m", "hello", "--model", "scripted:s.json", "--user", "ada.json", "--json")
    done = lua("chat", *flags, "--state", "registry", cwd=root, env=env)
    assert done.exit_code == 0, done.stdout + done.stderr
    results = [entry["result"] for entry in json.loads(done.stdout)["transcript"] if entry["type"] == "tool"]
    assert results[1]["user"] == {"plan": "gold", "last": "blue 2"}
    assert sorted(results[1]["found"]) == ["blue 1", "blue 2"]
    assert key not in done.stdout + done.stderr
    assert not (root / ".lua/data.db").exists()
    with contextlib.closing(remote(server, "acme", EndUser("ada"))) as state:
        assert state.answer({"question": "user.get", "given": {}})["value"]["data"] == {"last": "blue 2"}
    local = lua("chat", *flags, cwd=root, env=env)  # without the flag, nothing of it is known
    tools = [entry for entry in json.loads(local.stdout)["transcript"] if entry["type"] == "tool"]
    assert tools[0]["result"]["found"] == ["blue 1"]


def test_without_a_registry_or_with_one_that_is_gone(
    lua: Callable[..., Result], write_project: Callable[[Mapping[str, str]], Path]
) -> None:
    root = write_project({"agent.py": AGENT, "s.json": '[{"text": "x"}]'})
    flags = ("--ci", "-m", "hello", "--model", "scripted:s.json")
    done = lua("chat", *flags, "--state", "registry", cwd=root)
    assert (done.exit_code, "needs a registry over HTTP" in done.stderr) == (2, True)
    assert lua("chat", *flags, "--state", "cloud", cwd=root).exit_code == 2


def test_a_server_without_these_calls_is_told(tmp_path: Path) -> None:
    class Old:
        address = "https://old.example.com"

        def call(self, *_arguments: Any, **_named: Any) -> Any:
            from lua_cli.registry.api import Reply

            return Reply(404, None, "no-such-call", "there is no such call")

        def close(self) -> None:
            pass

    state = RemoteState(Old(), "acme", ADA)  # type: ignore[arg-type]
    with pytest.raises(LuaError, match="keeps no data of tools"):
        state.answer({"question": "user.get", "given": {}})
