r"""Formulas stay as they are: `$…$`, `$$…$$`, `\(…\)` and `\[…\]` are text, no markup within."""

from markdown_it.rules_inline import StateInline

from limits.files import MAX_FORMULA

CLOSERS = {"$$": "$$", r"\(": r"\)", r"\[": r"\]", "$": "$"}


def math(state: StateInline, silent: bool) -> bool:
    """The inline rule: one formula becomes one text token, backslashes included."""
    opener = next((mark for mark in CLOSERS if state.src.startswith(mark, state.pos)), None)
    if opener is None:
        return False
    end = _end(state.src, opener, state.pos + len(opener), state.posMax)
    if end is None:
        return False
    if not silent:
        state.push("text_special", "", 0).content = state.src[state.pos : end]
    state.pos = end
    return True


def _end(text: str, opener: str, start: int, limit: int) -> int | None:
    closer = CLOSERS[opener]
    found = text.find(closer, start, min(limit, start + MAX_FORMULA))
    if found <= start:
        return None
    end = found + len(closer)
    return end if opener != "$" or _is_formula(text, start, found) else None


def _is_formula(text: str, start: int, end: int) -> bool:
    """Not money: no space inside of the dollars, no digit after (pandoc's rule), one line."""
    inner = text[start:end]
    after = text[end + 1 : end + 2]
    return not (inner[0].isspace() or inner[-1].isspace() or "\n" in inner or after.isdigit())
