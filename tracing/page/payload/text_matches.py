"""Looking for a text in a body, without having all of it in memory.

Letters of ASCII are the same in either case. What stands escaped in JSON is found as well: a
quotation mark as `\"`, a Chinese character as `\u6570`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from limits.traces import MAX_MATCHES
from tracing.store.ranges import Body


@dataclass(frozen=True)
class Match:
    """From byte `start` up to byte `end`."""

    start: int
    end: int

    def moved(self, by: int) -> "Match":
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True)
class Found:
    """The first matches; `more`: there may be others behind them."""

    matches: list[Match]
    more: bool = False


def find(body: Body, query: str) -> Found:
    """What is found of `query`, in order. Raises PayloadCorrupt."""
    matches = list(islice(_find_all(body, query), MAX_MATCHES + 1))
    return Found(matches[:MAX_MATCHES], more=len(matches) > MAX_MATCHES)


def margin(query: str) -> int:
    """How many bytes beside a piece of a body a match in it may reach."""
    return max((len(form) for form in _forms(query)), default=1) - 1


def find_within(content: bytes, query: str) -> Iterator[Match]:
    """Matches that do not overlap, in order."""
    forms, lower = _forms(query), content.lower()
    at = 0
    following = {form: lower.find(form) for form in forms}
    while candidates := [(place, form) for form, place in following.items() if place >= 0]:
        place, form = min(candidates)
        at = place + len(form)
        yield Match(place, at)
        for other, where in following.items():
            if 0 <= where < at:
                following[other] = lower.find(other, at)


def _find_all(body: Body, query: str) -> Iterator[Match]:
    """Piece by piece: what a piece ends with is looked at again before the next one."""
    beside = margin(query)
    tail, at, done = b"", 0, 0
    for some in body.stream():
        content = tail + some
        for match in find_within(content, query):
            moved = match.moved(at)
            done = moved.end
            yield moved
        tail = content[max(len(content) - beside, done - at, 0) :]
        at += len(content) - len(tail)


def _forms(query: str) -> list[bytes]:
    """How the text may stand in a body, in lower case."""
    written = (query, json.dumps(query, ensure_ascii=False)[1:-1], json.dumps(query)[1:-1])
    forms = [form.encode("utf-8", "replace").lower() for form in written if form]
    return list(dict.fromkeys(forms))
