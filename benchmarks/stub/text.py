"""The texts of the stub's tokens.

A timed token is `index:microseconds.`, ASCII, led by a space, or by a blank line once in
PARAGRAPH tokens, so that a stream reads as prose in paragraphs. The time is that of its
rendering, just before it is written, on CLOCK_MONOTONIC, which all processes of a machine share.
"""

import itertools
import random
import re
import time
from collections.abc import Iterator

PARAGRAPH = 40
TIMED_TOKEN = re.compile(r"(\d+):(\d+)\.")

PIECES = (
    *("a", "the", " word", " answer", "tion", " 42", " 3.14", ", ", ". ", " ", "  ", "\n", "\n\n"),
    *("数据库", "有几张表", "韩梅梅", ",", "。", "記録", "ありがとう", " é", " e\u0301", " ñandú"),
    *(
        "🙂",
        "👩‍👩‍👧‍👦",
        "🇨🇳",
        "👍🏽",
        "\U0001d4b3",
        "\u200b",
        "\u2028",
        "\u00a0",
        "\u202eabc\u202c",
    ),
    *("# Title\n", "- item\n", "**bold**", "`code`", "\n```python\nprint(1)\n```\n", "| a | b |\n"),
    *("[link](https://example.org/)", "\n> quote\n", "\n1. one\n", "$x^2$", "![i](x.png)"),
    *('"', "\\", '\\"', "\\n", "\\u0041", "\t", '{"a": [1, "b"]}', "</script>", "<b>", "&amp;"),
    *("data: ", "[DONE]", "<tool_calls>", "<thin", "a < b", "\r\n", "\x7f", "\u202eabc\u202c"),
)


def now_us() -> int:
    """Microseconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns() // 1000


def timed_tokens(count: int | None) -> Iterator[str]:
    """`count` timed tokens (None: without end), each stamped when it is taken."""
    numbers = itertools.count() if count is None else range(count)
    for index in numbers:
        yield f"{_lead(index)}{index}:{now_us()}."


def _lead(index: int) -> str:
    if index % PARAGRAPH:
        return " "
    return "\n\n" if index else ""


def seeded_tokens(seed: int, count: int | None) -> Iterator[str]:
    """`count` pieces of text that are the same for the same seed, none of them empty."""
    chance = random.Random(seed)
    numbers = itertools.count() if count is None else range(count)
    for _ in numbers:
        yield "".join(chance.choices(PIECES, k=chance.choice((1, 1, 1, 2, 3, 12))))
