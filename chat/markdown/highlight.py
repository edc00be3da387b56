"""Code to HTML with Pygments' short class names; colours are in `static/css/base/prose.css`."""

import logging
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from chat.markdown.highlight_pool import POOL, NoAnswer
from limits.files import MAX_HIGHLIGHTED, MAX_REMEMBERED_MARKDOWN

logger = logging.getLogger(__name__)

# How precisely the timer of a process ends a request.
TIMER_TICK_S = 0.01


@dataclass
class HighlightBudget:
    """Seconds of CPU time that highlighting may still take in one text.

    Each piece of code adds to what there is by its length: an ordinary lexer takes about 10 µs a
    character, one whose time grows with the square of the length runs out, and the rest of the
    text is shown plain.
    """

    seconds: float = 0.5
    seconds_per_character: float = 20e-6

    def highlight(self, code: str, language: str) -> str | None:
        """HTML; None where the language is unknown or the time is up."""
        self.seconds += len(code) * self.seconds_per_character
        if self.seconds < TIMER_TICK_S:
            return None
        try:
            html, cpu_s = POOL.highlight(code, language, self.seconds)
        except NoAnswer as error:
            logger.warning("Code is shown without colours: %s", error)
            return None
        self.seconds -= cpu_s
        return html


def highlight(code: str, language: str, budget: HighlightBudget | None = None) -> str:
    """Escaped HTML of `code`, with spans where the language is known and `budget` lasts (left
    out: the budget of a text with nothing else in it)."""
    html = None
    if code and language and len(code) <= MAX_HIGHLIGHTED:
        if budget is None and len(code) <= MAX_REMEMBERED_MARKDOWN:
            html = _remembered(code, language.lower())
        else:
            html = (budget or HighlightBudget()).highlight(code, language.lower())
    return escape(code) if html is None else html


def _remembered(code: str, language: str) -> str | None:
    try:
        return _alone(code, language)
    except NoAnswer as error:
        logger.warning("Code is shown without colours: %s", error)
        return None


@lru_cache(maxsize=512)
def _alone(code: str, language: str) -> str | None:
    """As `HighlightBudget.highlight` of a text with nothing else in it. Raises `NoAnswer`, which is
    not cached."""
    budget = HighlightBudget()
    seconds = budget.seconds + len(code) * budget.seconds_per_character
    return POOL.highlight(code, language, seconds)[0]
