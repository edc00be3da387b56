"""The Messages API as Anthropic has it: requests, answers as events or one document, and errors.

The stub refuses what the real one refuses, so that a test that gets an answer has sent a request
that is valid (`validity.py`).
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from benchmarks.stub.chat import Answer, BadRequest, Call, ChatRequest
from benchmarks.stub.grammar import Behaviour, Quirk
from benchmarks.stub.validity import check_messages_request, signature
from benchmarks.stub.wire import Script, Signal

PING = b'event: ping\ndata: {"type": "ping"}\n\n'
BAD_JSON = b'event: content_block_delta\ndata: {"type": "content_block_delta", "index\n\n'
BAD_UTF8 = b'event: content_block_delta\ndata: {"type": "\xff\xfe\xc3("}\n\n'
REFUSAL = "The stub declines, as it was told."
REDACTED = {"type": "redacted_thinking", "data": "c3R1Yg=="}
# Of a prompt that is cached, what stands behind the last breakpoint.
UNCACHED_TOKENS = 4

STOP_REASONS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def read_request(body: bytes) -> ChatRequest:
    """Raises BadRequest."""
    try:
        asked = json.loads(body)
        check_messages_request(asked)
        return ChatRequest(
            model=str(asked["model"]),
            stream=bool(asked.get("stream")),
            wants_usage=True,
            messages=list(chain.from_iterable(map(_as_chat, asked["messages"]))),
            fingerprint=hashlib.sha256(body).hexdigest(),
            size=len(body),
            has_tools="tools" in asked,
            cached=_cached_bytes(asked) if b'"cache_control"' in body else None,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadRequest(f"Not a Messages API request: {error}") from error


def _as_chat(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The message as the chat completions have it, as far as the next answer depends on it."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    kinds = {block["type"] for block in blocks}
    if message["role"] == "assistant" or kinds - {"tool_result"}:
        yield {**message, "content": text, "tool_calls": "tool_use" in kinds}


def _cached_bytes(asked: dict[str, Any]) -> int:
    """What was the prompt of the request before, which the cache still has: everything up to the
    last answer."""
    before = asked["messages"][:-2]
    if not before:
        return 0
    return len(json.dumps([asked.get("system"), asked.get("tools"), before]))


# --- answers


def events(answer: Answer, model: str, behaviour: Behaviour) -> Script:
    """The answer as the events of a streamed message."""
    yield _event(_start(answer, model, behaviour))
    yield PING
    for index, (block, deltas) in enumerate(_blocks(answer, behaviour)):
        place = {} if behaviour.quirk is Quirk.NO_INDEX else {"index": index}
        yield _event({"type": "content_block_start", **place, "content_block": block})
        position = "".join(f'"{key}": {value}, ' for key, value in place.items())
        head = f'event: content_block_delta\ndata: {{"type": "content_block_delta", {position}'
        for delta, is_token in deltas:
            yield f'{head}"delta": {delta}}}\n\n'.encode()
            if is_token:
                yield Signal.SLOT
        yield _event({"type": "content_block_stop", **place})
    yield Signal.FINISH
    yield _event(_end(answer))
    yield _event({"type": "message_stop"})


def _event(value: dict[str, Any]) -> bytes:
    return f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode()


Deltas = Iterator[tuple[str, bool]]  # JSON, and whether it is a token


def _blocks(answer: Answer, behaviour: Behaviour) -> Iterator[tuple[dict[str, Any], Deltas]]:
    # Real servers differ in escaping non-ASCII; seeded text has both, ASCII needs neither.
    raw = encode_basestring if (behaviour.seed or 0) % 2 else encode_basestring_ascii
    if behaviour.redacted:
        yield REDACTED, iter(())
    if behaviour.reasoning and behaviour.reasoning_field != "think":
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        yield empty, _thinking(answer.reasoning, raw)
    first = next(answer.content, None)
    if first is not None:
        tokens = chain([first], answer.content)
        texts = ((f'{{"type": "text_delta", "text": {raw(text)}}}', True) for text in tokens)
        yield {"type": "text", "text": ""}, texts
    for call in answer.calls:
        yield {**_opening(call), "input": {}}, _arguments(call, behaviour.quirk)


def _thinking(tokens: Iterator[str], raw: Any) -> Deltas:
    said = []
    for text in tokens:
        said.append(text)
        yield f'{{"type": "thinking_delta", "thinking": {raw(text)}}}', True
    yield json.dumps({"type": "signature_delta", "signature": signature("".join(said))}), False


def _opening(call: Call) -> dict[str, Any]:
    given = {} if call.id is None else {"id": call.id.replace("call_", "toolu_")}
    return {"type": "tool_use", **given, "name": call.name}


def _arguments(call: Call, quirk: Quirk | None) -> Deltas:
    middle = len(call.arguments) if quirk is Quirk.WHOLE else len(call.arguments) // 2
    pieces = ("", call.arguments[:middle], call.arguments[middle:])
    for piece in pieces:
        yield json.dumps({"type": "input_json_delta", "partial_json": piece}), bool(piece)


def _start(answer: Answer, model: str, behaviour: Behaviour) -> dict[str, Any]:
    about = {"id": "msg_stub", "type": "message", "role": "assistant", "model": model}
    message: dict[str, Any] = {**about, "content": [], "stop_reason": None, "stop_sequence": None}
    if answer.usage is not None:
        message["usage"] = {**_prompt_usage(answer), "output_tokens": 1}
    return {"type": "message_start", "message": {} if behaviour.bare else message}


def _end(answer: Answer) -> dict[str, Any]:
    delta = {**_stopped(answer), "stop_sequence": None}
    usage = answer.usage and {"output_tokens": answer.usage["completion_tokens"]}
    return {"type": "message_delta", "delta": delta, **({"usage": usage} if usage else {})}


def _stopped(answer: Answer) -> dict[str, Any]:
    reason = STOP_REASONS[answer.finish_reason]
    if reason != "refusal":
        return {"stop_reason": reason}
    return {"stop_reason": reason, "stop_details": {"type": "refusal", "explanation": REFUSAL}}


def _prompt_usage(answer: Answer) -> dict[str, int]:
    """The prompt's tokens are the sum of all three."""
    assert answer.usage is not None
    total = answer.usage["prompt_tokens"]
    if answer.cached is None:
        read = created = 0
    else:
        read = min(answer.cached // 4, total)
        created = max(0, total - read - UNCACHED_TOKENS)
    return {
        "input_tokens": total - read - created,
        "cache_creation_input_tokens": created,
        "cache_read_input_tokens": read,
    }


def document(answer: Answer, model: str, behaviour: Behaviour) -> Script:
    """The answer as one message, after the time that its tokens take."""
    for _ in range(behaviour.tokens + behaviour.reasoning):
        yield Signal.SLOT
    yield Signal.FINISH
    yield _document(answer, model, behaviour)


def _document(answer: Answer, model: str, behaviour: Behaviour) -> bytes:
    blocks: list[dict[str, Any]] = [dict(REDACTED)] if behaviour.redacted else []
    if thought := "".join(answer.reasoning):
        blocks.append({"type": "thinking", "thinking": thought, "signature": signature(thought)})
    if text := "".join(answer.content):
        blocks.append({"type": "text", "text": text})
    blocks += [{**_opening(call), "input": _input(call)} for call in answer.calls]
    about = {"id": "msg_stub", "type": "message", "role": "assistant", "model": model}
    message = {**about, "content": blocks, **_stopped(answer), "stop_sequence": None}
    if answer.usage is not None:
        spoken = answer.usage["completion_tokens"]
        message["usage"] = {**_prompt_usage(answer), "output_tokens": spoken}
    return json.dumps(message, ensure_ascii=False).encode()


def _input(call: Call) -> Any:
    try:
        return json.loads(call.arguments)
    except ValueError:
        return call.arguments


def error(status: int, message: str) -> bytes:
    """An error document as Anthropic writes them."""
    kind = ERRORS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    detail = {"type": kind, "message": message}
    return json.dumps({"type": "error", "error": detail, "request_id": "req_stub"}).encode()


def error_event(message: str) -> bytes:
    """An error in mid-stream: the server is overloaded."""
    return b"event: error\ndata: " + error(529, message) + b"\n\n"


def models(names: tuple[str, ...]) -> bytes:
    """The list of models as Anthropic gives it."""
    created = "2026-01-01T00:00:00Z"
    entries = [
        {"type": "model", "id": name, "display_name": name, "created_at": created} for name in names
    ]
    page = {"data": entries, "has_more": False, "first_id": names[0], "last_id": names[-1]}
    return json.dumps(page).encode()
