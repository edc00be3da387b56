"""The searched texts of traces."""

from django.db import models

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
