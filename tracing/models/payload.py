"""The exact content of the stages of a span, and the blobs that it is made of."""

from typing import Any

from django.db import models
from django.db.models import Q

from db import prepared
from db.fields import JSONTextField
from db.prepared import PreparedQuerySet
from limits.traces import MAX_INDEXED_AT_ONCE, MAX_INDEXED_ERRORS, MAX_INDEXED_IDS
from tracing.models.archive import Archive
from tracing.models.span import Span


class BlobQuerySet(PreparedQuerySet["Blob"]):
    @prepared.rows
    def ordinals(self, /, archive: int, **digests: bytes) -> "models.QuerySet[Blob, Any]":
        """Hash and ordinal of the archive's blobs with these hashes."""
        blobs = self.filter(archive=archive, sha256__in=list(digests.values()))
        return blobs.values_list("sha256", "ordinal")


class Blob(models.Model):
    """One distinct element of the payloads of an archive, compressed with zstd."""

    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="blob_set")
    ordinal = models.PositiveBigIntegerField()
    sha256 = models.BinaryField(max_length=32)
    size = models.PositiveBigIntegerField()
    compressed = models.BinaryField()

    objects = BlobQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["archive", "sha256"], name="blob_once_an_archive"),
            models.UniqueConstraint(fields=["archive", "ordinal"], name="blob_ordinal_once"),
        )

    def __str__(self) -> str:
        return f"{self.archive_id}/{self.ordinal}"


class PayloadQuerySet(PreparedQuerySet["Payload"]):
    """The prepared statements serve the search index."""

    def of_trace(self, trace: int) -> "PayloadQuerySet":
        rows = self.filter(span__trace=trace)
        return rows.select_related("span__trace").defer("chunks")

    def of_turn(self, trace: int) -> "PayloadQuerySet":
        """Without those of a summary, whose request quotes messages of earlier turns."""
        return self.of_trace(trace).exclude(span__parent__kind=Span.Kind.COMPACTION)

    @prepared.first
    def first_input(self, trace: int) -> "models.QuerySet[Payload]":
        inputs = self.of_turn(trace).filter(stage=Payload.Stage.INPUT)
        return inputs.order_by("span_id")[:1]

    @prepared.first
    def last_input(self, trace: int) -> "models.QuerySet[Payload]":
        inputs = self.of_turn(trace).filter(stage=Payload.Stage.INPUT)
        return inputs.order_by("-span_id")[:1]

    @prepared.first
    def last_output(self, trace: int) -> "models.QuerySet[Payload]":
        outputs = self.of_turn(trace).filter(stage=Payload.Stage.OUTPUT)
        return outputs.order_by("-span_id")[:1]

    @prepared.rows
    def texts_after(self, trace: int, span: int, after: int) -> "models.QuerySet[Payload]":
        """The next payloads of `TEXTS` after this span and payload."""
        rest = self.of_trace(trace).filter(stage__in=Payload.TEXTS)
        rest = rest.filter(Q(span_id=span, pk__gt=after) | Q(span_id__gt=span))
        return rest.order_by("span_id", "id")[:MAX_INDEXED_AT_ONCE]

    @prepared.rows
    def results_over(self, trace: int, size: int) -> "models.QuerySet[Payload]":
        """The results of tools with more than `size` bytes."""
        return self.of_trace(trace).filter(stage=Payload.Stage.RESULT, size__gt=size)

    @prepared.rows
    def failed_responses(self, trace: int) -> "models.QuerySet[Payload]":
        failed = self.of_trace(trace).filter(
            stage=Payload.Stage.RESPONSE, span__status=Span.Status.FAILED
        )
        return failed.order_by("span_id")[:MAX_INDEXED_ERRORS]

    @prepared.rows
    def response_headers(self, trace: int) -> "models.QuerySet[Payload, Any]":
        """Of each response the span's key, the payload's attributes and the span's."""
        rows = self.filter(span__trace=trace, stage=Payload.Stage.RESPONSE).order_by("span_id")
        return rows.values_list("span_id", "attributes", "span__attributes")[:MAX_INDEXED_IDS]


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

    span = models.ForeignKey(Span, on_delete=models.CASCADE, related_name="payloads")
    stage = models.CharField(max_length=16, choices=Stage.choices)
    sha256 = models.BinaryField(max_length=32)
    size = models.PositiveBigIntegerField()
    manifest = models.BinaryField()
    chunks = models.BinaryField(default=b"")
    attributes = JSONTextField(default=dict)
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
