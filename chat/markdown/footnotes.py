"""Footnotes: `[^1]` in a text, `[^1]: …` on a line of its own, one paragraph each.

A block is shown before the text is complete, so a reference does not wait for its note and shows
its label. The page's script leads from one to the other.
"""

import re
from collections.abc import Sequence
from html import escape

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# A number, or a word: `[^a-z]` is no footnote.
_LABEL = r"(\d{1,4}|[^\W\d_]\w{1,31})"
_REFERENCE = re.compile(rf"\[\^{_LABEL}\](?!:)")
_NOTE = re.compile(rf"\[\^{_LABEL}\]:[ \t]*")


def reference(state: StateInline, silent: bool) -> bool:
    """The inline rule."""
    if state.src[state.pos] != "[":
        return False
    match = _REFERENCE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("footnote_reference", "sup", 0).content = match[1]
    state.pos = match.end()
    return True


def note(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """The block rule: a note goes on as a paragraph does, and ends another."""
    start = state.bMarks[first] + state.tShift[first]
    match = None if state.is_code_block(first) else _NOTE.match(state.src, start)
    if match is None or match.end() > state.eMarks[first]:
        return False
    if silent:
        return True
    last = _last_line(state, first, end)
    text = state.getLines(first, last, state.blkIndent, False).strip()
    state.line = last
    opening = state.push("footnote_open", "div", 1)
    opening.content, opening.map = match[1], [first, last]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = (
        text[len(match[0].rstrip()) :].strip(),
        [first, last],
        [],
    )
    state.push("footnote_close", "div", -1)
    return True


def _last_line(state: StateBlock, first: int, end: int) -> int:
    """The line after the note."""
    parent, state.parentType = state.parentType, "paragraph"
    rules = state.md.block.ruler.getRules("paragraph")
    line = first + 1
    while line < end and not state.isEmpty(line):
        is_plain = state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0
        if not is_plain and any(rule(state, line, end, True) for rule in rules):
            break
        line += 1
    state.parentType = parent
    return line


def render_reference(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    label = escape(tokens[index].content)
    attributes = f'type="button" class="footnote-ref" data-footnote="{label}"'
    return f"<sup><button {attributes}>{label}</button></sup>"


def render_note(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    label = escape(tokens[index].content)
    return f'<div class="footnote" dir="auto" tabindex="-1" data-note="{label}"><sup>{label}</sup> '
