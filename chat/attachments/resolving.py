"""Replacing references to attachments by their bytes, when a request is made.

Whatever has become of an attachment, or of the model, the history can be sent: what cannot be given
to the model is named in words instead, and a note for the trace says so.
"""

import uuid
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from chat.attachments.references import Reference, reference_of, references
from chat.llm.messages import ContentPart, Message
from chat.models import Attachment, LanguageModel
from tracing.formatting.figures import size


@dataclass(frozen=True)
class Resolved:
    """Messages without references; `notes` are sentences on what the model does not get."""

    messages: list[Message]
    notes: list[str] = field(default_factory=list)


def resolve(messages: Sequence[Message], model: LanguageModel) -> Resolved:
    """The messages for this model. One query, and none without attachments."""
    named = list(references(messages))
    if not named:
        return Resolved(list(messages))
    reasons = _left_out(named, model)
    contents = _contents({one.id for one in named} - reasons.keys())
    for one in named:
        if one.id not in contents:
            reasons.setdefault(one.id, "it was deleted")
    resolved = [_with_contents(message, contents, reasons) for message in messages]
    return Resolved(resolved, _notes(named, reasons))


def _left_out(named: Sequence[Reference], model: LanguageModel) -> dict[uuid.UUID, str]:
    """Why some attachments are not read, by id: the newest have room first."""
    reasons: dict[uuid.UUID, str] = {}
    room = settings.ATTACHMENTS_REQUEST_BYTES
    for one in reversed(named):
        if one.is_image and not model.reads_images:
            reasons[one.id] = f"{model} does not read images"
        elif one.size > room:
            most = size(settings.ATTACHMENTS_REQUEST_BYTES)
            reasons[one.id] = f"the attachments of the conversation are more than {most}"
            room = 0
        else:
            room -= one.size
    return reasons


def _contents(ids: set[uuid.UUID]) -> dict[uuid.UUID, bytes]:
    if not ids:
        return {}
    rows = Attachment.objects.filter(public_id__in=ids)
    return {key: bytes(content) for key, content in rows.values_list("public_id", "content")}


def _with_contents(
    message: Message, contents: dict[uuid.UUID, bytes], reasons: dict[uuid.UUID, str]
) -> Message:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts: list[ContentPart] = []
    for part in content:
        one = reference_of(part)
        # Some dialects join texts without a separator.
        gap = "\n\n" if parts else ""
        parts.append(part if one is None else _part(one, gap, contents, reasons))
    return {**message, "content": parts}


def _part(
    one: Reference, gap: str, contents: dict[uuid.UUID, bytes], reasons: dict[uuid.UUID, str]
) -> ContentPart:
    """A content part in OpenAI's form, which dialects translate."""
    if one.id in reasons:
        text = f"{gap}[{_named(one)} is left out: {reasons[one.id]}.]"
        return {"type": "text", "text": text}
    url = f"data:{one.media_type};base64,{b64encode(contents[one.id]).decode()}"
    if one.is_image:
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "file", "file": {"filename": one.name, "file_data": url}}


def _notes(named: Sequence[Reference], reasons: dict[uuid.UUID, str]) -> list[str]:
    return [
        f"{_named(one)} is left out, its name sent instead: {reasons[one.id]}."
        for one in {one.id: one for one in named}.values()
        if one.id in reasons
    ]


def _named(one: Reference) -> str:
    return f"The {'image' if one.is_image else 'file'} {one.name or 'without a name'}"
