"""Cases of flows in tests/*.test.yaml, played by `lua test`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

FLOWS = """\
env: [{name: SHOP, default: acme}]
flows:
  - name: price
    process:
      - {type: filter, condition: body.amount > 0.0}
      - {type: flow-ref, name: ask, settings: {flow: rate}}
      - {type: set-variable, settings: {name: seen, value: '{"shop": env.SHOP, "more": 1}'}}
      - {type: object-read, settings: {key: '"runs"', as: runs, default: '0.0'}}
      - {type: object-write, settings: {key: '"runs"', value: vars.runs + 1.0}}
      - {type: set-payload, settings: {value: '{"price": body.rate * 2.0, "runs": vars.runs}'}}
  - name: rate
    process: [{type: fail, settings: {message: '"no network here"'}}]
  - name: support
    process:
      - type: ai-agent
        name: helper
        prompt: Help.
        tools:
          - name: rate
            description: Give the rate.
            process: [{type: flow-ref, name: ask, settings: {flow: rate}}]
"""
GOOD = """\
cases:
  - name: doubles the rate
    flow: price
    body: {amount: 1}
    mocks: {price.ask: {body: {rate: 2}}}
    env: {SHOP: other}
    expect: {body: {price: 4, runs: 0}, vars: {seen: {shop: other}}}
  - name: begins with an empty store
    flow: price
    body: {amount: 1}
    mocks: {price.ask: {body: {rate: 2.5}}}
    expect: {body: {price: 5, runs: 0}}
  - {name: drops nothing, flow: price, body: {amount: 0}, expect: {dropped: true}}
  - {name: fails for real, flow: price, body: {amount: 1}, expect: {error: no network}}
  - name: an agent's block is mocked by its address
    flow: support
    body: hello
    script: [{toolCalls: [{name: rate, arguments: {}}]}, {text: '{"rate": 7}'}]
    mocks: {'support.helper[rate].ask': {body: 7}}
    expect: {body: {rate: 7}}
"""


def test_cases_of_flows_pass(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"flows/a.yaml": FLOWS, "tests/a.test.yaml": GOOD})
    done = lua("test", "--ci", cwd=root)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "5 passed"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("body: {amount: 1}", "rate.fail: no network here"),
        ("body: {amount: 0}", "the message was dropped"),
        ("body: {amount: 0}, expect: {error: x}", "expected an error with 'x', and there is none"),
        ("body: {amount: 1}, expect: {error: x}", "expected an error with 'x', got 'no network here'"),
        (
            "body: {amount: 1}, mocks: {price.ask: {body: {rate: 1}}}, expect: {dropped: true}",
            "the message was not dropped",
        ),
        (
            "body: {amount: 1}, mocks: {price.ask: {body: {rate: 1}}}, expect: {vars: {none: 1}}",
            "there is no variable 'none'",
        ),
        (
            "body: {amount: 1}, mocks: {price.aks: {body: 1}}",
            "no block has the address 'price.aks' (did you mean price.ask?)",
        ),
        (
            "body: {amount: 1}, mocks: {price.ask: {body: {rate: 1}}}, expect: {body: {price: 3, runs: 0}}",
            "/price: expected 3, got 2",
        ),
        (
            "body: {amount: 1}, mocks: {price.ask: {body: {rate: 1}}, rate.fail: {body: 1}, support.helper: {}}",
            "the mock of rate.fail was not used\nthe mock of support.helper was not used",
        ),
        (
            "body: {amount: 0}, script: [{text: a}, {text: b}], expect: {dropped: true}",
            "the script has 2 turns that the model was not asked for",
        ),
        (
            "flow: support, body: x, script: [{text: a}, {text: b}]",
            "the script has 1 turn that the model was not asked for",
        ),
        (
            "body: {amount: 0}, env: {SHOPP: x}, expect: {dropped: true}",
            "the flow price does not read the variable SHOPP, so nothing would see it (did you mean SHOP?)",
        ),
        (
            "body: {amount: 0}, env: {REGION: x}, expect: {dropped: true}",
            "the flow price does not read the variable REGION, so nothing would see it (Python reads it by a name that"
            " can be told, or [tool.lua] env lists it; flows declare it: env: [{name: …}])",
        ),
    ],
)
def test_what_differs_is_said(lua: Lua, write_project: WriteProject, case: str, message: str) -> None:
    flow = "" if case.startswith("flow:") else "flow: price, "
    root = write_project({"flows/a.yaml": FLOWS, "tests/a.test.yaml": f"cases: [{{name: a, {flow}{case}}}]\n"})
    done = lua("test", "--ci", "--json", cwd=root)
    assert (done.exit_code, json.loads(done.stdout)["cases"][0]["message"]) == (1, message)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("{name: a, flow: f, boddy: 1}", ":1:28: unknown key `boddy` in a case of a flow"),
        ("{name: a, flow: f, vars: 1}", ":1:34: `vars` must be a mapping"),
        ("{name: a, flow: f, mocks: {x: {bod: 1}}}", ":1:40: unknown key `bod` in the mock of x"),
        ("{name: a, flow: f, expect: {error: a, body: 1}}", "a flow that fails has no body and no variables"),
        ("{name: a, flow: f, mocks: {f.set-payload: {vars: [1]}}}", ":1:58: `vars` of a mock must be a mapping"),
        ("{name: a, flow: f, mocks: {f.set-payload: 5}}", ":1:51: the mock of f.set-payload is a mapping"),
        ("{name: a, flow: f, mocks: {f.set-payload: {error: 5}}}", "`error` of a mock must be a text"),
        ("{name: a, flow: f, script: [{text: a}, 5]}", ":1:48: /1: a turn is an object"),
        ("{name: a, flow: f, script: [{toolCalls: 5}]}", "/0/toolCalls: toolCalls is a list of"),
        ("{flow: f}", "the case has no `name`"),
        ("{name: a, flow: f, expect: {error: ''}}", ":1:44: an empty text is a part of every message"),
        ("{name: a, flow: f, mocks: {x: {dropped: false}}}", ":1:49: `dropped: false` mocks nothing"),
        ("{name: a, flow: f, mocks: {x: {body: 1, error: a}}}", "a mock with `error` leaves no message to give more"),
        ("{name: a, flow: f, mocks: {x: {vars: {a: 1}, dropped: true}}}", "a mock with `dropped` leaves no message"),
        ("{name: a, flow: f, user: {id: ada}, vars: {user: 1}}", "`user` becomes the variable `user`"),
    ],
)
def test_a_case_that_is_none_is_refused(lua: Lua, write_project: WriteProject, case: str, words: str) -> None:
    root = write_project({"flows/a.yaml": FLOWS, "tests/a.test.yaml": f"cases: [{case}]\n"})
    done = lua("test", "--ci", cwd=root)
    assert (done.exit_code, words in done.stderr) == (2, True), done.stderr


PYTHON = {
    "flows/a.yaml": """\
