"""Views of the stages `response` and `output`."""

import json
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from db.fields import dump_json
from languages.later import later
from limits.trace_pages import MAX_RESPONSE_TEXT
from tracing.formatting.text import clip, visible
from tracing.page.stages.messages import CallText, MessageView, message_view
from tracing.page.stages.output_origins import Marks, OriginText
from wire.recorded import RecordedResponse
from wire.response_parts import ResponsePart

_TITLES = {"reasoning": later("Reasoning"), "refusal": later("Refusal")}


@dataclass(frozen=True)
class ResponsePartView:
    """A part of the response; `number` is that of its origin if the whole part has one."""

    kind: str
    title: str
    texts: list[OriginText]
    name: str = ""
    id: str = ""
    number: int = 0
    hidden: int = 0


@dataclass(frozen=True)
class ResponseView:
    """Number of events, and the parts made of them."""

    template: ClassVar[str] = "tracing/stages/_response.html"

    events: int
    parts: list[ResponsePartView]


@dataclass(frozen=True)
class OutputView:
    """The canonical message and the numbers of the origins of its content and reasoning."""

    template: ClassVar[str] = "tracing/stages/_output.html"

    message: MessageView
    content: int = 0
    reasoning: int = 0
    errors: list[str] = field(default_factory=list)


def read_output(body: bytes) -> Any:
    """The JSON of an `output` stage; None if it is malformed."""
    try:
        output = json.loads(body)
        return output if isinstance(output["message"], dict) else None
    except (ValueError, RecursionError, LookupError, TypeError):
        return None


def response_view(recorded: RecordedResponse, marks: Marks) -> ResponseView | None:
    """None if no part of the response could be parsed."""
    if not recorded.parts:
        return None
    return ResponseView(recorded.events, [_part_view(part, marks) for part in recorded.parts])


def output_view(value: Any, marks: Marks, size: int) -> OutputView:
    message = message_view(value["message"], 0, "", size)
    ids = value.get("reissued")
    reissued = ids if isinstance(ids, dict) else {}
    errors = value.get("errors")
    return OutputView(
        message=replace(
            message, calls=[_numbered(call, marks, reissued) for call in message.calls]
        ),
        content=marks.number("content"),
        reasoning=marks.number("reasoning"),
        errors=[_error_text(error) for error in (errors if isinstance(errors, list) else ())],
    )


def _part_view(part: ResponsePart, marks: Marks) -> ResponsePartView:
    texts = marks.origin_texts(part, MAX_RESPONSE_TEXT)
    return ResponsePartView(
        kind=part.kind,
        title=part.name if part.kind == "other" else _TITLES.get(part.kind, ""),
        texts=texts,
        name=visible(part.name) or "?",
        id=visible(part.id),
        number=texts[0].number if len(texts) == 1 else 0,
        hidden=max(0, len(part.text) - MAX_RESPONSE_TEXT),
    )


def _numbered(call: CallText, marks: Marks, reissued: dict[str, Any]) -> CallText:
    return replace(
        call,
        number=marks.number(f"call {call.id}"),
        original_id=visible(str(reissued.get(call.id, "")))[:200],
    )


def _error_text(error: Any) -> str:
    return clip(error if isinstance(error, str) else dump_json(error), 2_000).text
