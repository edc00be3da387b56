"""The text that is searched of one payload, message or span."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from limits.traces import MAX_INDEXED_STAGE, MAX_PARSED_STAGE_BYTES
from tracing.errors import PayloadCorrupt
from tracing.models import Payload
from tracing.store import payloads
from tracing.store.encodings import decode_content
from tracing.store.ranges import Body

# Bytes. Payloads up to this size are loaded together.
_MAX_SMALL = 200_000
_STAGE = Payload.Stage
# Characters at the end of a failed stream, where the error is.
_END_OF_STREAM = 2_000
_REQUEST_ID = re.compile(r"(request|trace|correlation)-?id$|^(cf-ray|traceparent)$", re.IGNORECASE)

# A text, and how many bytes of the payload after it were not read.
Extract = tuple[str, int]


def read_all(rows: Sequence[Payload], loaded: Mapping[int, bytes]) -> list[Extract]:
    """The extract of each payload, empty for a damaged one. `loaded`: bytes by primary key. Other
    small payloads are loaded together, which takes a tenth of the time."""
    small = [one for one in rows if one.pk not in loaded and one.size <= _MAX_SMALL]
    try:
        bodies = dict(zip([one.pk for one in small], payloads.load_all(small), strict=True))
    except PayloadCorrupt:
        bodies = {}
    bodies |= loaded
    return [
        (_text(payload, bodies[payload.pk]), 0) if payload.pk in bodies else read(payload)
        for payload in rows
    ]


def read(payload: Payload) -> Extract:
    """The extract of one payload."""
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
    """Role and text of a canonical message; its tool calls are read from their own spans."""
    return _role_and_text(_parse_json(blob))


def messages(payload: Payload) -> list[tuple[str, str]]:
    """Role and text of all messages of an `input`."""
    if payload.size > MAX_PARSED_STAGE_BYTES:
        return []
    try:
        body = _parse_json(payloads.load(payload))
    except PayloadCorrupt:
        return []
    values = body.get("messages") if isinstance(body, dict) else None
    return [_role_and_text(value) for value in values] if isinstance(values, list) else []


def _role_and_text(value: Any) -> tuple[str, str]:
    if not isinstance(value, dict):
        return "", ""
    role = value.get("role")
    return (role if isinstance(role, str) else ""), text_of(value.get("content"))


def response_ids(response: Any, generation: Any) -> Iterator[str]:
    """The provider's id of the response, and the ids of the request in its headers, from the
    attributes of the payload and of the span."""
    response_id = generation.get("response_id") if isinstance(generation, Mapping) else None
    if isinstance(response_id, str):
        yield response_id
    headers = response.get("headers") if isinstance(response, Mapping) else None
    for header in headers if isinstance(headers, list) else []:
        match header:
            case [str(name), str(value)] if _REQUEST_ID.search(name):
                yield value[:200]


def call_ids(attributes: Any) -> str:
    """The model's id of the call, and the id of its task, from the attributes of its span."""
    known = attributes if isinstance(attributes, dict) else {}
    ids = (known.get(name) for name in ("call_id", "task_id"))
    return " ".join(one for one in ids if isinstance(one, str))


def text_of(content: Any) -> str:
    """The text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _parse_json(body: bytes) -> Any:
    """None for what is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _output(body: bytes) -> str:
    output = _parse_json(body)
    answer = output.get("message") if isinstance(output, dict) else None
    if not isinstance(answer, dict):
        return ""
    texts = (answer.get("content"), answer.get("refusal"), answer.get("reasoning_content"))
    return "\n".join(filter(None, map(text_of, texts)))


def _result(body: bytes) -> str:
    """The texts of a result, or its structured content if there are none."""
    result = _parse_json(body)
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
    """Of a failed attempt the body of the error, or the end of the stream."""
    attributes = payload.attributes if isinstance(payload.attributes, dict) else {}
    headers = attributes.get("headers") or ()
    text = decode_content(body, headers, MAX_PARSED_STAGE_BYTES).decode(errors="replace")
    status = attributes.get("status")
    is_stream = text.startswith(("data:", "event:", ":")) or "event-stream" in str(headers)
    if is_stream and not (isinstance(status, int) and status >= 400):
        return text[-_END_OF_STREAM:]
    return text
