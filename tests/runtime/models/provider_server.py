"""A server that speaks the wire protocols of OpenAI (chat completions), Anthropic (messages) and Gemini
(generateContent), and plays a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = (11, 7)


class ProviderServer:
    """Plays turns: {"text"}, {"toolCalls"}, {"refusal"}, or {"status", "body"} for an HTTP error. `requests` has the
    bodies, `headers` the headers of what came.
    """

    def __init__(self, *turns: Mapping[str, Any]) -> None:
        self.turns = list(turns)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.url = ""

    @contextmanager
    def running(self) -> Iterator[ProviderServer]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.requests.append(body)
                owner.paths.append(self.path)
                owner.headers.append({name.lower(): value for name, value in self.headers.items()})
                turn = owner.turns[min(len(owner.requests), len(owner.turns)) - 1]
                if "status" in turn:
                    return self._send(turn["status"], turn["body"])
                if "GenerateContent" in self.path or ":generateContent" in self.path:
                    whole = _gemini(turn)
                    streamed = ":streamGenerateContent" in self.path
                    return self._stream(_gemini_events(whole)) if streamed else self._send(200, whole)
                speak = _anthropic if self.path.endswith("/messages") else _openai
                if not body.get("stream"):
                    return self._send(200, speak(turn))
                stream = _anthropic_events if self.path.endswith("/messages") else _openai_events
                return self._stream(stream(speak(turn)))

            def do_GET(self) -> None:
                self._send(200, {"path": self.path})

            def _send(self, status: int, body: Any) -> None:
                content = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def _stream(self, events: Iterator[tuple[str, Any]]) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for name, data in events:
                    text = data if isinstance(data, str) else json.dumps(data)
                    self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode())

            def log_message(self, *_arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join(10)


def _openai(turn: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.get("text")}
    finish = "stop"
    if "refusal" in turn:
        message["refusal"], finish = turn["refusal"], "content_filter"
    if "toolCalls" in turn:
        finish = "tool_calls"
        message["tool_calls"] = [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": call["name"], "arguments": _text(call["arguments"])},
            }
            for number, call in enumerate(turn["toolCalls"])
        ]
    usage = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _anthropic(turn: Mapping[str, Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    stop = "end_turn"
    if "text" in turn:
        content.append({"type": "text", "text": turn["text"]})
    if "refusal" in turn:
        content.append({"type": "text", "text": turn["refusal"]})
        stop = "refusal"
    for number, call in enumerate(turn.get("toolCalls", ())):
        stop = "tool_use"
        content.append({"type": "tool_use", "id": f"toolu_{number}", "name": call["name"], "input": call["arguments"]})
    usage = {"input_tokens": USAGE[0], "output_tokens": USAGE[1]}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": stop,
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _gemini(turn: Mapping[str, Any]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": turn["text"]}] if "text" in turn else []
    parts += [{"functionCall": {"name": call["name"], "args": call["arguments"]}} for call in turn.get("toolCalls", ())]
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    if "refusal" in turn:
        candidate = {"finishReason": "SAFETY", "index": 0, "content": {"role": "model"}}
    usage = {"promptTokenCount": USAGE[0], "candidatesTokenCount": USAGE[1], "totalTokenCount": sum(USAGE)}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", "responseId": "r1"}


def _gemini_events(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    (candidate,) = whole["candidates"]
    for part in candidate["content"].get("parts", ()):
        for piece in [{"text": text} for text in _pieces(part["text"])] if "text" in part else [part]:
            yield "", {**whole, "usageMetadata": None, "candidates": [{"content": {"role": "model", "parts": [piece]}}]}
    yield "", {**whole, "candidates": [{**candidate, "content": {"role": "model", "parts": []}}]}


def _openai_events(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    message = whole["choices"][0]["message"]
    for word in _pieces(message["content"] or ""):
        yield (
            "",
            {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}]},
        )
    for number, call in enumerate(message.get("tool_calls", ())):
        delta = {"tool_calls": [{**call, "index": number}]}
        yield "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    finish = whole["choices"][0]["finish_reason"]
    yield "", {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    yield "", {**head, "choices": [], "usage": whole["usage"]}
    yield "", "[DONE]"


def _anthropic_events(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "message_start", {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        empty: dict[str, Any] = {"text": ""} if block["type"] == "text" else {"input": {}}
        yield (
            "content_block_start",
            {"type": "content_block_start", "index": index, "content_block": {**block, **empty}},
        )
        deltas: list[dict[str, Any]] = (
            [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
            if block["type"] == "text"
            else [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        )
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": whole["usage"]}
    yield "message_stop", {"type": "message_stop"}


def _pieces(text: str) -> list[str]:
    return [text[begin : begin + 5] for begin in range(0, len(text), 5)]
