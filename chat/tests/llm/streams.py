"""Responses of providers, recorded and odd, for tests that run over all of them."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from chat.cassettes import text_cassette, walkthrough
from chat.cassettes.reading import read

RECORDINGS = Path(__file__).parents[3] / "tests" / "recordings"


class Stream(NamedTuple):
    """A body, and the dialect that reads it; `anthropic` is the only one of the Messages API."""

    name: str
    dialect: str
    body: bytes


@cache
def streams() -> list[Stream]:
    return [*_recordings(), *_walkthrough(), *_completions(), *_messages()]


def _recordings() -> Iterator[Stream]:
    for path in sorted(RECORDINGS.glob("*.cassette.json")):
        generations = (
            generation
            for turn in read(path.read_bytes()).turns
            for one in turn.rounds
            for generation in one.generations
        )
        for number, generation in enumerate(generations, 1):
            if generation.response is not None:
                yield Stream(f"{path.name} {number}", generation.dialect, generation.response.body)


def _walkthrough() -> Iterator[Stream]:
    for one in walkthrough.cassette().rounds:
        body = b"".join(text_cassette.chunks(walkthrough.MODEL, one.pieces, 10))
        yield Stream(f"walkthrough, {one.label}", "nous", body)


def _completions() -> Iterator[Stream]:
    for name, deltas in _DELTAS.items():
        dialect = "functions" if "function_call" in str(deltas) else "native"
        yield Stream(name, dialect, completion(*deltas))
    text = completion({"content": "数据"}, {"content": "库."})
    yield Stream("CRLF", "native", text.replace(b"\n", b"\r\n"))
    yield Stream("CR", "native", text.replace(b"\n", b"\r"))
    yield Stream("a byte order mark", "native", "\ufeff".encode() + text)
    yield Stream("comments", "native", b": PROCESSING\n\n" + text.replace(b"\n\n", b"\n\n: x\n\n"))
    endless = text.removesuffix(b"data: [DONE]\n\n")
    yield Stream("no last empty line", "native", endless.rstrip() + b"\n")
    yield Stream("a cut line", "native", endless.rstrip())
    yield Stream("no UTF-8", "native", text.replace("库".encode(), b"\xe5\xba"))
    yield Stream("no JSON", "native", text.replace('"库'.encode(), "库".encode()))
    error = _sse({"error": {"message": "Busy"}})
    yield Stream("an error amid it", "native", endless + error + text)
    yield Stream("text after the end", "native", text + text)
    yield Stream("a page", "native", b"<!doctype html>\n<p>data: none</p>\n")
    yield Stream("nothing", "native", b"")
    message = {"role": "assistant", "content": "Hm.", "tool_calls": [_call("{}", "f", id="x")]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    yield Stream("one document", "native", json.dumps({"choices": [choice]}).encode())
    yield Stream("half a document", "native", json.dumps({"choices": [choice]}).encode()[:-9])


def _messages() -> Iterator[Stream]:
    body = b"".join(f"event: {one['type']}\n".encode() + _sse(one) for one in _EVENTS)
    yield Stream("blocks", "anthropic", body)
    yield Stream("blocks, CRLF", "anthropic", body.replace(b"\n", b"\r\n"))
    yield Stream("blocks without index", "anthropic", body.replace(b'"index": ', b'"place": '))
    yield Stream("blocks that are cut", "anthropic", body[:-60])
    blocks = [{"type": "text", "text": "Hm."}, {**_USE, "input": {"a": [1]}}]
    whole = {"type": "message", "content": blocks, "stop_reason": "tool_use"}
    yield Stream("a message", "anthropic", json.dumps(whole).encode())
    yield Stream("a message of text", "anthropic", b'{"type": "message", "content": "Hm."}')


def completion(*deltas: dict[str, Any]) -> bytes:
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return b"".join(map(_sse, [*events, end])) + b"data: [DONE]\n\n"


def _sse(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode(errors="surrogatepass")


def _call(arguments: Any, name: str | None = None, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return {"function": function, **more}


def _calls(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"tool_calls": [entry]} for entry in entries]


_USE = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
_DELTAS: dict[str, list[dict[str, Any]]] = {
    "reasoning under two keys": [
        {"reasoning": "Let ", "reasoning_content": "Let "},
        {"reasoning_content": "me."},
        {"content": "Three."},
    ],
    "thinking in the text": [{"content": "<thi"}, {"content": "nk>Hm.</think>\n\nThree"}],
    "content in parts": [
        {"content": [{"type": "text", "text": "Th"}, {"type": "refusal", "refusal": "No."}]},
        {"content": {"type": "text", "text": "ree."}},
    ],
    "a refusal": [{"refusal": "I will "}, {"refusal": "not."}],
    "interleaved calls": _calls(
        _call('{"a"', "f", index=0, id="x"),
        _call("{}", "g", index=1, id="y"),
        _call(': "数"}', index=0),
    ),
    "calls of one index with ids of their own": _calls(
        _call("{}", "f", index=0, id="x"), _call("{}", "g", index=0, id="y")
    ),
    "calls that a name by itself begins": _calls(
        _call('{"n": 1}', "f", index=0), _call("", "f", index=0), _call('{"n": 2}', index=0)
    ),
    "another name after a complete call": _calls(
        _call("{}", "f", index=0), _call("", "g", index=0), _call("[]", index=0)
    ),
    "calls in one list without an index": [
        {"tool_calls": [_call("{}", "f"), _call("{}", "f"), _call("{}", "f")]}
    ],
    "an id that two calls have": _calls(
        _call("{}", "f", index=0, id="x"), _call("{}", "g", index=1, id="x")
    ),
    "an empty call": _calls(_call("{}", "f", index=0, id="x"), _call("", index=1)),
    "a name beside the id": [{"tool_calls": [{"id": "x", "name": "f", "arguments": {"a": 1}}]}],
    "parameters": [{"tool_calls": [{"id": "x", "function": {"name": "f", "parameters": {}}}]}],
    "misnamed arguments": [{"tool_calls": [{"id": "x", "function": {"name": "f", "args": {}}}]}],
    "what is no list of calls": [{"tool_calls": {"id": "x"}}, {"content": "Hm."}],
    "the older function call": [
        {"content": "I look."},
        {"function_call": {"name": "f", "arguments": '{"a": '}},
        {"function_call": {"name": "f", "arguments": "1}"}},
    ],
}
_EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "m1", "content": [], "usage": {"input_tokens": 3}}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
    {"type": "content_block_delta", "index": 0, "delta": {"thinking": "Let me 数."}},
    {"type": "content_block_delta", "index": 0, "delta": {"signature": "c2ln"}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "I "}},
    {"type": "content_block_delta", "index": 1, "delta": {"text": "look."}},
    {"type": "content_block_start", "index": 2, "content_block": _USE},
    {"type": "content_block_delta", "index": 2, "delta": {"partial_json": ""}},
    {"type": "content_block_delta", "index": 2, "delta": {"partial_json": '{"a": '}},
    {"type": "content_block_delta", "index": 2, "delta": {"partial_json": '"数"}'}},
    {"type": "content_block_start", "index": 3, "content_block": {**_USE, "input": {"b": [1]}}},
    {"type": "content_block_stop", "index": 3},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
]
