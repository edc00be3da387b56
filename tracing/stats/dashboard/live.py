"""The present state: queues, workers, open turns, and the size of the database."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

import redis
from django.conf import settings
from django.db import connection
from django.db.models import F, QuerySet

from db.unindexed import Unindexed
from jobs.ring import TURN_RINGS
from limits.traces import MAX_COUNTED_PENDING
from tracing.models import Span, Trace
from tracing.stats import worker_presence
from tracing.stats.aggregates.ended_traces import pending_traces
from tracing.stats.worker_presence import Worker

# The Redis lists of each queue.
QUEUES = {"turns": ("turns", TURN_RINGS), "tools": ("tools",)}
SHOWN_TURNS = 10


@dataclass(frozen=True)
class Broker:
    """State of Redis: messages waiting in each queue, workers, and memory in bytes."""

    depths: dict[str, int] = field(default_factory=dict)
    workers: list[Worker] = field(default_factory=list)
    memory: int = 0
    is_up: bool = False


@dataclass(frozen=True)
class Live:
    """`open_turns` are the oldest of `open_count`. `waiting`: calls that wait for a decision or an
    answer of a person. `uncounted`: ended traces that the figures do not include yet. Sizes are in
    bytes."""

    broker: Broker
    open_turns: list[Trace]
    open_count: int
    waiting: int
    uncounted: int
    database_size: int | None


@cache
def _client() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=1.0, retry=None
    )


def broker() -> Broker:
    """The state of Redis; `is_up` is False if it does not answer."""
    client = _client()
    try:
        depths = {name: sum(int(client.llen(key)) for key in keys) for name, keys in QUEUES.items()}
        memory = int(client.info("memory")["used_memory"])
        return Broker(depths, worker_presence.workers(client), memory, is_up=True)
    except redis.RedisError:
        return Broker()


def read_live() -> Live:
    """Five queries, none of which grows with the number of traces."""
    running = _running()
    return Live(
        broker=broker(),
        open_turns=list(running.select_related("owner").order_by("started")[:SHOWN_TURNS]),
        open_count=running.count(),
        waiting=waiting_for_people(),
        uncounted=pending_traces()[:MAX_COUNTED_PENDING].count(),
        database_size=database_size(),
    )


def open_turns() -> int:
    return _running().count()


def waiting_for_people() -> int:
    """Calls that wait for an approval or an answer of a person."""
    waiting = (Span.Status.AWAITING_APPROVAL, Span.Status.WAITING)
    calls = Span.objects.alias(of=Unindexed(F("kind"))).filter(of=Span.Kind.TOOL)
    return calls.filter(status__in=waiting, trace__status=Trace.Status.RUNNING).count()


def _running() -> "QuerySet[Trace]":
    """Running turns, by the index on the status: few traces run, most are turns."""
    turns = Trace.objects.alias(of=Unindexed(F("kind"))).filter(of=Trace.Kind.TURN)
    return turns.filter(status=Trace.Status.RUNNING)


def database_size() -> int | None:
    """Bytes; None for other databases than SQLite and PostgreSQL."""
    questions = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "postgresql": "SELECT pg_database_size(current_database())",
    }
    if connection.vendor not in questions:
        return None
    with connection.cursor() as cursor:
        cursor.execute(questions[connection.vendor])
        return int(cursor.fetchone()[0])


def age(worker: Worker, now: datetime) -> float:
    """Seconds since the worker last announced itself."""
    return max(0.0, now.timestamp() - worker.at)
