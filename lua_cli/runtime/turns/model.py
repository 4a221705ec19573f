"""What the turn loop takes and gives, as plain data. In: whoever has an agent makes an `Offer`; a `Model` answers
`Request`s. Out: an `Outcome`. Knows nothing of where tools and documents come from, and starts nothing.

    outcome = take_turn(offer, messages, model, Rules(max_iterations=8))

An `Offer` is one turn's: make a new one for each turn, after conditions were asked and the prompt was put together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Literal, Protocol

from lua_cli.records import field, record
from lua_cli.runtime.turns.cancellation import Cancellation

LOAD_SKILL = "load_skill"  # the name that the loop takes for itself: no tool may have it
MAX_ITERATIONS = 8

CALL_ID: ContextVar[str] = ContextVar("call_id", default="")  # of the call that is being made

OnText = Callable[[str], None]


@record(frozen=True)
class ToolSpec:
    """A tool as the model sees it. `input_schema` is a JSON Schema (2020-12) of an object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@record(frozen=True)
class ToolError:
    """Why a tool call has no output. The model gets all of it but `block`, to react to; it never ends the turn.

    type    unknown-tool, input-invalid, tool-error, timeout, crashed, output-not-json, or a word of the caller's own
    errors  every fault of the input: {"path": JSON Pointer, "message"}
    block   of a tool that is a chain: the address of the block that failed
    """

    type: str
    message: str
    path: str | None = None
    errors: tuple[Mapping[str, str], ...] = ()
    block: str = ""

    def document(self) -> dict[str, Any]:
        """The error as JSON."""
        out: dict[str, Any] = {"type": self.type, "message": self.message}
        if self.path is not None:
            out["path"] = self.path
        if self.errors:
            out["errors"] = [dict(error) for error in self.errors]
        return out


@record(frozen=True)
class ToolResult:
    """What a call came to: `output` (a JSON value) counts when `error` is None. `logs` is what the tool printed, `said`
    what it said on a voice session meanwhile.
    """

    output: Any = None
    error: ToolError | None = None
    logs: str = ""
    said: tuple[str, ...] = ()


@record(frozen=True)
class Tool:
    """A tool that can be called.

    call  gets the arguments, which fit the schema already (the loop checks them first). An exception that it raises
          becomes an error result of type "tool-error" with the exception's words; KeyboardInterrupt and the like, and
          LuaErrors, end the turn
    """

    spec: ToolSpec
    call: Callable[[dict[str, Any]], ToolResult]


@record(frozen=True)
class Document:
    """A skill's document that the model loads on demand: the prompt has name and description only.

    render  gives the text, at the moment when the model loads it. An exception becomes an error result
    files   what belongs to it and is loaded by its name: the content
    """

    name: str
    description: str
    render: Callable[[], str]
    files: Mapping[str, bytes] = field(default_factory=dict)


@record(frozen=True)
class Gate:
    """What a condition said before the turn. `reason` says why it is closed: "it said no", "ValueError: …",
    "no answer within 30 seconds", "skill refunds is left out"; "" for an open one. Without `asked` there is no
    condition of its own.
    """

    kind: Literal["tool", "skill", "server"]
    name: str
    open: bool
    reason: str = ""
    skill: str | None = None
    asked: bool = True
    duration_ms: int = 0


