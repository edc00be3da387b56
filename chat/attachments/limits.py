"""The limits of attachments, as numbers and as text for pages."""

from dataclasses import dataclass

from django.conf import settings

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
        return (
            f"{self.count} a message, images up to {_round(self.image_bytes)}, "
            f"text files up to {_round(self.text_bytes)}."
        )


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
