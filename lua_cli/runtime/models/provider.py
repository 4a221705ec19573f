"""Models of providers. In: "provider/model", the environment. Out: a `Model` over pydantic-ai's direct requests.

The library knows the wire protocols; the loop, the tools and the conversation are ours. Keys come from the environment
alone, under the names that the providers themselves use.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.errors import AuthError, LuaError, ProviderError, UnavailableError, UsageError
from lua_cli.runtime.turns.model import (
    AssistantMessage,
    Message,
    OnText,
    Reply,
    Request,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)

if TYPE_CHECKING:
    from pydantic_ai import messages as wire

BASE_URL = "LUA_MODEL_BASE_URL"
_NAMES = {"gemini": "google", "google-gla": "google"}
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY or GEMINI_API_KEY"}
_SECONDS = 120.0
_OFFLINE = "offline, a script plays the model: --model scripted:FILE.json"
_NAME = re.compile(r"([a-z][a-z0-9-]*)[/:](.+)")


def open_provider(name: str, environ: Mapping[str, str]) -> Provider:
    """The model of that name. LUA_MODEL_BASE_URL puts OpenAI's, Anthropic's and Gemini's protocol at another address.

    Raises UsageError for a name that nobody knows, AuthError without a key, LuaError without the extra.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(f"{name!r} is no model", hint=f"--model provider/model; {_OFFLINE}")
    provider, model = _NAMES.get(match[1], match[1]), match[2]
    try:
        import pydantic_ai.direct  # noqa: F401
    except ImportError:
        raise LuaError(
            "models of providers need an extra that is not installed",
            hint=f"pip install 'lua-cli[chat]'; {_OFFLINE}",
        ) from None
    return Provider(f"{provider}/{model}", _opened(provider, model, environ))


def _opened(provider: str, model: str, environ: Mapping[str, str]) -> Any:
    from pydantic_ai import exceptions, models

    try:
        if base_url := environ.get(BASE_URL):
            return _at(base_url, provider, model, environ)
        if provider == "google":
            return _gemini(model)
        return models.infer_model(f"{provider}:{model}")
    except exceptions.UserError as error:
        words = str(error).partition("\n")[0]
        if "environment variable" in words or "api_key" in words.lower():
            key = _KEYS.get(provider, "its key")
            raise AuthError(
                f"there is no key for {provider}: {key} is not set", hint=f"export it; {_OFFLINE}"
            ) from error
        raise UsageError(f"{provider}/{model}: {words}", hint=f"--model provider/model; {_OFFLINE}") from error
    except ImportError as error:
        raise LuaError(
            f"the package for {provider} is not installed", hint=f"pip install 'pydantic-ai-slim[{provider}]'"
        ) from error


def _at(base_url: str, provider: str, model: str, environ: Mapping[str, str]) -> Any:
    """A model at another address that speaks the protocol of OpenAI, of Anthropic, or of Gemini."""
    if provider == "google":
        return _gemini(model, base_url, environ.get("GOOGLE_API_KEY") or environ.get("GEMINI_API_KEY") or "none")
    if provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        own = AnthropicProvider(base_url=base_url, api_key=environ.get("ANTHROPIC_API_KEY", "none"))
        return AnthropicModel(model, provider=own)
    if provider != "openai":
        raise UsageError(
            f"{BASE_URL} is set, and {provider} has no address of its own",
            hint="name it openai/MODEL, anthropic/MODEL or gemini/MODEL, by the protocol that is spoken there",
        )
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIChatModel(
        model, provider=OpenAIProvider(base_url=base_url, api_key=environ.get("OPENAI_API_KEY", "none"))
    )


def _gemini(model: str, base_url: str | None = None, key: str | None = None) -> Any:
    """A model of Gemini's protocol. Its client repeats nothing unless it is told to, as those of the others do."""
    from google.genai.types import HttpRetryOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    again = HttpRetryOptions(attempts=3, initial_delay=0.5, max_delay=8.0)
    return GoogleModel(model, provider=GoogleProvider(api_key=key, base_url=base_url, retry_options=again))


