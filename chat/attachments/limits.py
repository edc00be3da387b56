"""The limits of attachments, as numbers and as text for pages."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext

from tracing.formatting.figures import size


@dataclass(frozen=True)
class Limits:
    """Attachments a message, and bytes: of an image, of a text file, of all together."""

    count: int
    image_bytes: int
    text_bytes: int
    message_bytes: int

    @property
    def sentence(self) -> str:
        return gettext(
            "%(count)s a message, images up to %(image_bytes)s, text files up to %(text_bytes)s."
        ) % {
            "count": self.count,
            "image_bytes": _round(self.image_bytes),
            "text_bytes": _round(self.text_bytes),
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
