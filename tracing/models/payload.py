"""The exact content of the stages of a span, and the blobs that it is made of."""

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import OuterRef, Q, Subquery

from db import prepared
from db.prepared import PreparedQuerySet
from db.tuples import among
from tracing.models.archive import Archive
from tracing.models.packed_json import PackedJSONField
from tracing.models.span import Span


class BlobQuerySet(PreparedQuerySet["Blob"]):
    @prepared.rows
    def ordinals(self, /, archive: int, **digests: bytes) -> "models.QuerySet[Blob, Any]":
        """Hash and ordinal of the archive's blobs with these hashes."""
        blobs = self.filter(archive=archive, sha256__in=list(digests.values()))
        return blobs.values_list("sha256", "ordinal")

    def at(self, pairs: Collection[tuple[int, int]]) -> "BlobQuerySet":
        """Those with one of these pairs of archive and ordinal; at least one pair."""
        archives = {archive for archive, _ in pairs}
        if len(archives) == 1:  # a shorter statement, with half as many values
            return self.filter(archive__in=archives, ordinal__in=[one for _, one in pairs])
        return self.filter(among(Blob, ("archive", "ordinal"), pairs))

    @prepared.rows
    def contents(self, /, archive: int, **ordinals: int) -> "models.QuerySet[Blob, Any]":
        """The archive's blobs with these ordinals, as `with_bases` gives them."""
        return self.filter(archive=archive, ordinal__in=list(ordinals.values())).with_bases()

    @prepared.rows
    def sizes(self, /, archive: int, **ordinals: int) -> "models.QuerySet[Blob, Any]":
        """Ordinal and size in bytes of the archive's blobs with these ordinals."""
        blobs = self.filter(archive=archive, ordinal__in=list(ordinals.values()))
        return blobs.values_list("ordinal", "size")

    def with_bases(self) -> "models.QuerySet[Blob, Any]":
        """Archive, ordinal, hash and compressed bytes of each, and those of its base or None."""
        same = Blob.objects.filter(archive=OuterRef("archive"), ordinal=OuterRef("base"), base=None)
        base = Subquery(same.values("compressed")[:1])
        return self.values_list("archive", "ordinal", "sha256", "compressed", "base", base)

    @prepared.rows
    def full_before(self, archive: int, before: int, start: int) -> "models.QuerySet[Blob, Any]":
        """Ordinal, size and compressed bytes of the archive's blobs from `start` up to `before`
        that have no base."""
        blobs = self.filter(archive=archive, ordinal__lt=before, ordinal__gte=start, base=None)
        return blobs.order_by("ordinal").values_list("ordinal", "size", "compressed")


class Blob(models.Model):
    """One distinct element of the payloads of an archive, compressed with zstd.

    `base`: the ordinal of the blob without whose content it cannot be read, if there is one
    (`tracing.store.bases`). That blob has none itself.
    """

    # Without an index of its own: both constraints begin with it.
    archive = models.ForeignKey(
        Archive, on_delete=models.CASCADE, related_name="blob_set", db_index=False
    )
    ordinal = models.PositiveBigIntegerField()
    sha256 = models.BinaryField(max_length=32)
    size = models.PositiveBigIntegerField()
    compressed = models.BinaryField()
    base = models.PositiveBigIntegerField(null=True, blank=True)

    objects = BlobQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["archive", "sha256"], name="blob_once_an_archive"),
            models.UniqueConstraint(fields=["archive", "ordinal"], name="blob_ordinal_once"),
        )

    def __str__(self) -> str:
        return f"{self.archive_id}/{self.ordinal}"


class PayloadQuerySet(PreparedQuerySet["Payload"]):
    """The prepared statements serve the trace page and the engine."""

    @prepared.rows
    def of_spans(self, /, **spans: int) -> "models.QuerySet[Payload]":
        """The payloads of these spans."""
        return self.filter(span__id__in=list(spans.values()))

    @prepared.first
    def of_stage(self, span: int, stage: str) -> "models.QuerySet[Payload]":
        return self.select_related("span__trace").filter(span=span, stage=stage)

    @prepared.rows
    def shown(self, /, **calls: int) -> "models.QuerySet[Payload]":
        """What the model is shown of these calls, as far as it is stored."""
        of_calls = self.filter(span__id__in=list(calls.values()), stage=Payload.Stage.SHOWN)
        return of_calls.select_related("span__trace")


class Payload(models.Model):
    """The exact content of one stage of a span, as a manifest of the archive's blobs.

    `sha256` and `size` are those of the stored bytes; reassembly is checked against them. If a
    known secret was replaced before storing, `redacted` is set, and `sha256_sent` is the hash of
    the bytes on the wire. `chunks`: arrivals, as `tracing.store.chunks` encodes them.
    """

    class Stage(models.TextChoices):
        INPUT = "input"
        REQUEST = "request"
        RESPONSE = "response"
        OUTPUT = "output"
        ARGUMENTS = "arguments"
        RESULT = "result"
        SHOWN = "shown"
        FRAMES = "frames"
        STDERR = "stderr"

    # Answers, arguments of tools, and the results that models were shown.
    TEXTS = (Stage.OUTPUT, Stage.ARGUMENTS, Stage.SHOWN)

    # Without an index of its own: the constraint begins with it.
    span = models.ForeignKey(
        Span, on_delete=models.CASCADE, related_name="payloads", db_index=False
    )
    stage = models.CharField(max_length=16, choices=Stage.choices)
    sha256 = models.BinaryField(max_length=32)
    size = models.PositiveBigIntegerField()
    manifest = models.BinaryField()
    chunks = models.BinaryField(default=b"")
    attributes = PackedJSONField(default=dict)
    redacted = models.BooleanField(default=False)
    sha256_sent = models.BinaryField(max_length=32, null=True, blank=True)

    objects = PayloadQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    stage__in=[
                        "input",
                        "request",
                        "response",
                        "output",
                        "arguments",
                        "result",
                        "shown",
                        "frames",
                        "stderr",
                    ]
                ),
                name="payload_stage_known",
            ),
            models.UniqueConstraint(fields=["span", "stage"], name="payload_once_a_stage"),
        )

    def __str__(self) -> str:
        return f"{self.stage} of {self.span_id}"
