"""Finds the texts that Roundtrip added to the messages of a request: a reminder, skills, memory …

A message of the input has each under its key (`messages.PRODUCT_KEYS`); the request has only texts,
which are searched for.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tracing.page.stages.messages import AnnotatedText, MessageView


def annotate(request: Sequence[Any], meant: Iterable[Any]) -> list[Any]:
    """The items of a request with Roundtrip's texts annotated, given the items of the input."""
    titles = {
        piece.text: piece.product_text
        for item in meant
        if isinstance(item, MessageView)
        for piece in item.annotated
        if piece.product_text
    }
    if not titles:
        return list(request)
    return [_annotate(item, titles) if isinstance(item, MessageView) else item for item in request]


def _annotate(entry: MessageView, titles: dict[str, str]) -> MessageView:
    whole = entry.annotated or [AnnotatedText(entry.content.text, is_dialect=False)]
    pieces = [piece for one in whole for piece in _cut(one, titles)]
    return (
        replace(entry, annotated=pieces) if any(piece.product_text for piece in pieces) else entry
    )


def _cut(piece: AnnotatedText, titles: dict[str, str]) -> Iterator[AnnotatedText]:
    """The piece, cut at those of the texts `titles` that are on lines of their own at its end."""
    text = piece.text
    for added, title in titles.items():
        at = text.rfind(added)
        if (
            at < 0
            or text[at + len(added) :].strip()
            or text[:at].rstrip(" ")[-1:] not in ("", "\n")
        ):
            continue
        if text[:at]:
            yield from _cut(replace(piece, text=text[:at]), titles)
        yield AnnotatedText(added, is_dialect=False, product_text=title)
        yield from (replace(piece, text=part) for part in (text[at + len(added) :],) if part)
        return
    yield piece
