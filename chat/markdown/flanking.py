"""Emphasis that also works between Chinese, Japanese and Korean characters.

CommonMark decides by spaces and punctuation whether `**` opens or closes, and so leaves the stars
of `**三张表。**其中` standing: there are no spaces. Here a CJK character beside the run counts like
a space on that side, and CJK punctuation is not punctuation (the rule of CommonMark 0.31.2 section
6.2, with that amendment).
"""

import unicodedata

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter


def emphasis(state: StateInline, silent: bool) -> bool:
    """The inline rule: notes a run of `*` or `_` as delimiters, for the pairing that follows."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    length = _run(state.src, state.pos, state.posMax)
    before = state.src[state.pos - 1] if state.pos > 0 else " "
    after = state.src[state.pos + length] if state.pos + length < state.posMax else " "
    opens, closes = _sides(marker, before, after)
    for _ in range(length):
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(
                marker=ord(marker),
                length=length,
                token=len(state.tokens) - 1,
                end=-1,
                open=opens,
                close=closes,
            )
        )
    state.pos += length
    return True


def _run(text: str, start: int, end: int) -> int:
    position = start
    while position < end and text[position] == text[start]:
        position += 1
    return position - start


def _sides(marker: str, before: str, after: str) -> tuple[bool, bool]:
    """Whether the run can open and close emphasis."""
    left = not after.isspace() and (not _punctuation(after) or _breaks(before))
    right = not before.isspace() and (not _punctuation(before) or _breaks(after))
    if marker == "*":
        return left, right
    return left and (not right or _punctuation(before)), right and (not left or _punctuation(after))


def _breaks(character: str) -> bool:
    return character.isspace() or _punctuation(character) or _cjk(character)


def _punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS" and not _cjk(character)


def _cjk(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF" and ord(character) < 0x1F000
