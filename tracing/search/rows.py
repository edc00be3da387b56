"""Payloads and blobs of traces that are indexed together."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span
from tracing.store import payloads


class Head(NamedTuple):
    """A payload without its content. `span` has its trace."""

    pk: int
    span: Span
    stage: str
    size: int
    attributes: object


class Rows:
    """Keeps what is loaded for all traces; what is more is read when it is asked for."""

    def __init__(self) -> None:
        self._payloads: dict[int, Payload] = {}
        self._blobs: defaultdict[int, dict[int, bytes]] = defaultdict(dict)

    def load(self, heads: Iterable[Head]) -> None:
        """Reads payloads with their manifests, in one query."""
        self._payloads |= _read(heads)

    def load_blobs(self, ordinals: Mapping[int, Iterable[int]]) -> None:
        """Reads blobs by archive, in one query; none if one of them is damaged."""
        try:
            blobs = payloads.load_blobs_of(ordinals)
        except PayloadCorrupt:
            return
        for archive_id, contents in blobs.items():
            self._blobs[archive_id] |= contents

    def payloads(self, heads: Sequence[Head]) -> list[Payload]:
        """The rows of these payloads; one query for those that are not loaded."""
        more = _read(head for head in heads if head.pk not in self._payloads)
        return [more.get(head.pk) or self._payloads[head.pk] for head in heads]

    def blobs(self, archive_id: int, ordinals: Iterable[int]) -> dict[int, bytes]:
        """The contents of blobs by ordinal, and others; one query for those that are not loaded.
        Raises PayloadCorrupt."""
        loaded = self._blobs[archive_id]
        missing = set(ordinals) - loaded.keys()
        return loaded | payloads.load_blobs(archive_id, missing) if missing else loaded

    def bodies(self, rows: Iterable[Payload]) -> dict[int, bytes]:
        """The bytes of those payloads whose blobs are loaded, by primary key."""
        bodies = {}
        for row in rows:
            try:
                bodies[row.pk] = payloads.join(row, self._blobs[row.span.trace.archive_id])
            except PayloadCorrupt:
                continue
        return bodies


def _read(heads: Iterable[Head]) -> dict[int, Payload]:
    spans = {head.pk: head.span for head in heads}
    if not spans:
        return {}
    rows = Payload.objects.defer("chunks", "attributes").in_bulk(list(spans))
    for pk, row in rows.items():
        row.span = spans[pk]
    return rows
