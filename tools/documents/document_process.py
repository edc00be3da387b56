"""The program that reads the text of one document; `documents` starts it.

Arguments: the kind (`pdf`, `docx`), and limits as JSON. The document is on standard input. The
answer is a JSON object on standard output: `{"text", "pages", "read", "is_cut"}`, or `{"problem",
"pages"}` with one of `encrypted`, `broken`, `other`, `too_large`, `no_text`.

Runs as a file of its own (`python -I`), so it imports nothing of the product: a parser that a file
breaks takes nothing else with it.
"""

import io
import json
import re
import resource
import struct
import sys
import zipfile
import zlib
from typing import Any
from xml.parsers import expat

CHUNK = 65_536
PDF_PASSWORD = 4  # FPDF_ERR_PASSWORD of fpdfview.h
MAIN = "word/document.xml"
WORDS = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
HEADING = re.compile(r"heading ?([1-6])", re.IGNORECASE)
BROKEN_ZIP = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, OverflowError, RuntimeError, ValueError, NotImplementedError),
)


class Problem(Exception):
    """Why there is no text: the word of the answer, and the number of pages if it is known."""

    def __init__(self, word: str, pages: int = 0) -> None:
        super().__init__(word)
        self.pages = pages


class Full(Exception):
    """There is as much text as may be."""


class Text:
    """A text that grows up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self._parts: list[str] = []
        self._room = most

    def add(self, part: str) -> None:
        encoded = part.encode(errors="replace")
        self._parts.append(encoded[: self._room].decode(errors="ignore"))
        self._room -= len(encoded)
        if self._room < 0:
            raise Full

    def __str__(self) -> str:
        return "".join(self._parts)


def main() -> None:
    kind, limits = sys.argv[1], json.loads(sys.argv[2])
    content = sys.stdin.buffer.read()
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_s"], limits["cpu_s"] + 1))
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory"], limits["memory"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    read = read_pdf if kind == "pdf" else read_docx
    try:
        answer = read(content, limits)
    except Problem as problem:
        answer = {"problem": str(problem), "pages": problem.pages}
    json.dump(answer, sys.stdout)


def read_pdf(content: bytes, limits: dict[str, Any]) -> dict[str, Any]:
    """The text of the pages, each after a line with its number."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(content)
        pages = len(document)
    except pdfium.PdfiumError as error:
        word = "encrypted" if error.err_code == PDF_PASSWORD else "broken"
        raise Problem(word) from None
    text, read, has_text, is_cut = Text(limits["text"]), 0, False, pages > limits["pages"]
    try:
        for number in range(min(pages, limits["pages"])):
            words = _page_text(document, number)
            has_text = has_text or bool(words)
            text.add(f"[Page {number + 1} of {pages}]\n{words}\n\n")
            read += 1
    except Full:
        is_cut = True
    if not has_text:
        raise Problem("no_text", pages)
    return {"text": str(text), "pages": pages, "read": read, "is_cut": is_cut}


def _page_text(document: Any, number: int) -> str:
    """A page that is broken counts as empty."""
    import pypdfium2 as pdfium

    try:
        page = document[number]
        words: str = page.get_textpage().get_text_bounded()
    except pdfium.PdfiumError:
        return ""
    return words.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def read_docx(content: bytes, limits: dict[str, Any]) -> dict[str, Any]:
    """The paragraphs of the main part: headings and lists marked as in Markdown, cells of a table
    beside each other."""
    text = Text(limits["text"])
    is_cut = False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _feed(archive, Paragraphs(text), limits["unpacked"])
    except Full:
        is_cut = True
    except expat.ExpatError:
        raise Problem("broken") from None
    except BROKEN_ZIP:
        raise Problem("broken") from None
    if not str(text).strip():
        raise Problem("no_text")
    return {"text": str(text), "pages": 0, "read": 0, "is_cut": is_cut}


def _feed(archive: zipfile.ZipFile, paragraphs: "Paragraphs", most: int) -> None:
    if MAIN not in archive.namelist():
        raise Problem("other")
    entry = archive.getinfo(MAIN)
    if entry.flag_bits & 1:
        raise Problem("encrypted")
    parser = paragraphs.parser()
    room = most
    # What an archive unpacks to is counted as it is read, whatever it says.
    with archive.open(entry) as part:
        while chunk := part.read(CHUNK):
            room -= len(chunk)
            if room < 0:
                raise Problem("too_large")
            parser.Parse(chunk)
    parser.Parse(b"", True)


class Paragraphs:
    """Reads the XML of a Word document into a text."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._words: list[str] = []
        self._mark = ""
        self._is_text = False
        self._cells = 0
        self._skipped = 0  # depth within what older programs are to show instead

    def parser(self) -> Any:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse_doctype
        return parser

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        if local == "Fallback" or self._skipped:
            self._skipped += 1
        elif space in WORDS:
            self._begin_word(local, attributes)

    def _begin_word(self, local: str, attributes: dict[str, str]) -> None:
        if local == "t":
            self._is_text = True
        elif local == "tab":
            self._words.append("\t")
        elif local in ("br", "cr"):
            self._words.append("\n")
        elif local == "tc":
            self._cells += 1
        elif local == "numPr":
            self._mark = self._mark or "- "
        elif local == "pStyle":
            values = [value for key, value in attributes.items() if key.endswith(" val")]
            heading = HEADING.match(values[0]) if values else None
            self._mark = f"{'#' * int(heading[1])} " if heading else self._mark

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        space, _, local = name.rpartition(" ")
        if space not in WORDS:
            return
        if local == "t":
            self._is_text = False
        elif local == "p":
            self._end_paragraph()
        elif local == "tc":
            self._cells -= 1
            self._text.add(" | " if not self._cells else " ")
        elif local == "tr" and not self._cells:
            self._text.add("\n")

    def _end_paragraph(self) -> None:
        words = "".join(self._words).replace("\0", "")
        mark, self._words, self._mark = self._mark, [], ""
        if self._cells:
            self._text.add(words.replace("\n", " ") + " " if words else "")
        else:
            self._text.add(f"{mark}{words}\n" if words.strip() else "\n")

    def _characters(self, words: str) -> None:
        if self._is_text and not self._skipped:
            self._words.append(words)


def _refuse_doctype(*_: object) -> None:
    """A Word document has none; one with entities is an attack."""
    raise Problem("broken")


if __name__ == "__main__":
    main()
