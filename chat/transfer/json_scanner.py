"""Where the values of a large JSON text are, without reading them into memory.

The scanner knows strings and brackets, and nothing else of JSON: what it finds is parsed
afterwards, one conversation at a time, by Python's own parser, which keeps lone surrogates and
large numbers as they are (`docs/decisions/imported-json.md`).
"""

import re
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from chat.llm.json_text import parse_json
from chat.transfer.errors import BrokenFile
from limits.transfer import MAX_IMPORTED_DEPTH

_WINDOW = 1 << 20
_SPACE = re.compile(rb"[ \t\r\n]*+")
# The rest of a string with its closing quote, if that is in the window.
_IN_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+("?)', re.DOTALL)
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}]*+")
# Bytes of a key that is read; those of conversations are short.
_READ_KEY_BYTES = 1_000


class Scanner:
    """A position in a file, moved forward value by value."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._window = b""
        self._start = 0  # offset in the file of the window's first byte
        self._at = 0  # in the window
        self.go_to(0)

    @property
    def offset(self) -> int:
        return self._start + self._at

    def go_to(self, offset: int) -> None:
        self._window, self._start, self._at = b"", offset, 0
        if offset == 0 and self._more() and self._window.startswith(b"\xef\xbb\xbf"):
            self._at = 3

    def peek(self) -> bytes:
        """The next byte that is no space; empty at the end of the file."""
        while True:
            match = _SPACE.match(self._window, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._window):
                return self._window[self._at : self._at + 1]
            if not self._more():
                return b""

    def take(self, wanted: bytes) -> None:
        """Moves over a byte. Raises BrokenFile if another one is there."""
        found = self.peek()
        if found != wanted:
            raise self._unexpected(found)
        self._at += 1

    def comma_or(self, closing: bytes) -> bool:
        """Moves over a comma, and answers True; or over the closing bracket."""
        is_comma = self.peek() == b","
        self.take(b"," if is_comma else closing)
        return is_comma

    def key(self) -> str:
        """Moves over the key of a member and its colon; "" for one of unusual length."""
        start, end = self.skip()
        self.take(b":")
        if end - start > _READ_KEY_BYTES:
            return ""
        key = parse(self.read(start, end))
        return key if isinstance(key, str) else ""

    def skip(self) -> tuple[int, int]:
        """Moves over a value; its first and last offset."""
        first = self.peek()
        start = self.offset
        if first in (b"{", b"[", b'"'):
            self._skip_nested()
        else:
            self._skip_scalar()
        if self.offset == start:
            raise self._unexpected(first)
        return start, self.offset

    def read(self, start: int, end: int) -> bytes:
        """The bytes between two offsets; the position stays."""
        inside = start - self._start
        if inside >= 0 and end - self._start <= len(self._window):
            return self._window[inside : end - self._start]
        self._file.seek(start)
        return self._file.read(end - start)

    def _skip_nested(self) -> None:
        depth, in_string = 0, False
        while True:
            if in_string:
                in_string = not self._ends_string()
                if not in_string and depth:
                    continue
            else:
                depth, in_string = self._walk(depth)
            if depth == 0 and not in_string:
                return
            if not self._more():
                raise BrokenFile(_("The file ends in the middle of a value. Download it again."))

    def _walk(self, depth: int) -> tuple[int, bool]:
        """Walks to the end of the value or of the window: the depth there, and whether a string is
        cut."""
        for match in _STRING_OR_BRACKET.finditer(self._window, self._at):
            self._at = match.end()
            byte = self._window[match.start()]
            if byte == 0x22:
                if not match[1]:
                    return depth, True
            elif byte in b"{[":
                depth += 1
            else:
                depth -= 1
            if depth > MAX_IMPORTED_DEPTH:
                raise BrokenFile(
                    _("At byte %(at)s the file is nested deeper than %(most)s levels.")
                    % {"at": f"{self.offset:,}", "most": MAX_IMPORTED_DEPTH}
                )
            if depth <= 0:
                return 0, False
        self._at = len(self._window)
        return depth, False

    def _ends_string(self) -> bool:
        match = _IN_STRING.match(self._window, self._at)
        self._at = match.end() if match else self._at
        return bool(match and match[1])

    def _skip_scalar(self) -> None:
        while True:
            match = _SCALAR.match(self._window, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._window) or not self._more():
                return

    def _more(self) -> bool:
        """Reads on; what is before the position is dropped."""
        rest = self._window[self._at :]
        self._file.seek(self._start + len(self._window))  # others read the file too
        piece = self._file.read(_WINDOW)
        self._start += self._at
        self._window, self._at = rest + piece, 0
        return bool(piece)

    def _unexpected(self, found: bytes) -> BrokenFile:
        if not found:
            return BrokenFile(_("The file ends too early. Download it again."))
        return BrokenFile(
            _("This is no JSON: unexpected “%(found)s” at byte %(at)s.")
            % {"found": found.decode(errors="replace"), "at": f"{self.offset:,}"}
        )


def parse(text: bytes) -> Any:
    """The value of a JSON text. Raises BrokenFile."""
    try:
        return parse_json(text.decode())
    except ValueError as error:
        raise BrokenFile(_("This is no JSON: %(error)s.") % {"error": error}) from None
