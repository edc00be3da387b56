"""Cassettes for the tests, as the product writes them."""

import json
from typing import Any

from chat.cassettes.reading import read
from chat.cassettes.recorded import Cassette

HELLO = [{"role": "user", "content": "hello"}]
EVENT_STREAM = ["content-type", "text/event-stream"]


def stream(*texts: str, finish: str | None = "stop") -> str:
    """Chat completion chunks that say these texts."""
    deltas: list[tuple[dict[str, str], str | None]] = [({"content": text}, None) for text in texts]
    if finish is not None:
        deltas.append(({}, finish))
    events = [
        {"id": "c1", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": why}]}
        for delta, why in deltas
    ]
    done = ["data: [DONE]\n\n"] if finish is not None else []
    return "".join([*(f"data: {json.dumps(event)}\n\n" for event in events), *done])


def response(body: str, status: int = 200, chunks: list[Any] | None = None) -> dict[str, Any]:
    size = len(body.encode())
    headers = [[*EVENT_STREAM] if status == 200 else ["content-type", "application/json"]]
    arrivals = chunks if chunks is not None else [[5.0, size]]
    return {"status": status, "headers": headers, "body": body, "chunks": arrivals}


def generation(
    messages: list[Any], answer: dict[str, Any] | None, attempt: int = 1, **rest: Any
) -> dict[str, Any]:
    model = rest.pop("model", "m")
    sent = {"model": model, "messages": messages, "stream": True, **rest.pop("body", {})}
    return {
        "attempt": attempt,
        "status": "succeeded",
        "error_kind": None,
        "protocol": "openai",
        "model": model,
        "dialect": "native",
        "parameters": {},
        "settings": {},
        "request": {
            "method": "POST",
            "path": "/v1/chat/completions",
            "body": json.dumps(sent),
        },
        "response": answer,
        **rest,
    }


def document(*rounds: list[dict[str, Any]], **turn: Any) -> dict[str, Any]:
    """One turn with these rounds, each a list of its generations."""
    numbered = [
        {"number": number, "generations": found, "tool_calls": []}
        for number, found in enumerate(rounds, 1)
    ]
    return {
        "format": "roundtrip-cassette",
        "version": 1,
        "name": "A test",
        "turns": [{"trace": "t", "name": "A turn", "rounds": numbered, **turn}],
    }


def cassette(*rounds: list[dict[str, Any]]) -> Cassette:
    return read(written(document(*rounds)))


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
