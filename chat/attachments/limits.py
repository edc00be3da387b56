"""The limits of attachments, as numbers and as text for pages."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext

from limits.chat import MAX_MESSAGE_DRAFT_BYTES
from limits.files import MAX_DOCUMENT_BYTES
from tracing.formatting.figures import size


@dataclass(frozen=True)
class Limits:
    """Attachments a message, and bytes: of an image, of a text file, of all together."""

    count: int
    image_bytes: int
    text_bytes: int
    message_bytes: int
    draft_bytes: int = MAX_MESSAGE_DRAFT_BYTES
    document_bytes: int = MAX_DOCUMENT_BYTES

    @property
    def sentence(self) -> str:
        return gettext(
            "%(count)s a message, images up to %(image_bytes)s, text files up to %(text_bytes)s, "
            "PDF and DOCX as text up to %(document_bytes)s."
        ) % {
            "count": self.count,
            "image_bytes": _round(self.image_bytes),
            "text_bytes": _round(self.text_bytes),
            "document_bytes": _round(self.document_bytes),
        }


def limits() -> Limits:
    """The limits of the settings."""
    return Limits(
        count=settings.ATTACHMENTS_A_MESSAGE,
        image_bytes=settings.ATTACHMENT_IMAGE_BYTES,
        text_bytes=settings.ATTACHMENT_TEXT_BYTES,
        message_bytes=settings.ATTACHMENTS_MESSAGE_BYTES,
    )


def _round(count: int) -> str:
    return size(count).replace(".0 ", " ")
