"""The dialect of Markdown that is understood, and the HTML it becomes.

CommonMark with tables, strikethrough, formulas, footnotes, task lists, callouts, citations and bare
links.
HTML is text, images are links (an image would tell its host who reads), headings begin at the third
level because the page has the first two.

The HTML has no words of the interface, which are in the language of the page and not of the worker:
the page's script fills `<code-tools>`, `<table-tools>`, `<callout-name>` and `<remote-image>`
(`static/js/base/prose`).
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from chat.markdown import citations, footnotes, marks
from chat.markdown.bare_links import bare_link
from chat.markdown.budget import RenderBudget
from chat.markdown.flanking import emphasis
from chat.markdown.highlight import highlight
from chat.markdown.images import render_image
from chat.markdown.math import math, math_block, render_math
from chat.markdown.sanitize import sanitize
from chat.markdown.tables import bounded_table
from limits.files import MAX_MARKDOWN_BLOCK, MAX_UNFOLDED_CODE_LINES


def to_html(markdown: str, env: dict[str, Any]) -> str:
    """Sanitised HTML of one or more complete blocks. `env` carries along what a text's
    blocks share: link definitions, what may still be spent on tables and colours, and the sources
    that the text may cite, by number (`citations`).

    Lone surrogates, which no page can carry, become U+FFFD.
    """
    markdown = markdown.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if len(markdown) > MAX_MARKDOWN_BLOCK and not markdown.lstrip().startswith(("```", "~~~")):
        return f'<p class="plain" dir="auto">{escape(markdown.strip())}</p>\n'
    html = sanitize(_PARSER.render(markdown, env))
    return citations.with_addresses(html, env.get("citations") or {})


def _fence(_: object, tokens: Sequence[Token], index: int, __: object, env: Any) -> str:
    token = tokens[index]
    language = token.info.split()[0] if token.info.split() else ""
    budget: RenderBudget = env.setdefault("budget", RenderBudget())
    code = highlight(token.content, language, budget)
    is_long = token.content.count("\n") > MAX_UNFOLDED_CODE_LINES
    return (
        f'<figure class="code{" long" if is_long else ""}"><figcaption>'
        f"<span>{escape(language or 'text')}</span><code-tools></code-tools></figcaption>"
        f'<pre tabindex="0"><code>{code}</code></pre></figure>\n'
    )


def _table_open(renderer: Any, tokens: Sequence[Token], index: int, *_: object) -> str:
    table = f"<table{renderer.renderAttrs(tokens[index])}>"
    return f'<div class="table-block"><div class="table-scroll" tabindex="0">{table}\n'


def _table_close(*_: object) -> str:
    return "</table></div><table-tools></table-tools></div>\n"


def _th_open(renderer: Any, tokens: Sequence[Token], index: int, *_: object) -> str:
    cell = f"<th{renderer.renderAttrs(tokens[index])}>"
    return f'{cell}<button type="button" class="sort">' if tokens[index].meta else cell


def _th_close(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    return "</button></th>" if tokens[index].meta else "</th>"


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
            token.type, state.tokens[index + 2].type = "td_open", "td_close"
            token.tag = state.tokens[index + 2].tag = "td"
        elif token.type == "th_open" and _may_be_button(state.tokens[index + 1]):
            token.meta["sorts"] = state.tokens[index + 2].meta["sorts"] = True
        if token.nesting == 1 and token.level == 0:
            token.attrs["dir"] = "auto"
        if side := str(token.attrs.pop("style", "")).removeprefix("text-align:").strip():
            token.attrs["class"] = f"align-{side}"


def _may_be_button(inline: Token) -> bool:
    """Whether there is nothing to press in it."""
    pressed = ("link_open", "image", "footnote_reference", "citation")
    return not any(child.type in pressed for child in inline.children or ())


def _heading(level: int, levels: list[int]) -> str:
    """The tag of a heading: one below those of a lower level that it stands under."""
    while levels and levels[-1] >= level:
        levels.pop()
    levels.append(level)
    return f"h{min(6, 2 + len(levels))}"


_RULES: dict[str, Callable[..., str]] = {
    "fence": _fence,
    "code_block": _fence,
    "image": render_image,
    "math": render_math,
    "footnote_reference": footnotes.render_reference,
    "footnote_open": footnotes.render_note,
    "citation": citations.render_citation,
    "callout_title": marks.render_title,
    "task_box": marks.render_box,
    "th_open": _th_open,
    "th_close": _th_close,
    "table_open": _table_open,
    "table_close": _table_close,
}


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", math)
    parser.inline.ruler.at("emphasis", emphasis)
    parser.block.ruler.at("table", bounded_table, {"alt": ["paragraph", "reference"]})
    stops = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("table", "math_block", math_block, {"alt": stops})
    parser.block.ruler.before("reference", "note", footnotes.note, {"alt": stops[:2]})
    parser.inline.ruler.before("link", "footnote_reference", footnotes.reference)
    parser.inline.ruler.before("link", "citation", citations.citation)
    parser.inline.ruler.before("linkify", "bare_link", bare_link)
    parser.core.ruler.before("inline", "callouts", marks.callouts)
    parser.core.ruler.before("inline", "task_items", marks.task_items)
    parser.core.ruler.push("adapt", _adapt)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


_PARSER = _parser()
