"""The text of PDF and Word files, which is what is stored and what a model reads of them.

Each file is read by a process of its own (`tools.documents`).
"""

import codecs
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.errors import Rejected
from limits.files import MAX_DOCUMENT_BYTES
from tools.documents import reading
from tracing.formatting.figures import size

Kind = Literal["pdf", "docx"]
PDF = b"%PDF-"
# What a model reads at the end of a text that is not whole.
LEFT_OUT = "[The file goes on; the rest is left out.]"
ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True)
class Document:
    """The text of a file; `note` says which part of the file it is."""

    text: str
    note: str


def kind_of(content: bytes) -> Kind | None:
    """What the bytes say; None for no document. Raises `Rejected` for Word files that cannot be
    read."""
    if content.startswith(OLE):
        raise Rejected(
            _("This is an old or encrypted Office file. Save it as .docx without a password.")
        )
    if content[:64].removeprefix(codecs.BOM_UTF8).lstrip().startswith(PDF):
        return "pdf"
    return "docx" if content.startswith(ZIP) else None


def read(kind: Kind, content: bytes) -> Document:
    """The text, up to the size of a text file. Raises `Rejected`. Blocks for as long as it takes,
    at most `MAX_DOCUMENT_WAIT_S` and `MAX_DOCUMENT_S`."""
    if len(content) > MAX_DOCUMENT_BYTES:
        sizes = {"size": size(len(content)), "most": size(MAX_DOCUMENT_BYTES)}
        raise Rejected(_("The file has %(size)s; the limit is %(most)s.") % sizes)
    try:
        # Room for the line that it is cut.
        answer = reading.read(kind, content, settings.ATTACHMENT_TEXT_BYTES - 1_000)
    except reading.Unreadable as error:
        raise Rejected(_problem(kind, error.word)) from None
    left_out = f"\n{LEFT_OUT}\n" if answer["is_cut"] else ""
    return Document(answer["text"] + left_out, _note(answer))


def _problem(kind: Kind, word: str) -> str:
    name = "PDF" if kind == "pdf" else "DOCX"
    match word:
        case "busy":
            return _("Other files are being read. Try again in a moment.")
        case "too_long":
            return _(
                "The file could not be read within the limits of time and memory. Attach a part of "
                "it."
            )
        case "encrypted":
            return _("This %(kind)s file is encrypted. Save it without a password.") % {
                "kind": name
            }
        case "no_text":
            if kind == "pdf":
                return _(
                    "This PDF has no text: its pages are pictures. Attach pictures of the pages "
                    "instead."
                )
            return _("There is no text in this file.")
        case "too_large":
            return _("The file unpacks to too much text. Attach a part of it.")
        case "other":
            return _(
                "Unsupported file type. Supported: PNG, JPEG, GIF and WebP images, PDF, DOCX and "
                "text files."
            )
        case _:
            return _("This %(kind)s file is damaged and cannot be read.") % {"kind": name}


def _note(answer: dict[str, Any]) -> str:
    pages, read_pages = answer["pages"], answer["read"]
    if pages and answer["is_cut"]:
        return _("text of %(read)s of %(pages)s pages") % {"read": read_pages, "pages": pages}
    if pages:
        return ngettext("text of %(count)s page", "text of %(count)s pages", pages) % {
            "count": pages
        }
    return _("beginning of its text") if answer["is_cut"] else _("its text")