@record(frozen=True)
class Offer:
    """What the model is offered in one turn.

    prompt     the system prompt, without the list of documents (the loop adds it)
    tools      in the order in which the model shall see them; names unique, none is `load_skill`
    documents  names unique
    gates      what conditions said, for the transcript; empty where there are none
    parts      what the prompt was put together from, (name, text), for those who count; empty: one part
    """

    prompt: str
    tools: tuple[Tool, ...] = ()
    documents: tuple[Document, ...] = ()
    gates: tuple[Gate, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()


@record(frozen=True)
class ToolCall:
    """A call that the model asks for. `arguments` is usually an object; a model may write anything. `id` is unique in
    the conversation.
    """

    id: str
    name: str
    arguments: Any


@record(frozen=True)
class UserMessage:
    text: str


@record(frozen=True)
class AssistantMessage:
    text: str
    calls: tuple[ToolCall, ...] = ()


@record(frozen=True)
class ToolMessage:
    """A result on its way back. `content` is a text as it is, anything else as compact JSON; an error is
    {"error": {"type", "message", …}}.
    """

    call_id: str
    name: str
    content: str
    is_error: bool = False


Message = UserMessage | AssistantMessage | ToolMessage


@record(frozen=True)
class Usage:
    """Tokens as the provider counted them; zeros where nothing was counted."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)

    def document(self) -> dict[str, int]:
        """The numbers as JSON."""
        return {"inputTokens": self.input_tokens, "outputTokens": self.output_tokens}


@record(frozen=True)
class Request:
    """Exactly what a model sees: the system prompt, the conversation, the tools."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()


@record(frozen=True)
class Reply:
    """What a model answered. With `refusal` (its words, may be "") it will not do it; with `calls` it wants results
    first, and `text` is what it said beside; else `text` is the answer.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    refusal: str | None = None
    usage: Usage = field(default_factory=Usage)


class Model(Protocol):
    """Something that answers. Raises LuaErrors: AuthError (no or a wrong key), UnavailableError (no answer after
    retries), ProviderError (a request that the provider does not accept).
    """

    @property
    def name(self) -> str:
        """How transcripts call it: "anthropic/…", "scripted:orders.json"."""

    def request(self, request: Request, on_text: OnText | None = None) -> Reply:
        """One model call. `on_text` gets the text piece by piece where the model can stream, else once as a whole."""


@record(frozen=True)
class Entry:
    """One line of a transcript. `kind` is its `type` in JSON (docs/agents.md has them all); `facts` is JSON-able."""

    kind: str
    facts: Mapping[str, Any]
    duration_ms: int | None = None

    def document(self, *, times: bool = True) -> dict[str, Any]:
        """The line as JSON; without times, equal conversations have equal transcripts."""
        out = {"type": self.kind, **self.facts}
        if times and self.duration_ms is not None:
            out["durationMs"] = self.duration_ms
        return out


OnEntry = Callable[[Entry], None]


@record(frozen=True)
class Rules:
    """How a turn is taken.

    max_iterations  how many model calls it may make
    on_entry        told of each line of the transcript as it is written
    on_text         gets the model's text as it comes
    """

    max_iterations: int = MAX_ITERATIONS
    cancellation: Cancellation | None = None
    on_entry: OnEntry | None = None
    on_text: OnText | None = None


@record(frozen=True)
class Outcome:
    """What a turn came to.

    status      answered: `answer` counts. refused: the model will not, `answer` is its words. exhausted:
                `max_iterations` model calls were made and there is no answer. cancelled: from outside
    messages    the conversation after the turn, to be passed to the next one: complete for "answered", and as it
                was before the turn otherwise
    transcript  the lines of this turn
    """

    status: Literal["answered", "refused", "exhausted", "cancelled"]
    answer: str
    messages: tuple[Message, ...]
    transcript: tuple[Entry, ...]
    usage: Usage = field(default_factory=Usage)
    iterations: int = 0


class Conversation(Protocol):
    """An agent that somebody talks with: what `lua chat` opens, whether it is written in Python or in YAML. It keeps
    the messages, and whatever its tools keep, until it is closed.
    """

    @property
    def agent(self) -> str:
        """The agent's name."""

    @property
    def model(self) -> str | None:
        """The model that the agent names ("provider/model"); None when it names none."""

    def say(self, text: str, model: Model, rules: Rules) -> Outcome:
        """Take one turn with a message of the user's. `rules.max_iterations` is the agent's own where it has one."""

    def offer(self) -> Offer:
        """What the model would be offered in the next turn; conditions are asked for it."""

    def close(self) -> None:
        """End whatever runs for it."""
