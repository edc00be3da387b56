"""The program that highlights code; `highlight_pool` starts it, the end of its input ends it.

A line is a JSON message. A request is `{"language", "code", "seconds"}`; its answer is
`{"html", "cpu_s"}`, with `html` null where the language is unknown or `seconds` of CPU time are not
enough. Runs as a file of its own (`python -I`), so it imports nothing of the product.
"""

import json
import signal
import sys
import time
from functools import lru_cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_FORMATTER: "HtmlFormatter[str]" = HtmlFormatter(nowrap=True)


class OutOfTime(BaseException):
    """The CPU time of a request is used up. Pygments makes others of what is an Exception."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this
    signal.signal(signal.SIGVTALRM, _raise_out_of_time)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        started = time.process_time()
        html = _highlighted(request["code"], request["language"], request["seconds"])
        answer = {"html": html, "cpu_s": time.process_time() - started}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _highlighted(code: str, language: str, seconds: float) -> str | None:
    """`re` looks for signals also within a match (`PyErr_CheckSignals` in CPython's `_sre`), so
    that the timer ends a slow pattern too."""
    lexer = _lexer(language)
    if lexer is None:
        return None
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        html = highlight(code, lexer, _FORMATTER)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except OutOfTime:
        return None
    return html


def _raise_out_of_time(*_: object) -> None:
    raise OutOfTime


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


if __name__ == "__main__":
    main()
