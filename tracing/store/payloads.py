"""The payload store: exact bytes, each distinct element once an archive.

A body is cut at its elements (`elements`), each distinct element is a blob of the archive, and a
manifest lists the blobs that make up the body (`manifests`). So an archive grows with new elements
only, and two payloads share a message exactly where their manifests have the same ordinal.

Writers of one archive take turns: its row is locked from the store to the end of the transaction
(SQLite has one write lock anyway). Other rows of the same transaction have to be locked before it.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import cycle, islice
from typing import Any, TypeVar, Unpack

from django.db import transaction

from db.arguments import padded
from languages.stored import stored
from limits.traces import MAX_QUERY_VALUES
from tracing.errors import PayloadCorrupt
from tracing.models import Archive, Blob, Payload, Span
from tracing.store import bases, chunks, manifests
from tracing.store.drafts import Details as Details
from tracing.store.drafts import Draft, all_contents, draft
from tracing.store.drafts import Record as Record
from tracing.store.manifests import Manifest
from tracing.store.prefixes import NOTHING, Known, Memory, recall, remember

# Parameters of the prepared look-up of hashes; most calls of `store_all` have no more elements.
_PREPARED_HASHES = 16


_Value = TypeVar("_Value")


def store(span: Span, stage: str, body: bytes, **details: Unpack[Details]) -> Payload:
    """Stores the content of one stage of a span; storing it again replaces it."""
    return store_all(span.trace.archive, [(span, stage, body, details)])[0]


def store_all(archive: Archive, records: Sequence[Record]) -> list[Payload]:
    """Stores several payloads of one archive in five queries, inside the caller's transaction."""
    memory = recall(archive.public_id)
    drafts = [draft(record, memory.stages.get(record[1], Known())) for record in records]
    with transaction.atomic(savepoint=False):
        count, swept = Archive.objects.lock(archive.pk)
        try:
            ordinals = _store_elements(archive, drafts, count, swept, memory)
        except _Outdated:
            drafts = [draft(record, Known()) for record in records]
            ordinals = _store_elements(archive, drafts, count, swept, NOTHING)
        finished = [one.finish(ordinals) for one in drafts]
        rows = [row for row, _ in finished]
        Payload.objects.insert_all(rows, unique=("span", "stage"))
        stages = {row.stage: known for row, known in finished if known.boundaries}
        if stages:
            transaction.on_commit(partial(remember, archive.public_id, swept, stages))
        return rows


def load(payload: Payload) -> bytes:
    """The recorded bytes, checked against their hash. Raises PayloadCorrupt."""
    return load_all([payload])[0]


def load_all(payloads: Sequence[Payload]) -> list[bytes]:
    """The recorded bytes of each, in order; one query for the blobs.

    Pass payloads of `select_related("span__trace")`, or each costs a query.
    """
    tables = [read_manifest(payload) for payload in payloads]
    ordinals_by_archive: defaultdict[int, set[int]] = defaultdict(set)
    for payload, table in zip(payloads, tables, strict=True):
        ordinals_by_archive[payload.span.trace.archive_id].update(table.ordinals)
    blobs = load_blobs_of(ordinals_by_archive)
    return [
        _assemble(payload, table, blobs[payload.span.trace.archive_id])
        for payload, table in zip(payloads, tables, strict=True)
    ]


def join(payload: Payload, blobs: Mapping[int, bytes]) -> bytes:
    """The recorded bytes from blobs of the archive, by ordinal. Raises PayloadCorrupt."""
    return _assemble(payload, read_manifest(payload), blobs)


def read_json(payload: Payload) -> Any:
    """The payload's JSON value. Raises ValueError if it is not JSON, and PayloadCorrupt."""
    return json.loads(load(payload))


def read_chunks(payload: Payload) -> list[chunks.Chunk]:
    """Of each arrival the milliseconds since the request was sent, and the length. Raises
    PayloadCorrupt."""
    try:
        return chunks.decode(bytes(payload.chunks))
    except ValueError as error:
        raise PayloadCorrupt(str(error), payload.span_id, payload.stage) from error


def read_manifest(payload: Payload) -> Manifest:
    """The list of blobs and gaps that make up the payload. Raises PayloadCorrupt."""
    try:
        return manifests.decode(bytes(payload.manifest))
    except ValueError as error:
        raise PayloadCorrupt(str(error), payload.span_id, payload.stage) from error


def load_blobs(archive_id: int, ordinals: Iterable[int]) -> dict[int, bytes]:
    """The contents of the blobs with these ordinals; missing ones are left out. Raises
    PayloadCorrupt."""
    blobs: dict[int, bytes] = {}
    for batch in _batches(sorted(set(ordinals))):
        try:
            for stored in bases.read(Blob.objects.contents(archive_id, **padded(batch))):
                blobs[stored.ordinal] = stored.content()
        except ValueError as error:
            raise PayloadCorrupt(str(error)) from error
    return blobs


