"""What of a request's texts the product itself added: a reminder, the list of skills.

A message of the input says so (`reminder`, `skills`); on the wire there is only the text, in which
the same words are found again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tracing.page.stages.messages import AnnotatedText, MessageView


def mark(request: Sequence[Any], meant: Iterable[Any]) -> list[Any]:
    """The items of a request, with those words marked that items of the input say of themselves."""
    words = {
        piece.text: piece.product_text
        for item in meant
        if isinstance(item, MessageView)
        for piece in item.annotated
        if piece.product_text
    }
    if not words:
        return list(request)
    return [_marked(item, words) if isinstance(item, MessageView) else item for item in request]


def _marked(entry: MessageView, words: dict[str, str]) -> MessageView:
    whole = entry.annotated or [AnnotatedText(entry.content.text, is_dialect=False)]
    pieces = [piece for one in whole for piece in _cut(one, words)]
    return (
        replace(entry, annotated=pieces) if any(piece.product_text for piece in pieces) else entry
    )


def _cut(piece: AnnotatedText, words: dict[str, str]) -> Iterator[AnnotatedText]:
    """A piece around the words of ours that it has on lines of their own at its end."""
    text = piece.text
    for added, title in words.items():
        at = text.rfind(added)
        if (
            at < 0
            or text[at + len(added) :].strip()
            or text[:at].rstrip(" ")[-1:] not in ("", "\n")
        ):
            continue
        yield from (replace(piece, text=part) for part in (text[:at],) if part)
        yield AnnotatedText(added, is_dialect=False, product_text=title)
        yield from (replace(piece, text=part) for part in (text[at + len(added) :],) if part)
        return
    yield piece
