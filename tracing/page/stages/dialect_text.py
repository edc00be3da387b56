"""Finds the text that the dialect added to the messages of a request.

A dialect that writes tools into the system text, or wraps results, keeps the texts of the input
whole and on lines of their own. All other text of a request is the dialect's.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from limits.trace_pages import MAX_LOCATED_MESSAGES
from tracing.page.stages.messages import AnnotatedText, MessageView


def annotate(request: Sequence[Any], meant: Iterable[Any]) -> list[Any]:
    """The items of a request with the dialect's text annotated, given the items of the input.
    Messages that are folded in the input are not searched for."""
    texts = [item.content.text for item in meant if isinstance(item, MessageView)]
    pool = [text for text in texts if text][:MAX_LOCATED_MESSAGES]
    return [_annotate(item, pool) if isinstance(item, MessageView) else item for item in request]


def _annotate(entry: MessageView, pool: list[str]) -> MessageView:
    text = entry.content.text
    if not text or text in pool:
        return entry
    pieces = list(_pieces(text, pool))
    is_mixed = any(not piece.is_dialect for piece in pieces)
    return replace(entry, annotated=pieces) if is_mixed else entry


def _pieces(text: str, pool: list[str]) -> Iterator[AnnotatedText]:
    """The text, cut at the texts of the input that it contains in their order."""
    at = 0
    for meant in pool:
        start = _find(text, meant, at)
        if start < 0:
            continue
        if at < start:
            yield AnnotatedText(text[at:start], is_dialect=True)
        at = start + len(meant)
        yield AnnotatedText(text[start:at], is_dialect=False)
    if at < len(text):
        yield AnnotatedText(text[at:], is_dialect=True)


def _find(text: str, meant: str, at: int) -> int:
    """The index of `meant` on lines of its own, from `at` on; -1 if there is none."""
    start = text.find(meant, at)
    while start >= 0:
        end = start + len(meant)
        begins_line = start == 0 or text[start - 1] == "\n"
        ends_line = end == len(text) or text[end] == "\n"
        if begins_line and ends_line:
            return start
        start = text.find(meant, start + 1)
    return -1