def load_blobs_of(ordinals: Mapping[int, Iterable[int]]) -> dict[int, dict[int, bytes]]:
    """The same for several archives, in one query for `MAX_QUERY_VALUES` blobs."""
    if len(ordinals) == 1:
        ((archive_id, only),) = ordinals.items()
        return {archive_id: load_blobs(archive_id, only)}
    blobs: dict[int, dict[int, bytes]] = {archive_id: {} for archive_id in ordinals}
    wanted = [(archive_id, one) for archive_id, of in ordinals.items() for one in sorted(set(of))]
    for batch in _batches(wanted):
        try:
            for stored in bases.read(Blob.objects.at(batch).with_bases()):
                blobs[stored.archive_id][stored.ordinal] = stored.content()
        except ValueError as error:
            raise PayloadCorrupt(str(error)) from error
    return blobs


def blob_sizes(archive_id: int, ordinals: Iterable[int]) -> dict[int, int]:
    """The sizes in bytes of the blobs with these ordinals; missing ones are left out."""
    sizes: dict[int, int] = {}
    for batch in _batches(sorted(set(ordinals))):
        sizes.update(Blob.objects.sizes(archive_id, **padded(batch)))
    return sizes


class _Outdated(Exception):
    """What is remembered of an archive does not hold any more."""


def _store_elements(
    archive: Archive, drafts: list[Draft], count: int, swept: int | None, memory: Memory
) -> dict[bytes, int]:
    """Makes blobs of the elements that the archive does not have; the ordinals of all, by hash.
    `count` and `swept` are those of the locked archive. Raises _Outdated."""
    anchors = {one.boundaries[-1].anchor: one.start.last for one in drafts if one.boundaries}
    if anchors and memory.swept != swept:
        raise _Outdated
    contents = all_contents(drafts)
    # Only beside an anchor, whose ordinal is compared below.
    known = memory.ordinals if anchors else {}
    ordinals = {digest: known[digest] for digest in contents if digest in known}
    asked = [digest for digest in contents if digest not in ordinals]
    found = _ordinals(archive, [*anchors, *asked])
    if any(found.get(digest) != ordinal for digest, ordinal in anchors.items()):
        raise _Outdated
    ordinals |= found
    new = [digest for digest in asked if digest not in ordinals]
    if new:
        ordinals.update({digest: count + place for place, digest in enumerate(new)})
        packer = bases.Packer(archive.pk, count)
        Blob.objects.insert_all(
            [_blob(archive, ordinals[digest], digest, contents[digest], packer) for digest in new]
        )
        Archive.objects.count_blobs(archive.pk, count + len(new))
    return ordinals


def _ordinals(archive: Archive, digests: Sequence[bytes]) -> dict[bytes, int]:
    """The ordinals of the blobs that the archive has, by hash."""
    if 0 < len(digests) <= _PREPARED_HASHES:
        padded = islice(cycle(digests), _PREPARED_HASHES)
        parameters = {f"digest_{place}": digest for place, digest in enumerate(padded)}
        pairs = Blob.objects.ordinals(archive.pk, **parameters)
        return {bytes(digest): ordinal for digest, ordinal in pairs}
    blobs = (
        Blob.objects.filter(archive_id=archive.pk, sha256__in=batch).values_list(
            "sha256", "ordinal"
        )
        for batch in _batches(digests)
    )
    return {bytes(digest): ordinal for rows in blobs for digest, ordinal in rows}


def _blob(
    archive: Archive, ordinal: int, digest: bytes, content: bytes, packer: bases.Packer
) -> Blob:
    packed = packer.pack(ordinal, content)
    return Blob(
        archive_id=archive.pk,
        ordinal=ordinal,
        sha256=digest,
        size=len(content),
        compressed=packed.compressed,
        base=packed.base,
    )


def _assemble(payload: Payload, manifest: Manifest, blobs: Mapping[int, bytes]) -> bytes:
    try:
        body = manifest.join(blobs)
    except KeyError as error:
        reason = stored("blob %(args)s is missing", args=error.args[0])
        raise PayloadCorrupt(reason, payload.span_id, payload.stage) from error
    if sha256(body).digest() != bytes(payload.sha256):
        reason = stored("the bytes are not those that were recorded")
        raise PayloadCorrupt(reason, payload.span_id, payload.stage)
    return body


def _batches(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    for start in range(0, len(values), MAX_QUERY_VALUES):
        yield values[start : start + MAX_QUERY_VALUES]
