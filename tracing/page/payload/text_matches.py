"""Search for a text in a body without loading the whole body.

ASCII letters match in either case. A text that is escaped in JSON matches as well: a quotation
mark as `\"`, a Chinese character as `\u6570`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from limits.traces import MAX_MATCHES
from tracing.store.ranges import Body


@dataclass(frozen=True)
class Match:
    """Bytes of the body from `start` to `end` (exclusive)."""

    start: int
    end: int

    def moved(self, by: int) -> "Match":
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True)
class Matches:
    """The first matches in order; `more`: there may be others."""

    matches: list[Match]
    more: bool = False


def find(body: Body, query: str) -> Matches:
    """Matches of `query`, at most MAX_MATCHES. Raises PayloadCorrupt."""
    matches = list(islice(_find_all(body, query), MAX_MATCHES + 1))
    return Matches(matches[:MAX_MATCHES], more=len(matches) > MAX_MATCHES)


def margin(query: str) -> int:
    """Bytes by which a match can extend beyond a slice of the body."""
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
    """Searches chunk by chunk; the end of each is searched again with the next one."""
    overlap = margin(query)
    tail, at, done = b"", 0, 0
    for chunk in body.stream():
        content = tail + chunk
        for match in find_within(content, query):
            moved = match.moved(at)
            done = moved.end
            yield moved
        tail = content[max(len(content) - overlap, done - at, 0) :]
        at += len(content) - len(tail)


def _forms(query: str) -> list[bytes]:
    """The encodings of the text that a body may contain, in lower case."""
    written = (query, json.dumps(query, ensure_ascii=False)[1:-1], json.dumps(query)[1:-1])
    forms = [form.encode("utf-8", "replace").lower() for form in written if form]
    return list(dict.fromkeys(forms))
