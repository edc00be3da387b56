r"""Formulas: `$…$`, `$$…$$`, `\(…\)` and `\[…\]` become MathML, with their TeX in `alttext`.

A child process sets them (`render_pool`), within the time that a text has for it. What it cannot
set, and what takes too long, is shown as its source.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from chat.markdown.budget import RenderBudget
from limits.files import MAX_FORMULA, MAX_FORMULA_DEPTH, MAX_MATHML

CLOSERS = {"$$": "$$", r"\(": r"\)", r"\[": r"\]", "$": "$"}
# Those that may stand on lines of their own.
BLOCK_CLOSERS = {"$$": "$$", r"\[": r"\]"}
_CLOSINGS = {
    closer: re.compile(rf"{re.escape(closer)}[ \t]*$", re.MULTILINE)
    for closer in BLOCK_CLOSERS.values()
}
_BLANK = re.compile(r"\n[ \t]*\n")


def block_closer(line: str) -> str | None:
    """What ends the formula that this line (without space around it) begins, if it is on a later
    line."""
    closer = BLOCK_CLOSERS.get(line[:2])
    return closer if closer and closer not in line[2:] else None


def math(state: StateInline, silent: bool) -> bool:
    """The inline rule: one formula becomes one token, backslashes included."""
    opener = next((mark for mark in CLOSERS if state.src.startswith(mark, state.pos)), None)
    if opener is None:
        return False
    start = state.pos + len(opener)
    end = _end(state.src, opener, start, state.posMax)
    if end is None:
        return False
    if not silent:
        token = state.push("math", "math", 0)
        token.content, token.markup = state.src[start:end], opener
    state.pos = end + len(CLOSERS[opener])
    return True


def _end(text: str, opener: str, start: int, limit: int) -> int | None:
    """Where the closer begins."""
    end = text.find(CLOSERS[opener], start, min(limit, start + MAX_FORMULA))
    if end <= start:
        return None
    return end if opener != "$" or _is_formula(text, start, end) else None


def _is_formula(text: str, start: int, end: int) -> bool:
    """Not money or a variable: no space inside of the dollars (pandoc's rule), no digit or Latin
    letter after them, one line."""
    inner = text[start:end]
    after = text[end + 1 : end + 2]
    is_word = after.isascii() and after.isalnum()
    return not (inner[0].isspace() or inner[-1].isspace() or "\n" in inner or is_word)


def math_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """The block rule: a formula of several lines, none of them blank, whatever they begin with."""
    if state.is_code_block(first):
        return False
    opening = _line(state, first)
    closer = block_closer(opening)
    last = _last_line(state, first, end, closer) if closer else None
    if closer is None or last is None:
        return False
    if silent:
        return True
    lines = state.getLines(first, last + 1, state.sCount[first], False).strip()
    state.line = last + 1
    state.push("paragraph_open", "p", 1).map = [first, last + 1]
    token = state.push("inline", "", 0)
    token.content, token.map = "", [first, last + 1]
    token.children = [Token("math", "math", 0, content=lines[2:-2], markup=opening[:2])]
    state.push("paragraph_close", "p", -1)
    return True


def _last_line(state: StateBlock, first: int, end: int, closer: str) -> int | None:
    """The line that ends the formula. Lines are looked at one by one only if one of them does: else
    many beginnings would cost the square of their number."""
    start = state.eMarks[first]
    closing = _CLOSINGS[closer].search(state.src, start, start + MAX_FORMULA)
    if closing is None or _BLANK.search(state.src, start, closing.start()):
        return None
    # A line that begins left of the list before it ends that list.
    indent = min(state.blkIndent, state.sCount[first])
    for line in range(first + 1, end):
        if state.isEmpty(line) or state.sCount[line] < indent:
            return None
        if state.eMarks[line] >= closing.end():
            return line if _line(state, line).endswith(closer) else None
    return None


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def render_math(_: object, tokens: Sequence[Token], index: int, __: object, env: Any) -> str:
    """The render rule of a formula."""
    token = tokens[index]
    is_block = token.markup in BLOCK_CLOSERS
    budget: RenderBudget = env.setdefault("budget", RenderBudget())
    html = _mathml(token.content, is_block=is_block, budget=budget)
    if html is None:
        source = f"{token.markup}{token.content}{CLOSERS[token.markup]}"
        return f'<span class="tex">{escape(source)}</span>'
    return f'<span class="formula" tabindex="0">{html}</span>' if is_block else html


def _mathml(tex: str, *, is_block: bool, budget: RenderBudget) -> str | None:
    request = {"kind": "formula", "text": tex, "is_block": is_block, "depth": MAX_FORMULA_DEPTH}
    html = budget.render(request)
    if html is None or len(html) > MAX_MATHML:
        return None
    return html.replace("<math", f'<math alttext="{escape(tex.strip())}"', 1)
