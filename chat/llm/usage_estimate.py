"""Tokens of a call whose provider did not report them: estimated from what was sent and received
(`tools.definitions.token_estimate`). Pure functions; whatever the bytes are, they give a number."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from db.fields import dump_json
from limits.models import MAX_REPORTED_TOKENS
from tools.definitions.token_estimate import of_text
from tracing.journal.cost import token_count
from wire.json_values import json_or_none, object_or_none
from wire.json_values import text_or_empty as text
from wire.response import is_document
from wire.sse import ServerEvent, events_of

Object = dict[str, Any]
Pairs = Sequence[Sequence[str]]

# An image, of which the bytes say nothing about its tokens.
_IMAGE_TOKENS = 1_000
# Bytes of a token where a body is not read: of JSON, and of a stream with an event a token.
_BYTES_PER_TOKEN = 4
_BYTES_PER_EVENT = 200
# What a model wrote stands in these members of an answer, in all protocols.
_WRITTEN = frozenset(
    {"content", "reasoning_content", "reasoning", "refusal", "text", "thinking", "delta", "name"}
    | {"arguments", "partial_json"}
)
# What an answer repeats of its request.
_REPEATED = frozenset({"instructions", "tools"})


def counted_usage(
    reported: Mapping[str, Any], *, has_ended: bool, estimated: Callable[[], tuple[int, int]]
) -> Object:
    """The usage of an answer (tokens under the names of chat completions): as its provider reported
    it, or with `estimated: true` where that counted nothing, or only the beginning of an answer
    that was cut. `estimated` gives tokens of request and answer."""
    prompt, written = (
        min(token_count(reported.get(name)), MAX_REPORTED_TOKENS)
        for name in ("prompt_tokens", "completion_tokens")
    )
    if (prompt or written) and has_ended:
        return dict(reported)
    given, received = estimated()
    prompt, written = prompt or given, max(written, received)
    counts = {"prompt_tokens": prompt, "completion_tokens": written}
    return {**reported, **counts, "total_tokens": prompt + written, "estimated": True}


def request_tokens(body: bytes, headers: Pairs) -> int:
    """Of a request, with its tools. A form, which is a file with some settings, has none."""
    if _kind(headers).startswith("multipart/"):
        return 0
    value = object_or_none(json_or_none(body))
    if value is None:
        return of_text(body.decode(errors="replace"))
    images = list(_images(value))
    try:
        written = dump_json(value)
    except RecursionError:
        written = body.decode(errors="replace")
    return of_text(written) - sum(map(of_text, images)) + len(images) * _IMAGE_TOKENS


def answer_tokens(body: bytes, headers: Pairs) -> int:
    """Of an answer, also of one that was cut. What is neither text nor JSON has none."""
    if is_document(body):
        value = object_or_none(json_or_none(body))
        return of_text(body.decode(errors="replace") if value is None else _written(value))
    if not _is_text(headers):
        return 0
    events = [one for one in events_of(body) if isinstance(one, ServerEvent) and one.data]
    if not events:
        return of_text(body.decode(errors="replace"))
    return of_text("".join(map(_written_by, events)))


def unread_tokens(request: int, answer: int, headers: Sequence[Pairs]) -> tuple[int, int]:
    """Of a request and an answer of so many bytes, which are not known; `headers` are those of
    both."""
    sent, received = headers
    is_stream = "event-stream" in _kind(received)
    divisor = _BYTES_PER_EVENT if is_stream else _BYTES_PER_TOKEN
    return (
        0 if _kind(sent).startswith("multipart/") else request // _BYTES_PER_TOKEN,
        answer // divisor if _is_text(received) else 0,
    )


def _written_by(event: ServerEvent) -> str:
    """What an event of a stream adds. Of the Responses API it is in the deltas; the other events
    say it again."""
    value = object_or_none(json_or_none(event.data)) or {}
    delta = value.get("delta")
    if isinstance(delta, str):
        return delta
    return "" if text(value.get("type")).startswith("response.") else _written(value)


def _written(value: Object) -> str:
    texts: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            for name, member in one.items():
                if isinstance(member, str) and name in _WRITTEN:
                    texts.append(member)
                elif name == "input" and member:  # Anthropic's arguments
                    texts.append(_plain(member))
                elif name not in _REPEATED:
                    waiting.append(member)
    return "".join(texts)


def _plain(value: Any) -> str:
    try:
        return dump_json(value)
    except RecursionError:
        return ""


def _images(body: Object) -> Iterator[str]:
    """The data of images in the messages of a request, where each protocol has them: elsewhere a
    text may only look like one."""
    waiting: list[Any] = [body.get("messages"), body.get("input")]
    while waiting:
        parts = waiting.pop()
        for part in filter(object_or_none, parts if isinstance(parts, list) else ()):
            waiting += [part.get("content"), part.get("output")]
            kind, source, image = part.get("type"), part.get("source"), part.get("image_url")
            url = image.get("url") if isinstance(image, dict) else image
            if kind in ("image_url", "input_image") and text(url).startswith("data:image/"):
                yield text(url)
            elif kind == "image" and isinstance(source, dict):
                yield text(source.get("data"))


def _kind(headers: Pairs) -> str:
    """The media type, in small letters."""
    kinds = [value for name, value in headers if name.lower() == "content-type"]
    return kinds[0].strip().lower() if kinds else ""


def _is_text(headers: Pairs) -> bool:
    kind = _kind(headers)
    return not kind or kind.startswith("text/") or "json" in kind
