"""Models of providers, over their wire protocols: a server of ours stands in for OpenAI's, Anthropic's and Gemini's."""

from __future__ import annotations

from typing import Any

import pytest

from lua_cli.errors import AuthError, LuaError, ProviderError, UnavailableError, UsageError
from lua_cli.runtime.models.choosing import choose_model
from lua_cli.runtime.models.provider import open_provider
from lua_cli.runtime.turns import Model, Outcome, UserMessage, take_turn
from tests.runtime.models.provider_server import ProviderServer
from tests.runtime.turns.shop import call, offer

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GOOGLE_API_KEY"}
PROVIDERS = list(KEYS)
TURNS = (
    {"text": "Let me see.", **call("lookup_order", {"order_number": "A-1"})},
    call("lookup_order", {"order_number": 7}),
    {"text": "It was shipped yesterday."},
)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_BASE_URL",
        "LUA_MODEL",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def opened(server: ProviderServer, provider: str) -> Model:
    url = server.url + ("/v1" if provider == "openai" else "")
    return open_provider(f"{provider}/some-model", {"LUA_MODEL_BASE_URL": url, KEYS[provider]: "sk-test"})


def turn(server: ProviderServer, provider: str, on_text: Any = None) -> Outcome:
    from lua_cli.runtime.turns import Rules

    return take_turn(offer(), (UserMessage("Where is A-1?"),), opened(server, provider), Rules(on_text=on_text))


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_turn(provider: str, streamed: bool) -> None:
    pieces: list[str] = []
    with ProviderServer(*TURNS).running() as server:
        outcome = turn(server, provider, pieces.append if streamed else None)
    assert (outcome.status, outcome.answer) == ("answered", "It was shipped yesterday.")
    assert outcome.usage.document() == {"inputTokens": 33, "outputTokens": 21}
    results = [entry.facts for entry in outcome.transcript if entry.kind == "tool"]
    assert results[0]["result"] == {"status": "shipped", "order": "A-1"}
    assert results[1]["error"]["type"] == "input-invalid"
    assert ("".join(pieces), len(pieces) > 2) == (
        ("Let me see.It was shipped yesterday.", True) if streamed else ("", False)
    )
    assert "some-model" in (server.requests[0].get("model") or server.paths[0])


def test_what_openai_is_sent() -> None:
    with ProviderServer(*TURNS).running() as server:
        turn(server, "openai")
    assert server.headers[0]["authorization"] == "Bearer sk-test"
    messages = server.requests[-1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert messages[0]["content"].startswith("You help customers.")
    assert messages[3]["content"] == '{"status":"shipped","order":"A-1"}'
    function = server.requests[0]["tools"][0]["function"]
    assert (function["name"], function["description"]) == ("lookup_order", "Look an order up.")
    assert function["parameters"]["required"] == ["order_number"]


def test_what_anthropic_is_sent() -> None:
    with ProviderServer(*TURNS).running() as server:
        turn(server, "anthropic")
    assert "sk-test" in (
        server.headers[0].get("x-api-key"),
        server.headers[0].get("authorization", "").removeprefix("Bearer "),
    )
    request = server.requests[-1]
    system = request["system"]
    assert (system if isinstance(system, str) else system[0]["text"]).startswith("You help customers.")
    assert [message["role"] for message in request["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    (result,) = request["messages"][2]["content"]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "toolu_0")
    assert request["tools"][0]["input_schema"]["required"] == ["order_number"]


def test_what_gemini_is_sent() -> None:
    with ProviderServer(*TURNS).running() as server:
        turn(server, "gemini")
    assert server.paths[0] == "/v1beta/models/some-model:generateContent"
    assert server.headers[0]["x-goog-api-key"] == "sk-test"
    request = server.requests[-1]
    assert request["systemInstruction"]["parts"][0]["text"].startswith("You help customers.")
    assert [content["role"] for content in request["contents"]] == ["user", "model", "user", "model", "user"]
    (result,) = request["contents"][2]["parts"]
    assert result["functionResponse"]["name"] == "lookup_order"
    assert "shipped" in str(result["functionResponse"]["response"])
    (declared,) = request["tools"][0]["functionDeclarations"][:1]
    assert (declared["name"], declared["description"]) == ("lookup_order", "Look an order up.")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refusal(provider: str) -> None:
    with ProviderServer({"refusal": "I will not."}).running() as server:
        outcome = turn(server, provider)
    assert outcome.status == "refused"


def test_arguments_that_are_no_json_go_back_to_the_model() -> None:
    broken = {"toolCalls": [{"name": "lookup_order", "arguments": '{"order_number": '}]}
    with ProviderServer(broken, {"text": "Sorry."}).running() as server:
        outcome = turn(server, "openai")
    (result,) = (entry.facts for entry in outcome.transcript if entry.kind == "tool")
    assert result["error"]["message"] == "the arguments of lookup_order must be a JSON object"
    assert outcome.answer == "Sorry."


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("status", "kind"), [(401, AuthError), (400, ProviderError), (404, ProviderError), (503, UnavailableError)]
)
def test_what_the_provider_says_no_to(provider: str, status: int, kind: type[LuaError]) -> None:
    body = {"type": "error", "error": {"type": "some_error", "message": "that is the reason"}}
    with ProviderServer({"status": status, "body": body}).running() as server, pytest.raises(kind) as caught:
        turn(server, provider)
    assert f"{'google' if provider == 'gemini' else provider}/some-model" in caught.value.message
    assert "that is the reason" in caught.value.message
    assert "sk-test" not in caught.value.message


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_busy_provider_is_asked_again(provider: str) -> None:
    busy = {"status": 503, "body": {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}}
    with ProviderServer(busy, {"text": "Now."}).running() as server:
        outcome = turn(server, provider)
    assert (outcome.answer, len(server.requests)) == ("Now.", 2)


def test_nobody_answers() -> None:
    with ProviderServer().running() as server:
        pass
    with pytest.raises(UnavailableError, match="openai/some-model does not answer"):
        turn(server, "openai")


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("gpt", UsageError, "'gpt' is no model"),
        ("nobody/x", UsageError, "nobody/x"),
        ("openai/gpt-x", AuthError, "there is no key for openai: OPENAI_API_KEY is not set"),
        ("anthropic/claude-x", AuthError, "there is no key for anthropic: ANTHROPIC_API_KEY is not set"),
        ("gemini/gemini-x", AuthError, "there is no key for google"),
    ],
)
def test_models_that_cannot_be_opened(name: str, kind: type[LuaError], words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        open_provider(name, {})
    assert "--model scripted:FILE.json" in str(caught.value.hint)


def test_which_model_counts(tmp_path: Any) -> None:
    (tmp_path / "a.json").write_text("[]", "utf-8")
    (tmp_path / "b.json").write_text("[]", "utf-8")
    environ = {"LUA_MODEL": "scripted:b.json"}
    assert choose_model("scripted:a.json", "openai/x", environ, tmp_path).name == "scripted:a.json"
    assert choose_model(None, "scripted:a.json", environ, tmp_path).name == "scripted:a.json"
    assert choose_model(None, None, environ, tmp_path).name == "scripted:b.json"
    with pytest.raises(UsageError, match="no model is named"):
        choose_model(None, None, {}, tmp_path)