flows:
  - name: whose
    process:
      - {type: set-variable, settings: {name: who, value: 'has(vars.user) ? vars.user : {}'}}
      - {type: lua-tool, settings: {tool: region}}
""",
    "agent.py": """\
import os

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Region(LuaTool):
    name = "region"
    description = "Tell the region. Use when the user asks for it."

    def execute(self, input: dict[str, object]) -> str:
        return os.environ["_".join(["SHOP", "REGION"])]


agent = LuaAgent(name="a", persona="p", skills=[LuaSkill(name="s", description="d", context="c", tools=[Region()])])
""",
    "pyproject.toml": """\
[project]
name = "shop"
version = "1"
requires-python = ">=3.11"
dependencies = ["lua-cli"]

[tool.lua]
env = ["SHOP_REGION"]
""",
    "tests/a.test.yaml": """\
cases:
  - name: the tool sees the variable, and expressions the user
    flow: whose
    env: {SHOP_REGION: north}
    user: {id: ada, data: {plan: gold}}
    expect: {body: north, vars: {who: {id: ada, data: {plan: gold}}}}
  - {name: of all users, flow: whose, env: {SHOP_REGION: south}, expect: {body: south, vars: {who: {id: bob}}}}
  - {name: of the tool alone, tool: region, env: {SHOP_REGION: west}, expect: {output: west}}
""",
}


def test_variables_with_computed_names_and_the_end_user(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({**PYTHON, "bob.json": '{"id": "bob"}'})
    done = lua("test", "--ci", "--user", "bob.json", cwd=root)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "3 passed"), done.stdout + done.stderr


ASKING = """\
connectors: [{name: api, type: http-client, settings: {baseURL: 'https://api.example/v1'}}]
flows:
  - name: ask
    process: [{type: rest, name: get, settings: {connector: api, path: '/orders/{{ body.id }}'}}]
  - name: support
    process:
      - type: ai-agent
        name: helper
        prompt: Help.
        tools:
          - {name: look, description: Look up an order by its id., process: [{type: flow-ref, settings: {flow: ask}}]}
"""
EXCHANGES = """\
cases:
  - name: of a flow
    flow: ask
    body: {id: A-1}
    http: [{request: {method: GET, url: 'https://api.example/v1/orders/A-1'}, response: {status: 200, json: {total: 5.0}}}]
    expect: {body: {total: 5}}
  - name: of a tool
    tool: look
    input: {id: A-1}
    http: [{request: {method: GET, url: 'https://api.example/v1/orders/A-1'}, response: {status: 200, json: {total: 5.0}}}]
    expect: {output: {total: 5}}
"""


def test_http_is_played_for_flows_and_for_tools_that_are_chains(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"flows/a.yaml": ASKING, "tests/a.test.yaml": EXCHANGES})
    done = lua("test", "--ci", cwd=root)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "2 passed"), done.stdout
    (root / "tests" / "a.test.yaml").write_text(EXCHANGES.replace("id: A-1", "id: A-2"))
    done = lua("test", "--ci", "--json", cwd=root)
    message = "no exchange of the case's `http` fits GET https://api.example/v1/orders/A-2"
    assert [case["message"] for case in json.loads(done.stdout)["cases"]] == [message, message]


def test_a_sandbox_has_no_network_for_chains_either(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"flows/a.yaml": ASKING})
    done = lua("test", "--ci", "skill", "--name", "look", "--input", '{"id": "A-1"}', "--sandbox", "--json", cwd=root)
    message = "GET /orders/A-1: no network in the sandbox (--network allows it)"
    assert json.loads(done.stdout)["error"] == {
        "type": "tool-error", "message": message, "hint": "the block is ask.get"
    }  # fmt: skip
