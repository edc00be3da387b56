"""Code to HTML with Pygments' short class names; colours are in `static/css/base/prose.css`."""

import logging
from functools import lru_cache
from html import escape

from chat.markdown.budget import RenderBudget
from chat.markdown.render_pool import POOL, NoAnswer
from limits.files import MAX_HIGHLIGHTED, MAX_REMEMBERED_MARKDOWN

logger = logging.getLogger(__name__)


def highlight(code: str, language: str, budget: RenderBudget | None = None) -> str:
    """Escaped HTML of `code`, with spans where the language is known and `budget` lasts (left
    out: the budget of a text with nothing else in it)."""
    html = None
    if code and language and len(code) <= MAX_HIGHLIGHTED:
        if budget is None and len(code) <= MAX_REMEMBERED_MARKDOWN:
            html = _remembered(code, language.lower())
        else:
            html = (budget or RenderBudget()).render(_request(code, language.lower()))
    return escape(code) if html is None else html


def _request(code: str, language: str) -> dict[str, str]:
    return {"kind": "code", "language": language, "text": code}


def _remembered(code: str, language: str) -> str | None:
    try:
        return _alone(code, language)
    except NoAnswer as error:
        logger.warning("Code is shown without colours: %s", error)
        return None


@lru_cache(maxsize=512)
def _alone(code: str, language: str) -> str | None:
    """Within the budget of a text with nothing else in it. Raises `NoAnswer`, which is not
    cached."""
    budget = RenderBudget()
    seconds = budget.seconds + len(code) * budget.seconds_per_character
    return POOL.render(_request(code, language), seconds)[0]
