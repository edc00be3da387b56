"""The answer of a turn as chat completions: a document, or chunks of a stream.

`reasoning_content` and `roundtrip` are no fields of OpenAI's: the model's reasoning, and the calls
of an assistant's own tools for a client that asks for them.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from api.openai.errors import OpenAIError
from api.openai.following import Ended, Part, Reasoning, Text
from api.openai.outcome import Outcome, ShownCall
from api.openai.sending import Sent

Chunk = dict[str, Any]
DONE = b"data: [DONE]\n\n"
WAITING = b": waiting\n\n"


def document(sent: Sent, outcome: Outcome) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": outcome.text if outcome.text or not outcome.calls else None,
        "refusal": outcome.refusal or None,
    }
    if outcome.reasoning:
        message["reasoning_content"] = outcome.reasoning
    if outcome.calls:
        message["tool_calls"] = outcome.calls
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": outcome.finish_reason,
    }
    head = {**_head(sent, "chat.completion"), "choices": [choice], "usage": usage(outcome)}
    return {**head, **_shown(outcome.shown_calls)}


class ChatStream:
    """The chunks of one answer, encoded."""

    def __init__(self, sent: Sent, *, with_usage: bool) -> None:
        self._head = _head(sent, "chat.completion.chunk")
        self._with_usage = with_usage

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def part(self, part: Part) -> bytes:
        match part:
            case Text(text):
                return self._chunk({"content": text})
            case Reasoning(text):
                return self._chunk({"reasoning_content": text})
            case Ended(outcome):
                return self._end(outcome)
        return WAITING

    def error(self, error: OpenAIError) -> bytes:
        return _event(error.described()) + DONE

    def _end(self, outcome: Outcome) -> bytes:
        if outcome.failure is not None:
            return self.error(outcome.failure)
        chunks = []
        if outcome.refusal:
            chunks.append(self._chunk({"refusal": outcome.refusal}))
        for index, call in enumerate(outcome.calls):
            chunks.append(self._chunk({"tool_calls": [{"index": index, **call}]}))
        shown = _shown(outcome.shown_calls)
        chunks.append(self._chunk({}, outcome.finish_reason, **shown))
        if self._with_usage:
            chunks.append(_event({**self._head, "choices": [], "usage": usage(outcome)}))
        return b"".join([*chunks, DONE])

    def _chunk(self, delta: Chunk, finish_reason: str | None = None, **more: Any) -> bytes:
        choice = {
            "index": 0,
            "delta": delta,
            "logprobs": None,
            "finish_reason": finish_reason,
        }
        usage = {"usage": None} if self._with_usage else {}
        return _event({**self._head, "choices": [choice], **usage, **more})


def usage(outcome: Outcome) -> dict[str, Any]:
    """The tokens of all rounds."""
    return {
        "prompt_tokens": outcome.tokens_in,
        "completion_tokens": outcome.tokens_out,
        "total_tokens": outcome.tokens_in + outcome.tokens_out,
        "prompt_tokens_details": {"cached_tokens": outcome.cached},
        "completion_tokens_details": {"reasoning_tokens": outcome.reasoned},
    }


def shown(calls: Iterable[ShownCall]) -> list[dict[str, Any]]:
    return [call.described() for call in calls]


def _shown(calls: Sequence[ShownCall]) -> dict[str, Any]:
    return {"roundtrip": {"tools": shown(calls)}} if calls else {}


def _head(sent: Sent, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{sent.turn.public_id.hex}",
        "object": kind,
        "created": int(sent.turn.created.timestamp()),
        "model": sent.row.model,
    }


def _event(document: dict[str, Any]) -> bytes:
    return b"data: %b\n\n" % json.dumps(document, separators=(",", ":")).encode()
