"""JSON as a tree that folds, every token exactly as it was written.

As in `json_text` nothing is parsed to values: duplicate keys, `1.0` and escapes stay what they are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import ngettext

from limits.trace_pages import MAX_TREE_DEPTH, MAX_TREE_NODES
from tracing.formatting.json_text import TOKEN, worded

# What is deeper, and longer than this, is folded at first.
_OPEN_DEPTH = 2
_OPEN_LENGTH = 300
_PEEK = 60
_OPENING = {"{": "}", "[": "]"}
_TRICKY = re.compile(
    "[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)


class NoTree(ValueError):
    """The text is no JSON, or too large or too deep for a tree."""


@dataclass
class _Node:
    token: str
    start: int
    end: int = 0
    key: str = ""
    children: list["_Node"] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.token in _OPENING


def tree(text: str) -> SafeString | None:
    """HTML: a `<details>` for each object and list; None for what is no JSON or too large."""
    try:
        node = _Reader(text).read()
    except NoTree:
        return None
    if not node.is_open:
        return None
    return mark_safe("".join(_html(node, text, 0)))  # `worded` escapes each token


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = TOKEN.finditer(text)
        self._nodes = 0
        self._found = next(self._tokens, None)

    def read(self) -> _Node:
        node = self._value("", 0)
        if self._found is not None:
            raise NoTree("something follows")
        return node

    def _take(self) -> re.Match[str]:
        match = self._found
        if match is None:
            raise NoTree("cut off")
        self._found = next(self._tokens, None)
        return match

    def _value(self, key: str, depth: int) -> _Node:
        match = self._take()
        self._nodes += 1
        if self._nodes > MAX_TREE_NODES or depth > MAX_TREE_DEPTH or match[0] in "}],:":
            raise NoTree("no value, too many, or too deep")
        node = _Node(match[0], match.start(), match.end(), key)
        if node.is_open:
            self._fill(node, depth + 1)
        return node

    def _fill(self, node: _Node, depth: int) -> None:
        closing = _OPENING[node.token]
        while self._found is not None and self._found[0] != closing:
            if node.children and self._take()[0] != ",":
                raise NoTree("no comma")
            key = ""
            if node.token == "{":
                key = self._take()[0]
                if not key.startswith('"') or self._take()[0] != ":":
                    raise NoTree("no key")
            node.children.append(self._value(key, depth))
        node.end = self._take().end()


def _html(node: _Node, text: str, depth: int) -> Iterator[str]:
    key = f"{worded(_safe(node.key), True, is_key=True)}: " if node.key else ""
    if not node.is_open or not node.children:
        token = node.token + (_OPENING.get(node.token, ""))
        yield f'<div class="json-row" tabindex="-1">{key}{worded(_safe(token), True, False)}</div>'
        return
    is_open = depth < _OPEN_DEPTH or node.end - node.start <= _OPEN_LENGTH
    opened, closing = " open" if is_open else "", _OPENING[node.token]
    yield f'<details class="json-node"{opened}><summary class="json-row" data-open="{node.token}">'
    yield f"{key}{node.token}{_peek(node, text)}</summary>"
    yield '<div class="json-inner">'
    for child in node.children:
        yield from _html(child, text, depth + 1)
    yield f'</div><div class="json-close">{closing}</div></details>'


def _peek(node: _Node, text: str) -> str:
    """What a folded one holds."""
    count = len(node.children)
    if node.token == "{":
        holds = ngettext("%(count)s key", "%(count)s keys", count)
    else:
        holds = ngettext("%(count)s element", "%(count)s elements", count)
    start = escape(_safe(text[node.start + 1 : node.start + _PEEK].partition("\n")[0]))
    return f' <span class="json-peek">{holds % {"count": f"{count:,}"}} · {start}…</span>'


def _safe(token: str) -> str:
    """JSON with the same value, in which nothing hides or misleads."""
    return _TRICKY.sub(lambda match: f"\\u{ord(match[0]):04x}", token)
