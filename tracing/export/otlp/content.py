"""The payloads that an exported span carries, read one span at a time.

The requests of a trace of 500 rounds are gigabytes, so only those of the span that is being mapped
are in memory, and a payload above the limit of what is sent is not read.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from db.fields import dump_json
from limits.export import MAX_EXPORTED_SPAN, MAX_EXPORTED_STAGE_BYTES, MAX_EXPORTED_TRACE
from tracing.errors import PayloadCorrupt
from tracing.export.otlp import limits
from tracing.export.otlp.switch import sends_content
from tracing.models import Payload, Span, Trace
from tracing.models.attributes import call_attributes
from tracing.store import payloads

_Stage = Payload.Stage


@dataclass(frozen=True)
class GenerationInput:
    """The stage `input` of a generation."""

    messages: list[Any] = field(default_factory=list)
    tools: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class CallContent:
    """Arguments and result of a tool call as JSON text, and the text that the model was shown."""

    arguments: str = ""
    result: str = ""
    shown: str = ""


class Contents:
    """The payloads of a trace; all empty unless content may leave. A tool's definition (name,
    description and parameters) is no content."""

    def __init__(self, trace: Trace, spans: Iterable[Span]) -> None:
        self._trace = trace
        self.allowed = sends_content()
        rows = Payload.objects.filter(span__trace=trace).select_related("span__trace")
        rows = rows.exclude(stage__in=[_Stage.REQUEST, _Stage.RESPONSE, _Stage.STDERR])
        self._rows = {(row.span_id, row.stage): row for row in rows.defer("chunks")}
        self._generations = {
            span.parent_id: span.pk for span in spans if span.kind == Span.Kind.GENERATION
        }
        self._definitions: dict[int, dict[str, Any]] = {}
        self._spent = 0

    @property
    def room(self) -> int:
        """Characters of messages that the next span may carry."""
        return MAX_EXPORTED_SPAN if self._spent < MAX_EXPORTED_TRACE else limits.MIN_EXPORTED_SPAN

    def spend(self, size: int) -> None:
        self._spent += size

    def input_of(self, generation: Span) -> GenerationInput:
        value = self._json(generation, _Stage.INPUT)
        if not isinstance(value, dict):
            return GenerationInput()
        return GenerationInput(_list(value.get("messages")), _list(value.get("tools")))

    def output_of(self, generation: Span) -> dict[str, Any]:
        """The assistant message; empty if there is none."""
        value = self._json(generation, _Stage.OUTPUT)
        message = value.get("message") if isinstance(value, dict) else None
        return message if isinstance(message, dict) else {}

    def of_call(self, call: Span) -> CallContent:
        return CallContent(
            arguments=str(call_attributes(call).get("edited_arguments") or "")
            or self._text(call, _Stage.ARGUMENTS),
            result=self._text(call, _Stage.RESULT),
            shown=self._text(call, _Stage.SHOWN),
        )

    def definition(self, call: Span) -> dict[str, Any]:
        """The function of this name that was offered in the call's round."""
        row = self._rows.get((self._generations.get(call.parent_id, 0), _Stage.INPUT))
        if row is None:
            return {}
        try:
            ordinals = payloads.read_manifest(row).section("tools")
            self._read_definitions([one for one in ordinals if one not in self._definitions])
        except PayloadCorrupt:
            return {}
        functions = (self._definitions.get(ordinal, {}) for ordinal in ordinals)
        return next((one for one in functions if one.get("name") == call.name), {})

    def _read_definitions(self, ordinals: list[int]) -> None:
        for ordinal, blob in payloads.load_blobs(self._trace.archive_id, ordinals).items():
            tool = _parse_json(blob)
            function = tool.get("function") if isinstance(tool, dict) else None
            self._definitions[ordinal] = function if isinstance(function, dict) else {}

    def _json(self, span: Span, stage: Payload.Stage) -> Any:
        return _parse_json(self._bytes(span, stage))

    def _text(self, span: Span, stage: Payload.Stage) -> str:
        return self._bytes(span, stage).decode(errors="replace")

    def _bytes(self, span: Span, stage: Payload.Stage) -> bytes:
        row = self._rows.get((span.pk, stage)) if self.allowed else None
        if row is None or row.size > MAX_EXPORTED_STAGE_BYTES:
            return b""
        try:
            return payloads.load(row)
        except PayloadCorrupt:
            return b""


def result_value(result: str) -> str:
    """`gen_ai.tool.call.result`: the recorded result without the bytes of images and files."""
    value = _parse_json(result.encode())
    return dump_json(_without_bytes(value)) if isinstance(value, dict) else result


def _without_bytes(value: Any) -> Any:
    """In blocks of MCP, base64 is the value of `data` or `blob`."""
    if isinstance(value, list):
        return [_without_bytes(part) for part in value]
    if not isinstance(value, dict):
        return value
    is_binary = value.get("type") in ("image", "audio") or "blob" in value
    return {
        key: f"[{len(part):,} characters]"
        if is_binary and key in ("data", "blob") and isinstance(part, str)
        else _without_bytes(part)
        for key, part in value.items()
    }


def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