class Provider:
    """A model of a provider's."""

    def __init__(self, name: str, model: Any) -> None:
        self.name, self._model = name, model
        self._numbers = 0

    def request(self, request: Request, on_text: OnText | None = None) -> Reply:
        """One request; the client of the provider repeats it when the network fails or the server is busy.

        Raises AuthError, UnavailableError, ProviderError.
        """
        import asyncio

        from pydantic_ai import exceptions

        try:
            response = asyncio.run(self._answer(request, on_text))
        except exceptions.ContentFilterError as error:
            return Reply(refusal=str(error))
        except exceptions.AgentRunError as error:
            raise self._failure(error) from error
        return self._reply(response)

    async def _answer(self, request: Request, on_text: OnText | None) -> wire.ModelResponse:
        """The answer, over a connection that is closed with it."""
        from pydantic_ai import direct
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.tools import ToolDefinition

        tools = [
            ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.input_schema))
            for tool in request.tools
        ]
        asked: dict[str, Any] = {
            "model_settings": {"timeout": _SECONDS},
            "model_request_parameters": ModelRequestParameters(function_tools=tools),
        }
        messages = list(_wire_messages(request))
        async with self._model:
            if on_text is None:
                return await direct.model_request(self._model, messages, **asked)
            async with direct.model_request_stream(self._model, messages, **asked) as stream:
                async for event in stream:
                    _tell(event, on_text)
                return stream.get()

    def _failure(self, error: Exception) -> LuaError:
        from pydantic_ai import exceptions

        words = _words(error)
        if isinstance(error, exceptions.ModelAuthenticationError):
            return AuthError(f"{self.name}: the key is not accepted: {words}", hint=f"see the key; {_OFFLINE}")
        if isinstance(error, exceptions.ModelRequestRejectedError | exceptions.ModelQuotaExceededError):
            return ProviderError(f"{self.name} does not take the request: {words}", hint="see what it says; lua prompt")
        if isinstance(error, exceptions.ModelAPIError):
            return UnavailableError(f"{self.name} does not answer: {words}", hint=f"try again later; {_OFFLINE}")
        return ProviderError(f"{self.name} answered what cannot be read: {words}", hint="try again")

    def _reply(self, response: wire.ModelResponse) -> Reply:
        from pydantic_ai import messages as wire

        text = "".join(part.content for part in response.parts if isinstance(part, wire.TextPart))
        usage = Usage(response.usage.input_tokens, response.usage.output_tokens)
        if response.finish_reason == "content_filter":
            return Reply(refusal=text, usage=usage)
        calls = [part for part in response.parts if isinstance(part, wire.ToolCallPart)]
        return Reply(text, tuple(self._call(part) for part in calls), usage=usage)

    def _call(self, part: wire.ToolCallPart) -> ToolCall:
        self._numbers += 1
        arguments: Any = part.args if part.args is not None else {}
        if isinstance(arguments, str):
            with contextlib.suppress(ValueError):  # what is no JSON goes back to the model as an error
                arguments = json.loads(arguments) if arguments.strip() else {}
        return ToolCall(part.tool_call_id or f"call_{self._numbers}", part.tool_name, arguments)


def _tell(event: Any, on_text: OnText) -> None:
    """Pass on the text in an event of a stream."""
    from pydantic_ai import messages as wire

    if isinstance(event, wire.PartStartEvent) and isinstance(event.part, wire.TextPart) and event.part.content:
        on_text(event.part.content)
    elif isinstance(event, wire.PartDeltaEvent) and isinstance(event.delta, wire.TextPartDelta):
        on_text(event.delta.content_delta)


def _wire_messages(request: Request) -> Iterator[wire.ModelMessage]:
    """The conversation as the library has it: results of one reply's calls go back together."""
    from pydantic_ai import messages as wire

    parts: list[Any] = []
    for message in request.messages:
        if isinstance(message, AssistantMessage):
            if parts:
                yield wire.ModelRequest(parts=parts, instructions=request.system or None)
            parts = []
            yield wire.ModelResponse(parts=_said(message))
        else:
            parts.append(_heard(message))
    if parts:
        yield wire.ModelRequest(parts=parts, instructions=request.system or None)


def _heard(message: Message) -> Any:
    from pydantic_ai import messages as wire

    if isinstance(message, ToolMessage):
        return wire.ToolReturnPart(message.name, message.content, tool_call_id=message.call_id)
    assert isinstance(message, UserMessage)  # noqa: S101  # the third kind
    return wire.UserPromptPart(message.text)


def _said(message: AssistantMessage) -> list[Any]:
    from pydantic_ai import messages as wire

    text = [wire.TextPart(message.text)] if message.text or not message.calls else []
    calls = [wire.ToolCallPart(call.name, _object(call.arguments), tool_call_id=call.id) for call in message.calls]
    return [*text, *calls]


def _object(arguments: Any) -> Any:
    """Arguments as they may stand in a request: providers take an object alone."""
    return arguments if isinstance(arguments, dict) else {"value": arguments}


def _words(error: Exception) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error") if isinstance(body, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("message"), str):
        return str(inner["message"])
    return str(error).partition("\n")[0]
