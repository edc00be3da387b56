"""Writes users, archives and traces in the order of time, a few thousand rows at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils import timezone

from benchmarks.dashboard import seed
from benchmarks.traces import words
from benchmarks.traces.making import MODELS, TOOLS, TraceMaker, TraceRows
from benchmarks.traces.real import real_turn
from tracing.models import Archive, Facet, FacetValue, Span, Trace
from tracing.models.attributes import generation_attributes
from tracing.search import index, texts

DAYS = 90
USERS = 40
TRACES_AN_ARCHIVE = 5
BATCH_SIZE = 2_000
# One of so many traces has payloads.
REAL_EVERY = 500
# Rounds of the longest turn.
LONG = 500
SEED = 5


@dataclass(frozen=True)
class Counts:
    """Numbers of rows in the database."""

    traces: int
    spans: int

    def __str__(self) -> str:
        return f"{self.traces:,} traces, {self.spans:,} spans"


def fill(count: int, say: Callable[[str], None]) -> Counts:
    """Fills an empty database with `count` traces, besides those with payloads.

    The users are `staff` and `user-1` to `user-39`; `user-1` has the most traces.
    """
    if Trace.objects.exists():
        raise SystemExit("There are traces already: this fills an empty database only.")
    users = _users()
    start = timezone.now() - timedelta(days=DAYS)
    archives = _archives(users, count, start)
    traces = _generate(count, archives, start)
    total = 0
    while batch := list(islice(traces, BATCH_SIZE)):
        _write(batch)
        total += len(batch)
        if total % 10_000 == 0:
            say(f"{total:,} traces")
    _write_values()
    _reset_sequences()
    _write_real(users, max(1, count // REAL_EVERY))
    # Metrics of the dashboard, for every hour of the same days.
    seed(len(MODELS), len(TOOLS))
    if connection.vendor == "postgresql":
        # As PostgreSQL's autovacuum does; for SQLite the product makes no statistics.
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return Counts(Trace.objects.count(), Span.objects.count())


def _users() -> list[User]:
    staff, _ = User.objects.get_or_create(
        username="staff", defaults={"is_staff": True, "is_superuser": True}
    )
    people = [
        User.objects.get_or_create(username=f"user-{number}")[0] for number in range(1, USERS)
    ]
    return [*people, staff]


def _archives(users: list[User], count: int, start: datetime) -> list[Archive]:
    """Archives, half of which belong to the first four users."""
    number = max(1, count // TRACES_AN_ARCHIVE)
    return Archive.objects.bulk_create(
        [
            Archive(owner=users[place // 2 % 4 if place % 2 else place // 2 % USERS], created=start)
            for place in range(number)
        ],
        batch_size=5_000,
    )


def _generate(count: int, archives: list[Archive], start: datetime) -> Iterator[TraceRows]:
    maker = TraceMaker(SEED, 1)
    step = timedelta(days=DAYS) / (count + 1)
    for number in range(1, count + 1):
        archive = archives[(number - 1) // TRACES_AN_ARCHIVE % len(archives)]
        yield maker.make(number, archive.pk, archive.owner_id, start + number * step)


def _write(batch: list[TraceRows]) -> None:
    with transaction.atomic():
        Trace.objects.bulk_create([rows.trace for rows in batch], batch_size=1_000)
        spans = [span for rows in batch for span in rows.spans]
        Span.objects.bulk_create(spans, batch_size=2_000)
        facets = [facet for rows in batch for facet in rows.facets.values()]
        Facet.objects.bulk_create(facets, batch_size=2_000)
        index.write({rows.trace.pk: rows.text for rows in batch})


def _write_values() -> None:
    values = Facet.objects.order_by().values_list("name", "value").distinct()
    FacetValue.objects.bulk_create([FacetValue(name=name, value=value) for name, value in values])


def _write_real(users: list[User], count: int) -> None:
    """`count` turns of three rounds with payloads, and one of `LONG` rounds of the user with the
    most traces; they are the newest ones."""
    now = timezone.now() - timedelta(hours=1)
    lengths = [(3, words.question) for _ in range(count)]
    maker = TraceMaker(SEED + 1, 1)
    for number, (rounds, name) in enumerate(lengths):
        at = now + timedelta(seconds=number)
        _digest(real_turn(users[number % 4], rounds, at, name(maker.random)))
    _digest(real_turn(users[0], LONG, timezone.now(), "Go through the whole log, 五百轮"))


def _digest(trace: Trace) -> None:
    """Counts the spans of a saved trace into its columns, its facets and the search index."""
    spans: list[Any] = list(trace.spans.all())
    usages = [
        generation_attributes(span)["usage"] for span in spans if span.kind == Span.Kind.GENERATION
    ]
    tokens_in = sum(usage["prompt_tokens"] for usage in usages)
    tokens_out = sum(usage["completion_tokens"] for usage in usages)
    assert trace.ended is not None
    Trace.objects.filter(pk=trace.pk).update(
        duration_ms=round((trace.ended - trace.started) / timedelta(milliseconds=1)),
        rounds=len(usages),
        calls=sum(span.kind == Span.Kind.TOOL for span in spans),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens=tokens_in + tokens_out,
        digested=timezone.now(),
    )
    facets = {"model": "qwen3-32b", "provider": "Qwen", "dialect": "native", "server": "sqlite"}
    Facet.objects.bulk_create(
        Facet(trace=trace, name=name, value=value, started=trace.started)
        for name, value in {**facets, "tool": "read_query"}.items()
    )
    texts.index_trace(trace)


def _reset_sequences() -> None:
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Trace, Span]):
            cursor.execute(statement)
