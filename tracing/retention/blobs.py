"""Deletes blobs that no payload of their archive refers to.

A writer locks the archive's row before it looks up blobs, until its payloads are committed
(`tracing.store.payloads`). The sweep locks the same row before it reads references, so it sees all
payloads, and no writer has looked up a blob that it deletes. Manifests are decoded before the lock,
which is slow, and under it only those that are new.
"""

from collections.abc import Iterable

from django.db import transaction
from django.db.models.functions import Coalesce

from tracing.models import Archive, Blob, Payload
from tracing.store import bases, manifests

_BATCH = 1_000  # rows


def sweep(archive_id: int) -> int:
    """Deletes the unreferenced blobs of an archive; how many. It deletes none if a manifest
    or a blob cannot be decoded, because the references are not known then."""
    decoded_manifests: dict[bytes, frozenset[int]] = {}
    try:
        _referenced(archive_id, decoded_manifests)
        with transaction.atomic():
            return _sweep_locked(archive_id, decoded_manifests)
    except ValueError:
        return 0


def _sweep_locked(archive_id: int, decoded_manifests: dict[bytes, frozenset[int]]) -> int:
    archive = Archive.objects.filter(pk=archive_id)
    if not list(archive.select_for_update(no_key=True).values_list("pk")):
        return 0
    referenced = _referenced(archive_id, decoded_manifests)
    bases.release(archive_id, referenced)
    blobs = Blob.objects.filter(archive_id=archive_id)
    ordinals = set(blobs.values_list("ordinal", flat=True))
    unused = sorted(ordinals - referenced)
    if unused:
        archive.update(swept=Coalesce("swept", 0) + 1)
    return sum(blobs.filter(ordinal__in=batch)._raw_delete(blobs.db) for batch in _batches(unused))


def _referenced(archive_id: int, decoded_manifests: dict[bytes, frozenset[int]]) -> set[int]:
    """The ordinals that payloads refer to. `decoded_manifests`: the ordinals of each manifest; it
    gains the new ones."""
    referenced: set[int] = set()
    rows = Payload.objects.filter(span__trace__archive_id=archive_id)
    for packed in rows.values_list("manifest", flat=True).iterator(_BATCH):
        manifest = bytes(packed)
        if manifest not in decoded_manifests:
            decoded_manifests[manifest] = frozenset(manifests.decode(manifest).ordinals)
        referenced |= decoded_manifests[manifest]
    return referenced


def _batches(values: list[int]) -> Iterable[list[int]]:
    return (values[start : start + _BATCH] for start in range(0, len(values), _BATCH))
