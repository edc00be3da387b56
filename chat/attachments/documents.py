"""The text of PDF and Word files, which is what is stored and what a model reads of them.

Each file is read by a process of its own (`document_process`), whose time and memory the operating
system bounds: the parsers are native code, and the files come from anywhere.
"""

import codecs
import json
import logging
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.errors import Rejected
from limits.files import (
    MAX_DOCUMENT_BYTES,
    MAX_DOCUMENT_CPU_S,
    MAX_DOCUMENT_MEMORY_BYTES,
    MAX_DOCUMENT_PAGES,
    MAX_DOCUMENT_PROCESSES,
    MAX_DOCUMENT_S,
    MAX_DOCUMENT_WAIT_S,
    MAX_UNPACKED_DOCUMENT_BYTES,
)
from tracing.formatting.figures import size

logger = logging.getLogger(__name__)

Kind = Literal["pdf", "docx"]
PROGRAM = Path(__file__).with_name("document_process.py")
PDF = b"%PDF-"
# What a model reads at the end of a text that is not whole.
LEFT_OUT = "[The file goes on; the rest is left out.]"
ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_free = threading.BoundedSemaphore(MAX_DOCUMENT_PROCESSES)


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
    answer = _answer(kind, content)
    if "problem" in answer:
        raise Rejected(_problem(kind, answer))
    left_out = f"\n{LEFT_OUT}\n" if answer["is_cut"] else ""
    return Document(answer["text"] + left_out, _note(answer))


def _answer(kind: Kind, content: bytes) -> dict[str, Any]:
    if not _free.acquire(timeout=MAX_DOCUMENT_WAIT_S):
        raise Rejected(_("Other files are being read. Try again in a moment."))
    limits = {
        "text": settings.ATTACHMENT_TEXT_BYTES - 1_000,  # for the line that it is cut
        "pages": MAX_DOCUMENT_PAGES,
        "unpacked": MAX_UNPACKED_DOCUMENT_BYTES,
        "cpu_s": MAX_DOCUMENT_CPU_S,
        "memory": MAX_DOCUMENT_MEMORY_BYTES,
    }
    command = [sys.executable, "-I", str(PROGRAM), kind, json.dumps(limits)]
    too_long = _(
        "The file could not be read within the limits of time and memory. Attach a part of it."
    )
    try:
        done = subprocess.run(
            command,
            input=content,
            capture_output=True,
            env={"LC_ALL": "C.UTF-8"},
            timeout=MAX_DOCUMENT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Rejected(too_long) from None
    finally:
        _free.release()
    if done.returncode:
        logger.warning(
            "A %s of %d bytes could not be read: %s", kind, len(content), _last_line(done.stderr)
        )
        raise Rejected(too_long)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _last_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing"


def _problem(kind: Kind, answer: dict[str, Any]) -> str:
    name = "PDF" if kind == "pdf" else "DOCX"
    match answer["problem"]:
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
