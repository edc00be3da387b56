"""Results of tool calls as a conversation keeps them: their images, and their whole text.

The trace has every result whole. A model is shown text; images that a server sent go beside it as
attachments of the tool message, so that a model which reads images is given them, and another one
is told that there are some.
"""

import json
from uuid import UUID

from django.conf import settings

from chat.attachments.references import content_with
from chat.llm.messages import ContentPart
from chat.models import Attachment, Turn
from db.fields import dump_json
from limits.models import MAX_RESULT_IMAGES, MAX_STRUCTURED_RESULT
from tools.results import content
from tools.values.call import ToolResult
from tracing.models import Archive, Payload, Span
from tracing.models.attributes import CallAttributes, call_attributes
from tracing.store import payloads

HANDLE = 8  # hexadecimal digits of a span's public id: enough within a conversation


def about(result: ToolResult) -> CallAttributes:
    """What the engine and the pages need to know of a result without reading it."""
    noted: CallAttributes = {}
    if result.is_error:
        noted["failure"] = result.failure.kind if result.failure else ""
    if result.is_cut:
        noted["cut"] = True
    if blocks := content.described(result.content):
        noted["blocks"] = blocks
    if images := len(sendable_images(result)):
        noted["images"] = images
    if (structured := _beside_text(result)) is not None:
        noted["structured"] = structured
    return noted


def _beside_text(result: ToolResult) -> str | None:
    """Structured content as JSON, if it is not what the text says anyway, nor too long for a card:
    the trace has it all the same."""
    if result.structured is None or not result.content:
        return None
    try:
        if json.loads(result.text) == result.structured:
            return None
    except (ValueError, RecursionError):
        pass
    written = dump_json(result.structured)
    return written if len(written) <= MAX_STRUCTURED_RESULT else None


def handle_of(call: Span) -> str:
    """How a model names this call's result."""
    return call.public_id.hex[:HANDLE]


def earlier_text(archive: Archive, handle: str) -> str | None:
    """The whole text of the result with this handle, if the archive has it."""
    if len(handle) != HANDLE or not all(digit in "0123456789abcdef" for digit in handle):
        return None
    low, high = UUID(f"{handle:0<32}"), UUID(f"{handle:f<32}")
    stored = Payload.objects.select_related("span__trace").filter(
        span__trace__archive=archive,
        span__kind=Span.Kind.TOOL,
        span__public_id__range=(low, high),
        stage=Payload.Stage.RESULT,
    )
    payload = stored.first()
    return None if payload is None else _read(payload).text


def with_images(
    turn: Turn, calls: list[Span], texts: dict[int, str]
) -> tuple[dict[int, str | list[ContentPart]], dict[int, list[Attachment]]]:
    """By call: the content of its tool message, and the attachments that have yet to be tied to
    that message."""
    attached = {call.pk: _attachments(turn, call) for call in calls}
    contents = {pk: content_with(text, attached.get(pk, [])) for pk, text in texts.items()}
    return contents, {pk: kept for pk, kept in attached.items() if kept}


def _attachments(turn: Turn, call: Span) -> list[Attachment]:
    if not call_attributes(call).get("images") or call_attributes(call).get("late"):
        return []
    stored = Payload.objects.select_related("span__trace").filter(
        span=call, stage=Payload.Stage.RESULT
    )
    payload = stored.first()
    if payload is None:
        return []
    return [
        Attachment.objects.create(
            owner=turn.user,
            name=f"image {number} of {call_attributes(call).get('tool') or call.name}"[:200],
            media_type=image.media_type,
            size=len(image.content),
            content=image.content,
        )
        for number, image in enumerate(sendable_images(_read(payload)), 1)
    ]


def sendable_images(result: ToolResult) -> list[content.Media]:
    """The images that a model may be given: not too many, none too large."""
    most = settings.ATTACHMENT_IMAGE_BYTES
    fitting = [image for image in content.images(result.content) if len(image.content) <= most]
    return fitting[:MAX_RESULT_IMAGES]


def _read(payload: Payload) -> ToolResult:
    full = json.loads(payloads.load(payload))
    return ToolResult(full["content"], full.get("structured"), bool(full["is_error"]))
