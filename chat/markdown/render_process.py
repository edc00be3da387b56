"""The program that highlights code and sets formulas; `render_pool` starts it, the end of its input
ends it.

A line is a JSON message. A request is `{"kind": "code", "language", "text", "seconds"}` or
`{"kind": "formula", "text", "is_block", "depth", "seconds"}`; its answer is `{"html", "cpu_s"}`,
with `html` null where the language is unknown, the text is no formula, or `seconds` of CPU time are
not enough. Runs as a file of its own (`python -I`), so it imports nothing of the product.
"""

import json
import re
import signal
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from math_core import LatexError, LatexToMathML
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_FORMATTER: "HtmlFormatter[str]" = HtmlFormatter(nowrap=True)
_MATH = LatexToMathML(
    fancy_error=False,
    max_expansions=100,
    # Those that models write and the library lacks.
    macros={"substack": r"\begin{matrix}#1\end{matrix}", "ce": r"\mathrm{#1}"},
)
_TAG = re.compile(r"<(/?)[a-z][^>]*?(/?)>")
_STYLE = re.compile(r'style="([^"]*)"')
_COLOR = re.compile(r"(?<!-)color:\s*(#[0-9A-Fa-f]{6})")
_DECLARATIONS = {
    "text-align: right": "math-right",
    "text-align: left": "math-left",
    "padding-right: 0": "math-end-0",
    "padding-left: 0": "math-start-0",
    "padding-left:1em": "math-start-1",
    "border-right:": "math-line-right",
    "border-left:": "math-line-left",
    "border-top:": "math-line-top",
    "border-bottom:": "math-line-bottom",
    "width: 50%": "math-half",
    "width: 100%": "math-wide",
    "margin-left:-": "math-prime",
}


class OutOfTime(BaseException):
    """The CPU time of a request is used up. Pygments makes others of what is an Exception."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this
    signal.signal(signal.SIGVTALRM, _raise_out_of_time)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        started = time.process_time()
        html = _rendered(request)
        answer = {"html": html, "cpu_s": time.process_time() - started}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _rendered(request: dict[str, Any]) -> str | None:
    """`re` looks for signals also within a match (`PyErr_CheckSignals` in CPython's `_sre`), so
    that the timer ends a slow pattern too."""
    render = _KINDS[request["kind"]]
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, request["seconds"])
        html = render(request)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except OutOfTime:
        return None
    return html


def _raise_out_of_time(*_: object) -> None:
    raise OutOfTime


def _code(request: dict[str, Any]) -> str | None:
    lexer = _lexer(request["language"])
    return highlight(request["text"], lexer, _FORMATTER) if lexer else None


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _formula(request: dict[str, Any]) -> str | None:
    """MathML Core. A formula whose elements nest deeper than `depth` is none."""
    tex = _numbered(request["text"])
    try:
        html = _MATH.convert_with_local_state(tex, displaystyle=request["is_block"])
    except LatexError:
        return None
    return None if _depth(html) > request["depth"] else _STYLE.sub(_classes, html)


def _numbered(tex: str) -> str:
    """A number of the author's own stands in an environment only."""
    is_alone = "\\tag" in tex and "\\begin" not in tex
    return f"\\begin{{equation}}{tex}\\end{{equation}}" if is_alone else tex


def _depth(html: str) -> int:
    depth = deepest = 0
    for closing, empty in _TAG.findall(html):
        depth += -1 if closing else 0 if empty else 1
        deepest = max(deepest, depth)
    return deepest


def _classes(style: "re.Match[str]") -> str:
    """Classes of `prose.css` for the declarations of a style: the page takes no styles."""
    if color := _COLOR.search(style[1]):
        return f'mathcolor="{color[1]}"'
    names = [name for start, name in _DECLARATIONS.items() if start in style[1]]
    return f'class="{" ".join(names)}"' if names else ""


_KINDS: dict[str, Callable[[dict[str, Any]], str | None]] = {"code": _code, "formula": _formula}

if __name__ == "__main__":
    main()
