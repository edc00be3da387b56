"""Finds the end of a JSON object that is read in chunks."""

import re
from enum import Enum

_BEFORE = re.compile(r"[ \t\r\n]*")
# Characters of JSON outside of strings, except brackets. Any other character ends the search, so
# that text which only begins like an object is recognized at once.
_OUTSIDE = re.compile(r"[ \t\r\n:,0-9+\-.eEtrufalsn]*")
_INSIDE = re.compile(r'[^"\\\x00-\x1f]*')


class Scan(Enum):
    OPEN = "more is needed"
    COMPLETE = "the object has ended"
    BROKEN = "this is no JSON"


class ObjectScanner:
    """Counts brackets outside of strings; reads each character once.

    COMPLETE: all brackets are closed. Whether the object is valid is left to a parser. A control
    character within a string is BROKEN, so that a missing quote spoils one line, not the rest of an
    answer.
    """

    def __init__(self) -> None:
        self.state = Scan.OPEN
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def scan(self, text: str, at: int) -> int:
        """Continues at `at`. Returns where it stopped: after the object, or at the first bad
        character."""
        while self.state is Scan.OPEN and at < len(text):
            at = self._inside(text, at) if self._in_string else self._outside(text, at)
        return at

    def _inside(self, text: str, at: int) -> int:
        if self._escaped:
            self._escaped = False
            return at + 1
        at = _past(_INSIDE, text, at)
        if at == len(text):
            return at
        if text[at] == '"':
            self._in_string = False
        elif text[at] == "\\":
            self._escaped = True
        else:
            self.state = Scan.BROKEN
            return at
        return at + 1

    def _outside(self, text: str, at: int) -> int:
        at = _past(_OUTSIDE if self._depth else _BEFORE, text, at)
        if at == len(text):
            return at
        mark = text[at]
        if mark == "{" or (mark == "[" and self._depth):
            self._depth += 1
        elif mark == '"' and self._depth:
            self._in_string = True
        elif mark in "}]" and self._depth:
            self._depth -= 1
        else:
            self.state = Scan.BROKEN
            return at
        if not self._depth:
            self.state = Scan.COMPLETE
        return at + 1


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The end of the match of `pattern`, which may be empty, at `at`."""
    match = pattern.match(text, at)
    assert match
    return match.end()
