"""The characters of a page: by its byte order mark, by what the host says, by what the page says,
else by trying. Names mean what browsers take them for (WHATWG, "Encoding")."""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
# Where a page may say what it is written in.
_BEGINNING = 4_096
# Supersets that browsers use for these names.
_READ_AS = {
    **dict.fromkeys(("gb2312", "gbk", "gb18030"), "gb18030"),
    **dict.fromkeys(("ascii", "iso8859-1", "cp1252"), "cp1252"),
    **dict.fromkeys(("big5", "big5hkscs", "cp950"), "big5hkscs"),
    **dict.fromkeys(("shift_jis", "cp932"), "cp932"),
    **dict.fromkeys(("euc_kr", "cp949"), "cp949"),
    **dict.fromkeys(("iso8859-9", "cp1254"), "cp1254"),
}
_TRIED = ("utf-8", "gb18030")
# Encodings of pages, by the names that Python has for them. Others may take long to decode.
_OF_PAGES = re.compile(
    r"utf-(?:8|16(?:-[bl]e)?)|gb18030|big5hkscs|cp(?:932|949|866|874|125\d)|euc_jp|iso2022_jp"
    r"|iso8859-\d{1,2}|koi8-[ru]|tis-620|mac-cyrillic"
)


def decoded(content: bytes, content_type: str) -> str:
    """The text; bytes that are no character become U+FFFD."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, errors="replace")
    for name in _named(content, content_type):
        return _decoded(content, name)
    for name in _TRIED:
        try:
            return content.decode(name)
        except UnicodeDecodeError:
            continue
    return content.decode("cp1252", errors="replace")


def _decoded(content: bytes, name: str) -> str:
    """As named; but a page in UTF-8 that is called something else, as many are, is UTF-8."""
    if name != "utf-8" and not content.isascii():
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return content.decode(name, errors="replace")


def _named(content: bytes, content_type: str) -> list[str]:
    """The names of known encodings, the most reliable first."""
    beginning = content[:_BEGINNING]
    header = _HEADER.search(content_type)
    meta = _META.search(beginning) or _XML.search(beginning)
    names = [header[1]] if header else []
    names += [meta[1].decode("ascii", errors="replace")] if meta else []
    return [known for name in names if (known := _known(name))]


def _known(name: str) -> str:
    try:
        python = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    read_as = _READ_AS.get(python, python)
    return read_as if _OF_PAGES.fullmatch(read_as) else ""
