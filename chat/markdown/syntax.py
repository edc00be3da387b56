"""The dialect of Markdown that is understood, and the HTML it becomes.

CommonMark with tables and strikethrough. HTML is text, images are links (an image would tell its
host who reads), headings begin at the third level because the page has the first two.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from chat.markdown.flanking import emphasis
from chat.markdown.highlight import HighlightBudget, highlight
from chat.markdown.math import math
from chat.markdown.sanitize import sanitize
from chat.markdown.tables import bounded_table
from limits.files import MAX_MARKDOWN_BLOCK


def to_html(markdown: str, env: dict[str, Any]) -> str:
    """Sanitised HTML of one or more complete blocks. `env` carries along what a text's
    blocks share: link definitions, and what may still be spent on tables and colours.

    Lone surrogates, which no page can carry, become U+FFFD.
    """
    markdown = markdown.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if len(markdown) > MAX_MARKDOWN_BLOCK and not markdown.lstrip().startswith(("```", "~~~")):
        return f'<p class="plain" dir="auto">{escape(markdown.strip())}</p>\n'
    return sanitize(_PARSER.render(markdown, env))


def _fence(_: object, tokens: Sequence[Token], index: int, __: object, env: Any) -> str:
    token = tokens[index]
    language = token.info.split()[0] if token.info.split() else ""
    budget: HighlightBudget = env.setdefault("highlight", HighlightBudget())
    code = highlight(token.content, language, budget)
    return (
        f'<figure class="code"><figcaption><span>{escape(language or "text")}</span>'
        '<button type="button" class="code-copy" data-copy-code>Copy</button></figcaption>'
        f'<pre tabindex="0"><code>{code}</code></pre></figure>\n'
    )


def _image(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    text = renderer.renderInlineAsText(token.children or [], options, env).strip()
    source = str(token.attrs.get("src", ""))
    return f'<a class="image-link" href="{escape(source)}">{escape(text or "image")}</a>'


def _table_open(renderer: Any, tokens: Sequence[Token], index: int, *_: object) -> str:
    table = f"<table{renderer.renderAttrs(tokens[index])}>"
    return f'<div class="table-scroll" tabindex="0">{table}\n'


def _table_close(*_: object) -> str:
    return "</table></div>\n"


def _adapt(state: Any) -> None:
    """Core rule: headings without gaps between their levels, alignment by class, no empty header
    cells, and a text direction for each top-level block (`dir="auto"` looks at no text that has a
    direction of its own, so nothing within has one).
    """
    levels: list[int] = state.env.setdefault("headings", [])
    for index, token in enumerate(state.tokens):
        if token.type == "heading_open":
            token.tag = state.tokens[index + 2].tag = _heading(int(token.tag[1]), levels)
        elif token.type == "th_open" and not state.tokens[index + 1].content:
            token.tag = state.tokens[index + 2].tag = "td"
        if token.nesting == 1 and token.level == 0:
            token.attrs["dir"] = "auto"
        if side := str(token.attrs.pop("style", "")).removeprefix("text-align:").strip():
            token.attrs["class"] = f"align-{side}"


def _heading(level: int, levels: list[int]) -> str:
    """The tag of a heading: one below those of a lower level that it stands under."""
    while levels and levels[-1] >= level:
        levels.pop()
    levels.append(level)
    return f"h{min(6, 2 + len(levels))}"


_RULES: dict[str, Callable[..., str]] = {
    "fence": _fence,
    "code_block": _fence,
    "image": _image,
    "table_open": _table_open,
    "table_close": _table_close,
}


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", math)
    parser.inline.ruler.at("emphasis", emphasis)
    parser.block.ruler.at("table", bounded_table, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.push("adapt", _adapt)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


_PARSER = _parser()
