"""Answers as bytes: one JSON document, or a script of server-sent events.

A script is an iterator of actions: bytes are one SSE event to write now, SLOT waits until the
next token is due, FINISH marks the end of the tokens, and the other signals end the exchange
in their way. After the last action the body ends properly. See `faults.py` for scripts that
go wrong.
"""

import json
import time
from collections.abc import Iterator
from enum import Enum, auto
from json.encoder import encode_basestring, encode_basestring_ascii

from benchmarks.stub.chat import Answer, Call
from benchmarks.stub.grammar import Behaviour, Quirk

DONE = b"data: [DONE]\n\n"
BAD_JSON = b'data: {"choices": [{"index": 0, "delta": {"content": "oops}}]\n\n'
BAD_UTF8 = b'data: {"choices": [{"index": 0, "delta": {"content": "\xff\xfe\xc3("}}]}\n\n'


class Signal(Enum):
    SLOT = auto()
    FINISH = auto()
    STALL = auto()
    RESET = auto()
    CLOSE = auto()


Action = bytes | Signal
Script = Iterator[Action]


def events(answer: Answer, model: str, behaviour: Behaviour) -> Script:
    """The answer as the chunks of a streamed chat completion."""
    common = "" if behaviour.bare else f"{_head(model, 'chat.completion.chunk')}, "
    index = "" if behaviour.bare else '"index": 0, '
    head = f'data: {{{common}"choices": [{{{index}"delta": '
    tail = ', "finish_reason": null}]}\n\n'
    yield f'{head}{{"role": "assistant", "content": ""}}{tail}'.encode()
    yield from _texts(answer, behaviour, head, tail)
    for delta in _call_deltas(answer, behaviour.quirk):
        yield f"{head}{json.dumps(delta)}{tail}".encode()
        yield Signal.SLOT
    yield Signal.FINISH
    yield f'{head}{{}}, "finish_reason": "{answer.finish_reason}"}}]}}\n\n'.encode()
    if answer.usage:
        usage = json.dumps(answer.usage)
        yield f'data: {{{common}"choices": [], "usage": {usage}}}\n\n'.encode()
    yield DONE


def _texts(answer: Answer, behaviour: Behaviour, head: str, tail: str) -> Script:
    fields = (
        (behaviour.reasoning_field, answer.reasoning),
        ("content", answer.content),
    )
    # Real servers differ in escaping non-ASCII; seeded text has both, ASCII needs neither.
    raw = encode_basestring if (behaviour.seed or 0) % 2 else encode_basestring_ascii
    for field, tokens in fields:
        before = f'{head}{{"{field}": '
        for token in tokens:
            yield f"{before}{raw(token)}}}{tail}".encode()
            yield Signal.SLOT


def _call_deltas(answer: Answer, quirk: Quirk | None) -> Iterator[dict[str, object]]:
    """The delta of each chunk: name and id first, then the arguments in two pieces."""
    if answer.one_function:
        for call in answer.calls:
            yield {"function_call": {"name": call.name, "arguments": ""}}
            for piece in _halves(call):
                yield {"function_call": {"arguments": piece}}
        return
    if quirk is Quirk.WHOLE:
        yield {"tool_calls": [_entry(call, index) for index, call in enumerate(answer.calls)]}
        return
    for number, call in enumerate(answer.calls):
        index = {} if quirk is Quirk.NO_INDEX else {"index": number}
        yield {"tool_calls": [{**index, **_opening(call)}]}
        for piece in _halves(call):
            yield {"tool_calls": [{**index, "function": {"arguments": piece}}]}


def _halves(call: Call) -> Iterator[str]:
    middle = len(call.arguments) // 2
    return filter(None, (call.arguments[:middle], call.arguments[middle:]))


def _opening(call: Call) -> dict[str, object]:
    return {**_id(call), "type": "function", "function": {"name": call.name, "arguments": ""}}


def _entry(call: Call, index: int | None) -> dict[str, object]:
    function = {"name": call.name, "arguments": call.arguments}
    position = {} if index is None else {"index": index}
    return {**position, **_id(call), "type": "function", "function": function}


def _id(call: Call) -> dict[str, object]:
    return {} if call.id is None else {"id": call.id}


def document(answer: Answer, model: str, behaviour: Behaviour) -> Script:
    """The answer as one chat completion, after the time that its tokens take."""
    for _ in range(behaviour.tokens + behaviour.reasoning):
        yield Signal.SLOT
    yield Signal.FINISH
    yield _document(answer, model, behaviour)


def _document(answer: Answer, model: str, behaviour: Behaviour) -> bytes:
    message: dict[str, object] = {"role": "assistant"}
    reasoning, content = "".join(answer.reasoning), "".join(answer.content)
    if reasoning:
        message[behaviour.reasoning_field] = reasoning
    message["content"] = content or None
    if answer.calls and answer.one_function:
        call = answer.calls[0]
        message["function_call"] = {"name": call.name, "arguments": call.arguments}
    elif answer.calls:
        message["tool_calls"] = [_entry(call, None) for call in answer.calls]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    usage = f', "usage": {json.dumps(answer.usage)}' if answer.usage else ""
    choices = json.dumps([choice], ensure_ascii=False)
    return f'{{{_head(model, "chat.completion")}, "choices": {choices}{usage}}}'.encode()


def _head(model: str, kind: str) -> str:
    return (
        f'"id": "chatcmpl-stub", "object": "{kind}", "created": {int(time.time())}, '
        f'"model": {json.dumps(model)}'
    )


def error(status: int, message: str) -> bytes:
    """An error document as OpenAI writes them."""
    codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
    kind = "server_error" if status >= 500 else "invalid_request_error"
    detail = {"message": message, "type": kind, "param": None, "code": codes.get(status)}
    return json.dumps({"error": detail}).encode()


def error_event(message: str) -> bytes:
    """An error in mid-stream."""
    return b"data: " + error(500, message) + b"\n\n"


def models(names: tuple[str, ...]) -> bytes:
    """The list of models as OpenAI gives it."""
    entries = [{"id": name, "object": "model", "created": 0} for name in names]
    return json.dumps({"object": "list", "data": entries}).encode()
