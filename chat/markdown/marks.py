"""Blocks that a mark at their beginning makes something else: callouts (`> [!NOTE]`) and the items
of a task list (`- [ ]`). Both are core rules between blocks and what is inline.
"""

import re
from collections.abc import Sequence
from html import escape

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_CALLOUT = re.compile(
    r"\[!(note|tip|important|warning|caution)\][ \t]*([^\n]*)(?:\n|$)", re.IGNORECASE
)
_TASK = re.compile(r"\[([ xX])\][ \t]+")


def callouts(state: StateCore) -> None:
    """A quote whose first line names a kind becomes a `div` with a title."""
    tokens: list[Token] = []
    closing: list[str] = []
    for index, token in enumerate(state.tokens):
        tokens.append(token)
        if token.type == "blockquote_open":
            title = _title(state.tokens, index)
            closing.append("div" if title else "blockquote")
            if title:
                token.tag, token.attrs["class"] = "div", f"callout callout-{title.info}"
                tokens.append(title)
        elif token.type == "blockquote_close":
            token.tag = closing.pop()
    state.tokens = tokens


def _title(tokens: Sequence[Token], index: int) -> Token | None:
    """The title of the quote that opens there; it is taken out of the quote's text."""
    if index + 2 >= len(tokens) or tokens[index + 1].type != "paragraph_open":
        return None
    text = tokens[index + 2]
    match = _CALLOUT.match(text.content)
    if match is None:
        return None
    text.content = text.content[match.end() :]
    if not text.content:
        tokens[index + 1].hidden = tokens[index + 3].hidden = True
    return Token("callout_title", "p", 0, info=match[1].lower(), content=match[2].strip())


def render_title(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    """The script names the kind in the page's language; words of the text's own follow."""
    token = tokens[index]
    words = f" {escape(token.content)}" if token.content else ""
    return (
        f'<p class="callout-title"><callout-name class="{token.info}"></callout-name>{words}</p>\n'
    )


def task_items(state: StateCore) -> None:
    """An item that begins with `[ ]` or `[x]` gets a box."""
    tokens: list[Token] = []
    for index, token in enumerate(state.tokens):
        tokens.append(token)
        if token.type != "list_item_open" or index + 2 >= len(state.tokens):
            continue
        text = state.tokens[index + 2]
        match = _TASK.match(text.content) if text.type == "inline" else None
        if match is not None:
            text.content = text.content[match.end() :]
            token.attrs["class"] = "task"
            box = "☐" if match[1] == " " else "☑"
            tokens.append(Token("task_box", "span", 0, content=box, hidden=True))
    state.tokens = tokens


def render_box(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    return f'<span class="task-box">{tokens[index].content}</span> '
