"""What lists are searched in, and what was asked to be deleted from them."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from db.fields import JSONTextField
from tracing.models.trace import Trace


class SearchText(models.Model):
    """The texts of a trace, packed, as far as they are searched (`tracing.search`).

    Beside it the database has its own index of their words: on SQLite the FTS5 table
    `tracing_words`, whose rows a trigger deletes with these; on PostgreSQL the column `words`, and
    the table `tracing_searchpart` for what is too long for it, likewise.

    `origins` says which span and stage each stretch is from (`tracing.search.document`), `left_out`
    how many characters of the trace are not searched, and `version` by which rules it was indexed:
    0 is to be indexed again.
    """

    trace = models.OneToOneField(
        Trace, on_delete=models.CASCADE, primary_key=True, related_name="search_text"
    )
    text = models.BinaryField()
    origins = models.BinaryField(default=b"")
    left_out = models.PositiveBigIntegerField(default=0)
    version = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes = (
            # What is to be indexed again, the newest first.
            models.Index(fields=["version", "-trace"], name="search_text_outdated"),
        )

    def __str__(self) -> str:
        return f"texts of {self.trace_id}"


class Deletion(models.Model):
    """Traces that a person asked to delete, more than one request does.

    `traces` holds primary keys, those that are left; `total` is how many there were.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trace_deletions"
    )
    asked = models.DateTimeField(default=timezone.now)
    traces = JSONTextField(default=list)
    total = models.PositiveIntegerField()
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (
            # What is still to be done.
            models.Index(fields=["id"], condition=models.Q(ended=None), name="deletion_open"),
        )

    def __str__(self) -> str:
        return f"{self.total} traces, asked {self.asked:%Y-%m-%d %H:%M}"

    @property
    def done(self) -> int:
        return self.total - len(self.traces)
