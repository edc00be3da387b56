"""The searched texts of traces, deletions of traces that a worker carries out, and deleted words
that are still in an index."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from db.fields import JSONTextField
from tracing.models.trace import Trace


class SearchText(models.Model):
    """The searched text of a trace, compressed (`tracing.search`).

    Beside it the database has an index of the words: on SQLite the FTS5 table `tracing_words`; on
    PostgreSQL the column `words`, and the table `tracing_searchpart` for texts that are too long
    for it. Triggers delete those rows with these.

    `origins`: the span and stage of each part (`tracing.search.document`). `left_out`: count of
    characters of the trace that are not searched. `version`: of the indexing rules; 0 is to be
    indexed again.
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
            # Traces to be indexed again, newest first.
            models.Index(fields=["version", "-trace"], name="search_text_outdated"),
        )

    def __str__(self) -> str:
        return f"texts of {self.trace_id}"


class DeletedWords(models.Model):
    """An index of words on SQLite that has deleted words in it: the name of its FTS5 table.

    Triggers replace the row with each deletion (`tracing.search.deleted_words`), so that its key
    tells whether there was another one since.
    """

    index = models.CharField(max_length=50, unique=True)

    def __str__(self) -> str:
        return self.index


class Deletion(models.Model):
    """A deletion of more traces than one request deletes.

    `traces`: primary keys of the traces that are left; `total`: how many there were.
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
            # Deletions that are not complete.
            models.Index(fields=["id"], condition=models.Q(ended=None), name="deletion_open"),
        )

    def __str__(self) -> str:
        return f"{self.total} traces, asked {self.asked:%Y-%m-%d %H:%M}"

    @property
    def done(self) -> int:
        return self.total - len(self.traces)
