"""A response as a stream of `chat.completion.chunk` events.

The pieces of a text are long, as of providers that send several tokens at once: the fewer bytes of
framing a response has, the less there is to gain from them.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.recording.conversation import Round, wire

_PIECE = 48  # characters
_EVENT_MS = 14.7


def stream(one: Round) -> tuple[bytes, list[tuple[float, int]]]:
    """The body, and of each event the milliseconds since the request and the length."""
    events = [b"data: " + wire(event) + b"\n\n" for event in _events(one)]
    events.append(b"data: [DONE]\n\n")
    chunks = [
        (round(180.0 + _EVENT_MS * place + one.number % 7, 3), len(event))
        for place, event in enumerate(events)
    ]
    return b"".join(events), chunks


def _events(one: Round) -> Iterator[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"content": text} for text in _pieces(one.text, _PIECE)]
    if one.call is not None:
        function = {"name": one.call.name, "arguments": ""}
        head = {"index": 0, "id": one.call.id, "type": "function", "function": function}
        deltas.append({"tool_calls": [head]})
        deltas += [
            {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}
            for text in _pieces(one.call.arguments, _PIECE)
        ]
    for place, delta in enumerate(deltas):
        role = {} if place else {"role": "assistant"}
        yield _event(one, {"index": 0, "delta": role | delta, "finish_reason": None})
    reason = "tool_calls" if one.call else "stop"
    yield _event(one, {"index": 0, "delta": {}, "finish_reason": reason})


def _event(one: Round, choice: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{one.number:08x}",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000 + 2 * one.number,
        "model": "qwen3-32b",
        "choices": [choice],
    }


def _pieces(text: str, length: int) -> Iterator[str]:
    return (text[start : start + length] for start in range(0, len(text), length))
