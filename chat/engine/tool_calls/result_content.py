"""Results of tool calls as a conversation keeps them: their images, and their whole text.

The trace has every result whole. A model is shown text. Images of a result become attachments of
the tool message: a model that reads images is sent them, another one a note that there are some.
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

# Hexadecimal digits of a span's public id that name a result: unique enough in a conversation.
HANDLE_DIGITS = 8


def content_attributes(result: ToolResult) -> CallAttributes:
    """What the engine and the pages need to know of a result without reading its payload."""
    attributes: CallAttributes = {}
    if result.is_error:
        attributes["failure"] = result.failure.kind if result.failure else ""
    if result.is_cut:
        attributes["cut"] = True
    if blocks := content.described(result.content):
        attributes["blocks"] = blocks
    if images := len(sendable_images(result)):
        attributes["images"] = images
    if (structured := _structured_json(result)) is not None:
        attributes["structured"] = structured
    return attributes


def _structured_json(result: ToolResult) -> str | None:
    """Structured content as JSON; None if the text is the same, or if it is too long for a card
    (the trace has it)."""
    if result.structured is None or not result.content:
        return None
    try:
        if json.loads(result.text) == result.structured:
            return None
    except (ValueError, RecursionError):
        pass
    text = dump_json(result.structured)
    return text if len(text) <= MAX_STRUCTURED_RESULT else None


def handle_of(call: Span) -> str:
    """How a model names this call's result."""
    return call.public_id.hex[:HANDLE_DIGITS]


def earlier_text(archive: Archive, handle: str) -> str | None:
    """The whole text of the result with this handle, if the archive has it."""
    if len(handle) != HANDLE_DIGITS or not all(digit in "0123456789abcdef" for digit in handle):
        return None
    low, high = UUID(f"{handle:0<32}"), UUID(f"{handle:f<32}")
    results = Payload.objects.select_related("span__trace").filter(
        span__trace__archive=archive,
        span__kind=Span.Kind.TOOL,
        span__public_id__range=(low, high),
        stage=Payload.Stage.RESULT,
    )
    payload = results.first()
    return None if payload is None else _read(payload).text


def with_images(
    turn: Turn, calls: list[Span], texts: dict[int, str]
) -> tuple[dict[int, str | list[ContentPart]], dict[int, list[Attachment]]]:
    """By the call's key: the content of its tool message, and the new attachments, which have no
    message yet."""
    attachments = {call.pk: _attachments(turn, call) for call in calls}
    contents = {pk: content_with(text, attachments.get(pk, [])) for pk, text in texts.items()}
    return contents, {pk: images for pk, images in attachments.items() if images}


def _attachments(turn: Turn, call: Span) -> list[Attachment]:
    if not call_attributes(call).get("images") or call_attributes(call).get("late"):
        return []
    results = Payload.objects.select_related("span__trace").filter(
        span=call, stage=Payload.Stage.RESULT
    )
    payload = results.first()
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
    """The images that a model can be sent: of bounded number and size."""
    max_bytes = settings.ATTACHMENT_IMAGE_BYTES
    images = [image for image in content.images(result.content) if len(image.content) <= max_bytes]
    return images[:MAX_RESULT_IMAGES]


def _read(payload: Payload) -> ToolResult:
    full = json.loads(payloads.load(payload))
    return ToolResult(full["content"], full.get("structured"), bool(full["is_error"]))
