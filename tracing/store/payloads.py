"""The payload store: exact bytes, kept once.

A body is cut at its elements (`elements`), each distinct one is a blob of the archive, and a
manifest says how they make up the body (`manifests`). So an archive grows with what is new, and
two payloads have the same message exactly where their manifests have the same ordinal.

Writers of one archive take turns: its row is locked from the store to the end of the transaction
(SQLite has the one write lock anyway). Lock what else the transaction changes before that.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import cycle, islice
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

from django.db import transaction

from limits.traces import MAX_QUERY_VALUES
from tracing.errors import PayloadCorrupt
from tracing.models import Archive, Blob, Payload, Span
from tracing.store import chunks, compression, manifests
from tracing.store.elements import Cut, cut
from tracing.store.manifests import Manifest

# So many pieces have most of what is stored at once.
_FEW = 16
# Values in one IN (…): under every database's limit, and few enough to be planned quickly.


class Details(TypedDict, total=False):
    """What may be noted beside the bytes.

    `chunks`: milliseconds since the request was sent, and length, of each arrival. `attributes`:
    of the payload, such as method, URL and headers. `redacted`: a secret was replaced in the bytes,
    and `sha256_sent` is the hash of what was on the wire.
    """

    chunks: Sequence[chunks.Chunk]
    attributes: dict[str, Any]
    redacted: bool
    sha256_sent: bytes | None


Record = tuple[Span, str, bytes, Details]
_Value = TypeVar("_Value")


class _Draft(NamedTuple):
    record: Record
    cut: Cut
    hashes: list[bytes]


def store(span: Span, stage: str, body: bytes, **details: Unpack[Details]) -> Payload:
    """Keeps the content of one stage of a span; storing again replaces it."""
    return store_all(span.trace.archive, [(span, stage, body, details)])[0]


def store_all(archive: Archive, records: Sequence[Record]) -> list[Payload]:
    """Keeps several payloads of one archive, in five queries, inside the caller's transaction."""
    drafts = [_draft(record) for record in records]
    with transaction.atomic(savepoint=False):
        ordinals = _store_pieces(archive, drafts)
        rows = [_payload(draft, ordinals) for draft in drafts]
        Payload.objects.insert_all(rows, unique=("span", "stage"))
        return rows


def load(payload: Payload) -> bytes:
    """The recorded bytes. Raises PayloadCorrupt if what is stored does not give them."""
    return load_all([payload])[0]


def load_all(payloads: Sequence[Payload]) -> list[bytes]:
    """The recorded bytes of each, in order; one query for the blobs of each archive.

    Give them with `select_related("span__trace")`, or that is one query for each.
    """
    tables = [read_manifest(payload) for payload in payloads]
    wanted: defaultdict[int, set[int]] = defaultdict(set)
    for payload, table in zip(payloads, tables, strict=True):
        wanted[payload.span.trace.archive_id].update(table.ordinals)
    blobs = {
        archive_id: load_blobs(archive_id, ordinals) for archive_id, ordinals in wanted.items()
    }
    return [
        _assemble(payload, table, blobs[payload.span.trace.archive_id])
        for payload, table in zip(payloads, tables, strict=True)
    ]


def read_json(payload: Payload) -> Any:
    """The payload's JSON value. Raises ValueError if it is none, and PayloadCorrupt."""
    return json.loads(load(payload))


def read_chunks(payload: Payload) -> list[chunks.Chunk]:
    """Milliseconds since the request was sent, and length, of each arrival."""
    try:
        return chunks.decode(bytes(payload.chunks))
    except ValueError as error:
        raise PayloadCorrupt(str(error), payload.span_id, payload.stage) from error


def read_manifest(payload: Payload) -> Manifest:
    """Which blobs make up the payload. Raises PayloadCorrupt."""
    try:
        return manifests.decode(bytes(payload.manifest))
    except ValueError as error:
        raise PayloadCorrupt(str(error), payload.span_id, payload.stage) from error


def load_blobs(archive_id: int, ordinals: Iterable[int]) -> dict[int, bytes]:
    """The contents at these ordinals, as far as there are any. Raises PayloadCorrupt."""
    blobs: dict[int, bytes] = {}
    for some in _slices(sorted(set(ordinals))):
        rows = Blob.objects.filter(archive_id=archive_id, ordinal__in=some)
        for ordinal, digest, packed in rows.values_list("ordinal", "sha256", "compressed"):
            blobs[ordinal] = _unpack(bytes(packed), bytes(digest))
    return blobs


