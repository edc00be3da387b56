"""JSON for the eye: indented and coloured, every token exactly as it was written.

The text is not parsed: duplicate keys, `1.0`, escapes and even cut-off JSON stay what they are.
"""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from limits.trace_pages import MAX_COLOURED_JSON, MAX_ESCAPES, MAX_INDENT, MAX_INDENTED
from tracing.formatting.binaries import MARK

# Stands in a list for elements that are left out, with their number. Bare, so that no JSON has it.
FOLD = "⋯"

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_key = re.compile(r"\s*:")
_ESCAPE = re.compile(r'\\(["\\/nrt])')
_SPACES = {"n": "<br>", "r": "", "t": '<i class="json-tab"></i>'}
_OPENING, _CLOSING = {"{": "}", "[": "]"}, {"}", "]"}


def indented(value: Any) -> str:
    """JSON with a line for each value; on one line where indenting it would make more than
    `MAX_INDENTED` characters: a value of 8 MB that goes deep would become gigabytes."""
    pieces, length = [], 0
    for piece in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(value):
        length += len(piece)
        if length > MAX_INDENTED:
            return json.dumps(value, ensure_ascii=False)
        pieces.append(piece)
    return "".join(pieces)


def is_json(text: str) -> bool:
    """Whether this is a JSON object or list (and not, say, a Python one)."""
    if text.lstrip()[:1] not in _OPENING:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def pretty(text: str) -> SafeString:
    """HTML: escaped tokens, the telling ones in `<span class="…">`."""
    coloured = len(text) <= MAX_COLOURED_JSON
    return mark_safe("".join(_lines(text, coloured)))  # `worded` escapes each token


def with_lines(text: str, is_cut: bool = False) -> SafeString | str:
    """JSON as it was written, with line breaks where strings in it have them; any other text is
    left alone. What `is_cut` off is no JSON any more."""
    if "\\n" not in text or not (is_json(text) or _is_string(text) or (is_cut and _opens(text))):
        return text
    pieces, at = [], 0
    for match in TOKEN.finditer(text):
        token = match[0]
        pieces.append(escape(text[at : match.start()]))
        pieces.append(_broken(token) if _has_lines(token) else escape(token))
        at = match.end()
    return mark_safe("".join([*pieces, escape(text[at:])]))  # every piece is escaped


def _opens(text: str) -> bool:
    return text.lstrip()[:1] in {*_OPENING, '"'}


def _is_string(text: str) -> bool:
    try:
        return text.startswith('"') and isinstance(json.loads(text), str)
    except ValueError:
        return False


def _has_lines(token: str) -> bool:
    if not token.startswith('"') or "\\n" not in token:
        return False
    escapes = _ESCAPE.findall(token)
    return "n" in escapes and len(escapes) <= MAX_ESCAPES


def _broken(token: str) -> str:
    """The string as the text that it is, to the eye; what a script copies is the token."""
    pieces, at = [], 0
    for match in _ESCAPE.finditer(token):
        pieces += [escape(token[at : match.start()]), _unescaped(match[1])]
        at = match.end()
    return f'<span class="json-lines">{"".join(pieces)}{escape(token[at:])}</span>'


def _unescaped(name: str) -> str:
    if name in _SPACES:
        return f'<i class="json-escape">\\{name}</i>{_SPACES[name]}'
    return f'<i class="json-escape">\\</i>{escape(name)}'


def _lines(text: str, coloured: bool) -> Iterator[str]:
    depth = 0
    before = ""
    for match in TOKEN.finditer(text):
        token = match[0]
        if token in _CLOSING and _OPENING.get(before) != token:
            depth = max(0, depth - 1)
            yield _newline(depth)
        elif before in _OPENING and token not in _CLOSING:
            depth += 1
            yield _newline(depth)
        elif before == ",":
            yield _newline(depth)
        yield worded(token, coloured, is_key=bool(_key.match(text, match.end())))
        before = token


def _newline(depth: int) -> str:
    return "\n" + "  " * min(depth, MAX_INDENT)


def worded(token: str, coloured: bool, is_key: bool) -> str:
    if token == ":":
        return ": "
    if token in "{}[],":
        return token
    if token.startswith(FOLD):
        return f'<span class="json-fold">{FOLD} {escape(token[1:])} unchanged</span>'
    if token.startswith(f'"{MARK}'):
        return f'<span class="json-fold">{escape(token.strip(chr(34)))}</span>'
    if not coloured:
        return escape(token)
    kind = "string" if token.startswith('"') else "number"
    inner = _broken(token) if not is_key and _has_lines(token) else escape(token)
    return f'<span class="json-{"key" if is_key else kind}">{inner}</span>'
