"""Attachments of a message, as the thread shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.attachments.references import Reference, references
from chat.models import Message
from tracing.formatting.text import visible


@dataclass(frozen=True)
class AttachmentView:
    """An attachment of a message that was sent."""

    id: str
    name: str
    media_type: str
    size: int
    is_image: bool


def attachment_views(message: Message) -> Sequence[AttachmentView]:
    """The attachments that this message refers to, in order."""
    return [_attachment_view(reference) for reference in references([message.body])]


def _attachment_view(reference: Reference) -> AttachmentView:
    return AttachmentView(
        id=str(reference.id),
        name=visible(reference.name),
        media_type=reference.media_type,
        size=reference.size,
        is_image=reference.is_image,
    )