def blob_sizes(archive_id: int, ordinals: Iterable[int]) -> dict[int, int]:
    """How many bytes there are at these ordinals, as far as there are any."""
    sizes: dict[int, int] = {}
    for some in _slices(sorted(set(ordinals))):
        rows = Blob.objects.filter(archive_id=archive_id, ordinal__in=some)
        sizes.update(rows.values_list("ordinal", "size"))
    return sizes


def _draft(record: Record) -> _Draft:
    parts = cut(record[2])
    return _Draft(record, parts, [sha256(piece.content).digest() for piece in parts.pieces])


def _store_pieces(archive: Archive, drafts: list[_Draft]) -> dict[bytes, int]:
    """Makes blobs of the pieces that the archive does not have; the ordinals of all, by hash."""
    pieces = {
        digest: piece.content
        for draft in drafts
        for digest, piece in zip(draft.hashes, draft.cut.pieces, strict=True)
    }
    count = Archive.objects.lock(archive.pk)
    ordinals = _known(archive, list(pieces))
    new = [digest for digest in pieces if digest not in ordinals]
    if new:
        ordinals.update({digest: count + place for place, digest in enumerate(new)})
        Blob.objects.insert_all(
            [_blob(archive, ordinals[digest], digest, pieces[digest]) for digest in new]
        )
        Archive.objects.count_blobs(archive.pk, count + len(new))
    return ordinals


def _known(archive: Archive, digests: Sequence[bytes]) -> dict[bytes, int]:
    if 0 < len(digests) <= _FEW:
        repeated = islice(cycle(digests), _FEW)
        given = {f"digest_{place}": digest for place, digest in enumerate(repeated)}
        few = Blob.objects.ordinals(archive.pk, **given)
        return {bytes(digest): ordinal for digest, ordinal in few}
    blobs = (
        Blob.objects.filter(archive_id=archive.pk, sha256__in=some).values_list("sha256", "ordinal")
        for some in _slices(digests)
    )
    return {bytes(digest): ordinal for rows in blobs for digest, ordinal in rows}


def _blob(archive: Archive, ordinal: int, digest: bytes, content: bytes) -> Blob:
    return Blob(
        archive_id=archive.pk,
        ordinal=ordinal,
        sha256=digest,
        size=len(content),
        compressed=compression.pack(content),
    )


def _payload(draft: _Draft, ordinals: dict[bytes, int]) -> Payload:
    span, stage, body, details = draft.record
    manifest = Manifest(
        gaps=draft.cut.gaps,
        ordinals=[ordinals[digest] for digest in draft.hashes],
        sections=[piece.section for piece in draft.cut.pieces],
    )
    return Payload(
        span=span,
        stage=stage,
        sha256=sha256(body).digest(),
        size=len(body),
        manifest=manifests.encode(manifest),
        chunks=chunks.encode(details.get("chunks", ())),
        attributes=details.get("attributes") or {},
        redacted=details.get("redacted", False),
        sha256_sent=details.get("sha256_sent"),
    )


def _assemble(payload: Payload, manifest: Manifest, blobs: dict[int, bytes]) -> bytes:
    try:
        body = manifest.join(blobs)
    except KeyError as error:
        reason = f"blob {error.args[0]} is missing"
        raise PayloadCorrupt(reason, payload.span_id, payload.stage) from error
    if sha256(body).digest() != bytes(payload.sha256):
        reason = "the bytes are not those that were recorded"
        raise PayloadCorrupt(reason, payload.span_id, payload.stage)
    return body


def _unpack(packed: bytes, digest: bytes) -> bytes:
    try:
        content = compression.unpack(packed)
    except ValueError as error:
        raise PayloadCorrupt(str(error)) from error
    if sha256(content).digest() != digest:
        raise PayloadCorrupt("a blob is not what was recorded")
    return content


def _slices(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    for start in range(0, len(values), MAX_QUERY_VALUES):
        yield values[start : start + MAX_QUERY_VALUES]
