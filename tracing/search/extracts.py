"""The text that is searched of one payload, message or span."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from limits.traces import MAX_INDEXED_STAGE, MAX_PARSED_STAGE_BYTES
from tracing.errors import PayloadCorrupt
from tracing.models import Payload
from tracing.store import payloads
from tracing.store.encodings import unpacked
from tracing.store.ranges import Body

_SMALL = 200_000
_STAGE = Payload.Stage
# Of a stream that broke, the error is at its end.
_END_OF_STREAM = 2_000
_REQUEST_ID = re.compile(r"(request|trace|correlation)-?id$|^(cf-ray|traceparent)$", re.IGNORECASE)


Extract = tuple[str, int]


def read_all(some: Sequence[Payload]) -> list[Extract]:
    """Of each the text, and how many bytes behind it were not read. Those that are small are
    loaded together, which costs a tenth; nothing is read of what is damaged."""
    small = [payload for payload in some if payload.size <= _SMALL]
    try:
        bodies = dict(zip([one.pk for one in small], payloads.load_all(small), strict=True))
    except PayloadCorrupt:
        bodies = {}
    return [
        (_text(payload, bodies[payload.pk]), 0) if payload.pk in bodies else read(payload)
        for payload in some
    ]


def read(payload: Payload) -> Extract:
    """The same of one."""
    try:
        if payload.size > MAX_PARSED_STAGE_BYTES:
            return _beginning(payload)
        return _text(payload, payloads.load(payload)), 0
    except PayloadCorrupt:
        return "", 0


def _text(payload: Payload, body: bytes) -> str:
    if payload.stage == _STAGE.OUTPUT:
        return _output(body)
    if payload.stage == _STAGE.RESULT:
        return _result(body)
    if payload.stage == _STAGE.RESPONSE:
        return _response(payload, body)
    return body.decode(errors="replace")


def _beginning(payload: Payload) -> Extract:
    text = Body(payload).read(0, MAX_INDEXED_STAGE).decode(errors="replace")
    return text, payload.size - MAX_INDEXED_STAGE


def message(blob: bytes) -> tuple[str, str]:
    """Role and text of a canonical message; what asks for tools is in the stages of the calls."""
    return _role_and_text(parsed(blob))


def messages(payload: Payload) -> list[tuple[str, str]]:
    """The same of all messages of an `input`."""
    try:
        body = parsed(payloads.load(payload)) if payload.size <= MAX_PARSED_STAGE_BYTES else None
    except PayloadCorrupt:
        return []
    some = body.get("messages") if isinstance(body, dict) else None
    return [_role_and_text(one) for one in some] if isinstance(some, list) else []


def _role_and_text(value: Any) -> tuple[str, str]:
    if not isinstance(value, dict):
        return "", ""
    role = value.get("role")
    return (role if isinstance(role, str) else ""), text_of(value.get("content"))


def answer_ids(attributes: Any, noted: Any) -> Iterator[str]:
    """The id that the provider gave its answer, and those of the request in its headers."""
    known = noted.get("response_id") if isinstance(noted, Mapping) else None
    if isinstance(known, str):
        yield known
    headers = attributes.get("headers") if isinstance(attributes, Mapping) else None
    for header in headers if isinstance(headers, list) else []:
        match header:
            case [str(name), str(value)] if _REQUEST_ID.search(name):
                yield value[:200]


def call_ids(noted: Any) -> str:
    """The id that the model gave its call, and that of a task of the server."""
    ids = (noted.get(name) for name in ("call_id", "task_id")) if isinstance(noted, dict) else ()
    return " ".join(one for one in ids if isinstance(one, str))


def text_of(content: Any) -> str:
    """Of a content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _output(body: bytes) -> str:
    output = parsed(body)
    answer = output.get("message") if isinstance(output, dict) else None
    if not isinstance(answer, dict):
        return ""
    texts = (answer.get("content"), answer.get("refusal"), answer.get("reasoning_content"))
    return "\n".join(filter(None, map(text_of, texts)))


def _result(body: bytes) -> str:
    """The texts of a result, and its structured content where they do not say it."""
    result = parsed(body)
    if not isinstance(result, dict):
        return body.decode(errors="replace")
    content = result.get("content")
    texts = list(_texts(content)) if isinstance(content, list) else [text_of(content)]
    if not any(texts):
        structured = result.get("structured")
        texts.append(json.dumps(structured, ensure_ascii=False) if structured else "")
    return "\n".join(filter(None, texts))


def _texts(content: list[Any]) -> Iterator[str]:
    for block in content:
        if isinstance(block, dict):
            resource = block.get("resource")
            for text in (block.get("text"), isinstance(resource, dict) and resource.get("text")):
                if isinstance(text, str):
                    yield text


def _response(payload: Payload, body: bytes) -> str:
    """What a failed attempt came back with: a body that tells of an error, or a stream's end."""
    attributes = payload.attributes if isinstance(payload.attributes, dict) else {}
    headers = attributes.get("headers") or ()
    text = unpacked(body, headers, MAX_PARSED_STAGE_BYTES).decode(errors="replace")
    status = attributes.get("status")
    is_stream = text.startswith(("data:", "event:", ":")) or "event-stream" in str(headers)
    if is_stream and not (isinstance(status, int) and status >= 400):
        return text[-_END_OF_STREAM:]
    return text
