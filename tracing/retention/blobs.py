"""Blobs that no payload of their archive refers to any more.

A writer holds the archive's row from looking up the blobs that it will refer to until its payloads
are committed (`tracing.store.payloads`). The sweep takes the same row before it looks at what is
referred to, so it sees all payloads that there are, and no writer has looked up a blob that it
deletes. What is slow, decoding manifests, is done before, and under the lock only for what changed
meanwhile.
"""

from collections.abc import Iterable

from django.db import transaction

from tracing.models import Archive, Blob, Payload
from tracing.store import manifests

_AT_ONCE = 1_000


def sweep(archive_id: int) -> int:
    """Deletes the blobs that nothing refers to; how many. An archive with a manifest that cannot
    be read is left as it is: it does not say what it refers to."""
    known: dict[bytes, frozenset[int]] = {}
    try:
        _referred(archive_id, known)
        with transaction.atomic():
            return _sweep_locked(archive_id, known)
    except ValueError:
        return 0


def _sweep_locked(archive_id: int, known: dict[bytes, frozenset[int]]) -> int:
    archive = Archive.objects.filter(pk=archive_id).select_for_update(no_key=True)
    if not list(archive.values_list("pk")):
        return 0
    referred = _referred(archive_id, known)
    blobs = Blob.objects.filter(archive_id=archive_id)
    ordinals = set(blobs.values_list("ordinal", flat=True))
    return sum(
        blobs.filter(ordinal__in=some)._raw_delete(blobs.db)
        for some in _slices(sorted(ordinals - referred))
    )


def _referred(archive_id: int, known: dict[bytes, frozenset[int]]) -> set[int]:
    """The ordinals that payloads refer to; `known` keeps what manifests were found to say."""
    referred: set[int] = set()
    stored = Payload.objects.filter(span__trace__archive_id=archive_id)
    for packed in stored.values_list("manifest", flat=True).iterator(_AT_ONCE):
        manifest = bytes(packed)
        if manifest not in known:
            known[manifest] = frozenset(manifests.decode(manifest).ordinals)
        referred |= known[manifest]
    return referred


def _slices(values: list[int]) -> Iterable[list[int]]:
    return (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))
