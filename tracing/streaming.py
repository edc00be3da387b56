"""Responses whose body is made while it is sent.

The pieces come from an ordinary generator, which may ask the database: only the step to its next
piece leaves the event loop. What fails before `FIRST_CHARACTERS` are made is an error 500 like that
of any page. What fails later breaks the connection off before the end of the body, so that no
client takes a part for the whole, and is logged.
"""

import logging
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

logger = logging.getLogger(__name__)

FIRST_CHARACTERS = 64 * 1024

_Piece = TypeVar("_Piece", str, bytes)


def respond(
    pieces: Iterator[_Piece],
    content_type: str = "application/json",
    headers: dict[str, str] | None = None,
) -> StreamingHttpResponse:
    """To be called outside of the event loop: it makes the beginning."""
    first: list[_Piece] = []
    size = 0
    for piece in pieces:
        first.append(piece)
        size += len(piece)
        if size >= FIRST_CHARACTERS:
            break
    return StreamingHttpResponse(_sent(first, pieces), content_type=content_type, headers=headers)


async def _sent(first: list[_Piece], rest: Iterator[_Piece]) -> AsyncIterator[_Piece]:
    for piece in first:
        yield piece
    first.clear()
    try:
        while (following := await sync_to_async(_next)(rest)) is not None:
            yield following
    except Exception:
        logger.exception("A response broke off while it was sent")
        raise


def _next(pieces: Iterator[_Piece]) -> _Piece | None:
    return next(pieces, None)
