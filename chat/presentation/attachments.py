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
    """What this message refers to, in order."""
    return [_view(one) for one in references([message.body])]


def _view(one: Reference) -> AttachmentView:
    return AttachmentView(
        str(one.id), visible(one.name), one.media_type, one.size, is_image=one.is_image
    )
