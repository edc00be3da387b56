"""The beginning of an attached text file, as HTML."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from django.utils.safestring import SafeString, mark_safe

from chat.markdown.highlight import highlight
from chat.models import Attachment
from limits.files import MAX_ATTACHMENT_PREVIEW
from tracing.formatting.text import clip


@dataclass(frozen=True)
class TextPreview:
    """The beginning of a text file as HTML; numbers of characters that are shown and hidden."""

    id: str
    html: SafeString
    shown: int
    hidden: int


def text_preview(attachment: Attachment) -> TextPreview:
    """Highlighted by the extension of the file's name."""
    text = clip(bytes(attachment.content).decode(errors="replace"), MAX_ATTACHMENT_PREVIEW)
    ending = PurePosixPath(attachment.name).suffix.removeprefix(".")
    html = mark_safe(highlight(text.text, ending))  # `highlight` escapes
    return TextPreview(str(attachment.public_id), html, MAX_ATTACHMENT_PREVIEW, text.hidden)
