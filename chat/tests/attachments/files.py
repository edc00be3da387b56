"""Small files of known content."""

import io
import zipfile
from collections.abc import Mapping

from tools.tests.pdfs import a_pdf

__all__ = ["a_docx", "a_pdf", "a_zip"]


def a_zip(parts: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def a_docx(xml: str) -> bytes:
    """A Word file with this main part."""
    return a_zip({"[Content_Types].xml": b"<Types/>", "word/document.xml": xml.encode()})
