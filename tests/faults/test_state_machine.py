"""The server against a dictionary, under any order of pushes, deployments, withdrawals, kills and new connections.

`LUA_FAULT_EXAMPLES` sets how many orders are tried.
"""

from __future__ import annotations

import os
import random
import tempfile
import threading
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule, run_state_machine_as_test

from lua_cli.errors import LuaError
from lua_cli.registry.sending import Policy
from tests.registry.sample import AGENT, submission
from tests.registry.test_state_machine import SKILLS, WORDS, RegistryMachine
from tests.server.serving import OwnAgent, Server

EXAMPLES = int(os.environ.get("LUA_FAULT_EXAMPLES", "3"))
STEPS = 14


class ServedMachine(RegistryMachine):
    """Each order has an agent of its own on a server that all of them share, and that a kill brings down for a moment."""

    server: Server
    key: str

    @initialize()
    def open(self) -> None:
        self.own = f"{AGENT}-{uuid.uuid4()}"
        self.connect()

    def connect(self) -> None:
        self.client = self.server.client(self.key, policy=Policy(repeats=0, total=30.0))
        served = OwnAgent(self.client)
        served._own = self.own
        self.registry = served  # type: ignore[assignment]

    @rule()
    def reopen(self) -> None:
        self.client.close()
        self.connect()

    @rule(name=SKILLS, word=WORDS, wait=st.floats(0, 0.06), deploy=st.booleans())
    def crash(self, name: str, word: str, wait: float, deploy: bool) -> None:
        """The server is killed while a push or a deployment is under way: that call was, or it never was."""
        skill = self.skill(name)
        registry: Any = self.registry

        def call() -> None:
            try:
                if deploy and skill.versions:
                    key = f"crash-{random.random()}"
                    registry.deploy(AGENT, name, next(iter(skill.versions)), seen=len(skill.history), key=key)
                else:
                    registry.put(AGENT, submission("3.0.0", word, skill=name, unchecked=True))
            except LuaError:
                pass

        calling = threading.Thread(target=call)
        calling.start()
        threading.Event().wait(wait)
        self.server.kill()
        calling.join(60)
        self.server.start(self.server.port)
        self.reopen()
        self.learn(self.registry, name)

    @invariant()
    def the_registry_is_what_the_model_is(self) -> None:
        """What is cheap to ask; contents and facts are compared at the end."""
        for name, model in self.model.items():
            found = self.registry.skill(AGENT, name)
            assert {r.version for r in found.versions} == set(model.versions) if found else not model.versions
            if found:
                assert {r.version for r in found.versions if r.yanked} == model.yanked
                assert (found.live.version if found.live else None) == (model.history[-1] if model.history else None)

    def teardown(self) -> None:
        if hasattr(self, "registry"):
            RegistryMachine.the_registry_is_what_the_model_is(self)
            self.client.close()


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_any_order_of_calls_and_kills(database: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("postgres").database() if database == "postgresql" else ""
    with tempfile.TemporaryDirectory() as folder:
        ServedMachine.server = Server(Path(folder) / "server", url=url).start()
        ServedMachine.key = ServedMachine.server.key("mo")
        try:
            run_state_machine_as_test(
                ServedMachine,
                settings=settings(
                    max_examples=EXAMPLES,
                    stateful_step_count=STEPS,
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                    print_blob=True,
                    database=None,
                ),
            )
        finally:
            ServedMachine.server.close()
