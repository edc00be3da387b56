"""Code to HTML with Pygments' short class names; colours are in `static/css/prose.css`."""

from functools import lru_cache
from html import escape

from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

# Beyond this, code is shown plain: a lexer may take a second a megabyte.
MOST_HIGHLIGHTED = 100_000

_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True)


def highlight(code: str, language: str) -> str:
    """Escaped HTML of `code`, with spans where the language is known."""
    lexer = _lexer(language.lower())
    if lexer is None or len(code) > MOST_HIGHLIGHTED:
        return escape(code)
    return pygments_highlight(code, lexer, _FORMATTER)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None
