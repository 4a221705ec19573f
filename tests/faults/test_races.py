"""Many at once: sixteen clients that push the same version with equal and with different content, deploys that saw the same
history; on SQLite, and on two servers before one PostgreSQL.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lua_cli.errors import LuaError
from lua_cli.registry.http import HttpRegistry
from tests.registry.sample import AGENT, submission
from tests.server.serving import Server

RACERS = 16


@pytest.fixture(params=["sqlite", "postgresql"])
def servers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[Server]]:
    if request.param == "sqlite":
        running = [Server(tmp_path / "one").start()]
    else:
        url = request.getfixturevalue("postgres").database()
        running = [Server(tmp_path / name, url=url).start() for name in ("one", "two")]
    yield running
    for server in running:
        server.close()


def race(servers: list[Server], work: Callable[[HttpRegistry, int], str]) -> Counter[str]:
    """What each of the clients got; all start at once, on the servers in turn."""
    key = servers[0].key("mo", AGENT)
    barrier = threading.Barrier(RACERS)
    answers: list[str] = []

    def run(number: int) -> None:
        with servers[number % len(servers)].client(key) as client:
            barrier.wait(60)
            try:
                answers.append(work(client, number))
            except LuaError as error:
                answers.append(type(error).__name__)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(RACERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(answers) == RACERS
    return Counter(answers)


def test_equal_pushes_are_one_version_and_all_succeed(servers: list[Server]) -> None:
    answers = race(servers, lambda client, _: client.put(AGENT, submission()).skill_id)
    assert len(answers) == 1, answers
    with servers[0].client() as client:
        (skill,) = client.skills(AGENT)
        assert [record.version for record in skill.versions] == ["1.0.0"]


def test_of_different_pushes_one_wins(servers: list[Server]) -> None:
    def push(client: HttpRegistry, number: int) -> str:
        client.put(AGENT, submission(word=f"word {number}"))
        return f"won {number}"

    answers = race(servers, push)
    winners = [answer for answer in answers if answer.startswith("won")]
    assert len(winners) == 1 and answers["VersionTakenError"] == RACERS - 1, answers
    with servers[-1].client() as client:
        word = winners[0].replace("won", "word")
        assert client.artifact(AGENT, "orders", "1.0.0") == submission(word=word).content


def test_of_deploys_that_saw_the_same_one_wins(servers: list[Server]) -> None:
    with servers[0].client() as client:
        for number in range(RACERS):
            client.put(AGENT, submission(f"1.0.{number}", str(number), unchecked=True))

    def deploy(client: HttpRegistry, number: int) -> str:
        return str(client.deploy(AGENT, "orders", f"1.0.{number}", seen=0, key=str(number)).number)

    assert race(servers, deploy) == Counter({"1": 1, "DeployedMeanwhileError": RACERS - 1})


def test_pushes_of_different_versions_all_succeed(servers: list[Server]) -> None:
    def push(client: HttpRegistry, number: int) -> str:
        return str(client.put(AGENT, submission(f"1.0.{number}", str(number), unchecked=True)).created)

    assert race(servers, push) == Counter({"True": RACERS})


def test_of_variables_replaced_by_many_one_change_wins(servers: list[Server]) -> None:
    with servers[0].client() as client:
        variables = client.agent_variables(AGENT)
        variables.replace({"A": "before"}, variables.read())
        seen = variables.read()

    def change(client: HttpRegistry, number: int) -> str:
        client.agent_variables(AGENT).replace({"A": str(number)}, seen)
        return f"won {number}"

    answers = race(servers, change)
    (winner,) = [answer for answer in answers if answer.startswith("won")]
    assert answers["ConflictError"] == RACERS - 1, answers
    with servers[-1].client() as client:
        assert dict(client.agent_variables(AGENT).read().values) == {"A": winner.removeprefix("won ")}
