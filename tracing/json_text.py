"""JSON for the eye: indented and coloured, every token exactly as it was written.

The text is not parsed: duplicate keys, `1.0`, escapes and even cut-off JSON stay what they are.
"""

import json
import re
from collections.abc import Iterator
from html import escape

from django.utils.safestring import SafeString, mark_safe

from tracing.binaries import MARK

# Stands in a list for elements that are left out, with their number. Bare, so that no JSON has it.
FOLD = "⋯"
# Markup is several times the text: what is long goes without colours.
_MOST_COLOURED = 60_000

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_key = re.compile(r"\s*:")
_OPENING, _CLOSING = {"{": "}", "[": "]"}, {"}", "]"}
_DEEPEST = 40


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
    coloured = len(text) <= _MOST_COLOURED
    return mark_safe("".join(_lines(text, coloured)))  # `worded` escapes each token


def _lines(text: str, coloured: bool) -> Iterator[str]:
    depth = 0
    before = ""
    for found in TOKEN.finditer(text):
        token = found[0]
        if token in _CLOSING and _OPENING.get(before) != token:
            depth = max(0, depth - 1)
            yield _newline(depth)
        elif before in _OPENING and token not in _CLOSING:
            depth += 1
            yield _newline(depth)
        elif before == ",":
            yield _newline(depth)
        yield worded(token, coloured, is_key=bool(_key.match(text, found.end())))
        before = token


def _newline(depth: int) -> str:
    return "\n" + "  " * min(depth, _DEEPEST)


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
    return f'<span class="json-{"key" if is_key else kind}">{escape(token)}</span>'
