"""The type of a file, by its bytes. Its name and the browser's media type do not count."""

import codecs
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext

from chat.errors import Rejected
from chat.files.image_headers import ImageHeader, read_header
from languages.later import later
from tracing.formatting.figures import size

ACCEPTED = later("Supported: PNG, JPEG, GIF and WebP images, PDF, DOCX and text files.")
TEXT = "text/plain"
# Longest first: the byte order mark of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Sniffed:
    """A file as it is stored: an image unchanged, a text as UTF-8 without byte order mark."""

    media_type: str
    content: bytes


def sniff(content: bytes) -> Sniffed:
    """The type of these bytes. Raises `Rejected` for types that are not accepted."""
    if not content:
        raise Rejected(gettext("The file is empty."))
    try:
        header = read_header(content)
    except ValueError as error:
        raise Rejected(gettext("The image is damaged: its size is unreadable.")) from error
    if header is not None:
        _check_image(header, content)
        return Sniffed(header.media_type, content)
    return Sniffed(TEXT, _utf8(content))


def _check_image(header: ImageHeader, content: bytes) -> None:
    if len(content) > settings.ATTACHMENT_IMAGE_BYTES:
        most = size(settings.ATTACHMENT_IMAGE_BYTES)
        raise Rejected(
            gettext("The image has %(count)s; the limit is %(most)s. Make it smaller.")
            % {"count": size(len(content)), "most": most}
        )
    most_pixels = settings.ATTACHMENT_IMAGE_PIXELS
    if max(header.width, header.height) > most_pixels:
        raise Rejected(
            gettext(
                "The image is %(width)s × %(height)s pixels; the limit is %(most_pixels)s on "
                "the longer side. Make it smaller."
            )
            % {
                "width": f"{header.width:,}",
                "height": f"{header.height:,}",
                "most_pixels": f"{most_pixels:,}",
            }
        )


def _utf8(content: bytes) -> bytes:
    text = _decoded(content)
    if text is None or "\0" in text:
        raise Rejected(gettext("Unsupported file type. %(accepted)s") % {"accepted": ACCEPTED})
    encoded = text.encode()
    if len(encoded) > settings.ATTACHMENT_TEXT_BYTES:
        most = size(settings.ATTACHMENT_TEXT_BYTES)
        raise Rejected(
            gettext("The text has %(count)s; the limit is %(most)s. Take a part of it.")
            % {"count": size(len(encoded)), "most": most}
        )
    if not text.strip():
        raise Rejected(gettext("The file is empty."))
    return encoded


def _decoded(content: bytes) -> str | None:
    """The text, decoded by its byte order mark, else as UTF-8; None if it is neither."""
    mark, encoding = next(
        ((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", "utf-8")
    )
    try:
        return content[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        return None
