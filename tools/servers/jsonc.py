"""JSON as people paste it: with comments, trailing commas, without its outer braces, in Markdown.

    text ─ fenced ─► ─ comments and odd spaces blanked ─► ─ braces, commas ─► json.loads

Each step replaces characters by spaces and moves none, so that a line and a column in a fault are
those of what was pasted. A fault never repeats the text, which may hold a secret.
"""

import json
import re
from collections import Counter
from typing import Any

from django.utils.translation import gettext

from tools.errors import ToolsError

# Also matches a string that does not end: retrying from each character takes minutes.
STRING = r'"(?:\\[^\n]|[^"\\\n])*"?'
ENDLESS_COMMENT = r"/\*.*"
LINE_COMMENT = r"//[^\n]*"
BLOCK_COMMENT = r"/\*.*?\*/"
ODD_SPACE = r"[\u00a0\u2007\u202f\u200b\ufeff]"
OUTSIDE = re.compile(
    f"{BLOCK_COMMENT}|{LINE_COMMENT}|{ODD_SPACE}|({STRING}|{ENDLESS_COMMENT})", re.DOTALL
)
TRAILING_COMMA = re.compile(rf"({STRING})|,(?=\s*[}}\]])")
FENCE = re.compile(r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*\r?$|\Z)", re.M | re.S)
OBJECT_LIKE = re.compile(r'[{\[]|^[ \t]*"', re.MULTILINE)
TYPOGRAPHIC = "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"


class NotJson(ToolsError):
    """The text cannot be read; the message says why, and the line and column where known."""


def loads(text: str) -> Any:
    """The value of the JSON in `text`. Raises `NotJson`, also for a name that is there twice."""
    plain = OUTSIDE.sub(_blank, _fenced(text))
    if not plain.strip():
        raise NotJson(gettext("There is nothing to read. Paste the JSON of one or more servers."))
    opening = "{" if plain.lstrip()[0] in '",' else ""  # a part of an object, without its braces
    if opening:
        plain = re.sub(r"\A(\s*),", r"\1 ", plain)
    complete = TRAILING_COMMA.sub(_blank, opening + plain + ("}" if opening else ""))
    try:
        return json.loads(complete, object_pairs_hook=lambda pairs: _once(pairs, plain))
    except json.JSONDecodeError as error:
        raise NotJson(_fault(plain, min(error.pos - len(opening), len(plain)), error.msg)) from None
    except RecursionError:
        raise NotJson(gettext("It is nested too deeply.")) from None


def _blank(match: re.Match[str]) -> str:
    """A string unchanged; anything else as spaces, with its line breaks."""
    return match[0] if match[1] else re.sub(r"[^\n]", " ", match[0])


def _fenced(text: str) -> str:
    """The text between Markdown's code fences; without fences the whole text."""
    blocks = [match for match in FENCE.finditer(text) if OBJECT_LIKE.search(match[2])]
    if not blocks:
        return text
    if len(blocks) > 1:
        raise NotJson(
            gettext("These are %(count)s code blocks. Paste one at a time.")
            % {"count": len(blocks)}
        )
    start, end = blocks[0].span(2)
    return re.sub(r"[^\n]", " ", text[:start]) + text[start:end]


def _once(pairs: list[tuple[str, Any]], plain: str) -> dict[str, Any]:
    """An object from its members. Raises `NotJson` for a repeated name: it would lose a value."""
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        places = [match.start() for match in re.finditer(rf'"{re.escape(twice)}"\s*:', plain)]
        where = f"{_place(plain, places[1])}: " if len(places) == 2 else ""
        raise NotJson(
            gettext("%(where)s%(twice)s is there twice within the same braces.")
            % {"where": where, "twice": repr(twice[:80])}
        )
    return members


def _fault(plain: str, at: int, message: str) -> str:
    rest, where = plain[at:].lstrip(), _place(plain, at)
    if not rest:
        return gettext("%(where)s: it ends before every brace, bracket and quote is closed.") % {
            "where": where
        }
    if rest.startswith("/*"):
        return gettext("%(where)s: this comment does not end.") % {"where": where}
    if rest.startswith("#"):
        return gettext("%(where)s: JSON has no comments with #. Remove it.") % {"where": where}
    if rest[0] in TYPOGRAPHIC:
        return gettext(
            "%(where)s: this is a typographic quote. JSON needs straight double quotes."
        ) % {"where": where}
    if rest[0] == "'" or message.startswith("Expecting property name"):
        return gettext("%(where)s: texts and names need double quotes.") % {"where": where}
    if message.startswith(("Unterminated string", "Invalid control character")):
        return gettext("%(where)s: a text is not closed by a quote in its own line.") % {
            "where": where
        }
    if message.startswith("Invalid \\"):
        return f"{where}: JSON wants a backslash doubled, as in C:\\\\Users."
    if message.startswith("Expecting ',' delimiter"):
        return gettext("%(where)s: a comma or a closing bracket is missing before this.") % {
            "where": where
        }
    if message.startswith("Extra data"):
        return gettext("%(where)s: the JSON is over before this. Remove what follows.") % {
            "where": where
        }
    return gettext("%(where)s: this is not JSON (%(message)s).") % {
        "where": where,
        "message": message,
    }


def _place(plain: str, at: int) -> str:
    line = plain.count("\n", 0, at) + 1
    return gettext("Line %(line)s, column %(at)s") % {
        "line": line,
        "at": at - plain.rfind(chr(10), 0, at),
    }
