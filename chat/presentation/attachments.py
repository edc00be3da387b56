"""Attachments as the thread shows them: images to look at, text files to open."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.utils.safestring import SafeString, mark_safe

from chat.attachments.references import Reference, references
from chat.markdown.highlight import highlight
from chat.models import Attachment, Message
from limits.files import MAX_ATTACHMENT_PREVIEW
from tracing.formatting.text import clip, visible


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


@dataclass(frozen=True)
class TextPreview:
    """The beginning of a text file as HTML; `shown` characters of it, `hidden` are not there."""

    id: str
    html: SafeString
    shown: int
    hidden: int


def text_preview(attachment: Attachment) -> TextPreview:
    """Coloured by the ending of the file's name."""
    text = clip(bytes(attachment.content).decode(errors="replace"), MAX_ATTACHMENT_PREVIEW)
    ending = PurePosixPath(attachment.name).suffix.removeprefix(".")
    html = mark_safe(highlight(text.text, ending))  # `highlight` escapes
    return TextPreview(str(attachment.public_id), html, MAX_ATTACHMENT_PREVIEW, text.hidden)
