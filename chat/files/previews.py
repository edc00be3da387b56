"""Previews of files: the beginning of a text, a table, an image's size, a few bytes."""

import codecs
import os
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from pygments.lexers import find_lexer_class_for_filename

from chat import markdown
from chat.files.image_headers import ImageHeader, read_header
from chat.files.layouts import Table, laid_out, table
from chat.markdown.highlight import highlight
from languages.later import later
from limits.files import (
    MAX_COLOURED_PREVIEW,
    MAX_PREVIEW,
    MAX_PREVIEW_BYTES,
    MAX_PREVIEW_IMAGE_BYTES,
    MAX_PREVIEW_IMAGE_PIXELS,
)
from tools.workspace import tree
from tracing.formatting.text import clip, visible
from wire.surrogates import join_surrogates

_HEX_BYTES = 512
_ROW = 16
_MARKDOWN = {".md", ".markdown"}
_TABLES = {".csv", ".tsv"}
_JSON = {".json", ".geojson", ".ipynb"}
_CONTROLS = re.compile(b"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KINDS = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", later("a zip archive, or a document in one")),
    (b"\x1f\x8b", later("a gzip archive")),
    (b"SQLite format 3\0", later("an SQLite database")),
    (b"\x7fELF", "a program"),
)


@dataclass(frozen=True)
class Preview:
    """`kind` is empty, text, markdown, table, image or binary. `note` says what is not shown, and
    how the bytes were read; `other` is what the same file may be shown as instead: source, or
    rendered."""

    kind: str
    size: int
    html: str = ""
    note: str = ""
    table: Table | None = None
    image: ImageHeader | None = None
    about: str = ""
    other: str = ""


def preview(workspace: Path, path: str, *, as_source: bool = False) -> Preview:
    """The preview of a file. Raises `NotThere`, and `ToolError` for paths that are no file or
    outside the workspace."""
    with tree.open_read(workspace, path) as file:
        count = os.fstat(file.fileno()).st_size
        head = file.read(MAX_PREVIEW_BYTES)
    if not head:
        return Preview("empty", count)
    if image := _image(head, count):
        return Preview("image", count, image=image)
    decoded = _decoded(head, is_cut=count > len(head))
    if decoded is None:
        return _binary(head, count)
    text, encoding = decoded
    name = PurePosixPath(path).name
    result = _text(name, text, is_cut=count > len(head), as_source=as_source)
    notes = [
        result.note,
        gettext("Read as %(encoding)s.") % {"encoding": encoding} if encoding else "",
    ]
    return replace(result, size=count, note=" ".join(filter(None, notes)))


def image_type(workspace: Path, path: str) -> ImageHeader | None:
    """The image header of a file, by its bytes; None if it is no image that is shown."""
    with tree.open_read(workspace, path) as file:
        return _image(file.read(MAX_PREVIEW_BYTES), os.fstat(file.fileno()).st_size)


def _image(head: bytes, count: int) -> ImageHeader | None:
    try:
        header = read_header(head)
    except ValueError:
        return None
    if header is None or count > MAX_PREVIEW_IMAGE_BYTES:
        return None
    return header if header.width * header.height <= MAX_PREVIEW_IMAGE_PIXELS else None


def _decoded(head: bytes, *, is_cut: bool) -> tuple[str, str] | None:
    """The text, and the name of its encoding if that is not UTF-8; None if it is no text."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            text = _decode(head[len(mark) :], encoding, is_cut=is_cut)
            return (text, "" if encoding == "utf-8" else "UTF-16") if text is not None else None
    if _CONTROLS.search(head):
        return None
    text = _decode(head, "utf-8", is_cut=is_cut)
    if text is not None:
        return text, ""
    text = _decode(head, "gb18030", is_cut=is_cut)
    return (text, "GB 18030") if text is not None else None


def _decode(head: bytes, encoding: str, *, is_cut: bool) -> str | None:
    """The decoded text, or None. With `is_cut` the last character may be incomplete."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head, final=not is_cut)
    except UnicodeDecodeError:
        return None


def _text(name: str, text: str, *, is_cut: bool, as_source: bool) -> Preview:
    ending = PurePosixPath(name).suffix.lower()
    is_long = is_cut or len(text) > MAX_PREVIEW
    if ending in _TABLES and not as_source:
        parsed_table = table(visible(text), tabs=ending == ".tsv", is_cut=is_cut)
        if parsed_table is not None:
            return Preview(
                "table", 0, table=parsed_table, other="source", note=_rows_note(parsed_table)
            )
    if ending in _MARKDOWN and not as_source and not is_long:
        return Preview("markdown", 0, markdown.render(visible(text)), other="source")
    if ending in _JSON and not as_source and not is_long and (lines := laid_out(text)):
        note = gettext("Laid out with a line for each value; the file has all on one line.")
        return Preview("text", 0, _coloured(name, lines), other="source", note=note)
    other = "rendered" if as_source and ending in _TABLES | _MARKDOWN | _JSON else ""
    cut = clip(text, MAX_PREVIEW)
    note = (
        gettext("Only the first %(most)s characters are shown.") % {"most": f"{MAX_PREVIEW:,}"}
        if is_long
        else ""
    )
    return Preview("text", 0, _coloured(name, cut.text), other=other, note=note)


def _rows_note(table: Table) -> str:
    if table.more_rows and table.more_columns:
        return gettext("Only the first %(count)s rows and %(head)s columns are shown.") % {
            "count": len(table.rows),
            "head": len(table.head),
        }
    if table.more_rows:
        return gettext("Only the first %(count)s rows are shown.") % {"count": len(table.rows)}
    return (
        gettext("Only the first %(count)s columns are shown.") % {"count": len(table.head)}
        if table.more_columns
        else ""
    )


def _coloured(name: str, text: str) -> SafeString:
    """Highlighted by the extension of the name. Lone surrogates become U+FFFD."""
    language = _language(name) if len(text) <= MAX_COLOURED_PREVIEW else ""
    return mark_safe(highlight(visible(join_surrogates(text)), language))  # which escapes


@lru_cache(maxsize=256)
def _language(name: str) -> str:
    lexer = find_lexer_class_for_filename(join_surrogates(name))
    return lexer.aliases[0] if lexer is not None and lexer.aliases else ""


def _binary(head: bytes, count: int) -> Preview:
    about = next((kind for mark, kind in _KINDS if head.startswith(mark)), "")
    if about:
        return Preview("binary", count, about=about)
    shown = head[:_HEX_BYTES]
    rest = (
        gettext("Only the first %(count)s bytes are shown.") % {"count": len(shown)}
        if count > len(shown)
        else ""
    )
    lines = [_hex(shown, at) for at in range(0, len(shown), _ROW)]
    html = mark_safe(highlight("\n".join(lines), ""))  # which escapes
    return Preview("binary", count, html, note=rest, about=about)


def _hex(body: bytes, at: int) -> str:
    row = body[at : at + _ROW]
    text = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
    return f"{at:06x}  {row.hex(' '):<{3 * _ROW - 1}}  {text}"
