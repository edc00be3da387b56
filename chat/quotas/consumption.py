"""What a person has used, as the database knows it.

Tokens and costs of a day and a month are the counters of ended traces (`tracing.models.Metric`),
which stay when conversations are deleted, and the generations of traces that are not counted yet,
because they run or have just ended: those are read one by one. So what runs counts while it runs,
and nothing is counted twice.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import BigIntegerField as BigInteger
from django.db.models import BinaryField, DecimalField, F, Field, Q, QuerySet, TextField, Value
from django.db.models import DateTimeField as Moment
from django.db.models.functions import Cast

from chat.models import COUNTED_USER, Attachment, ProjectFile, Turn
from chat.quotas import kinds
from chat.quotas.figures import FIRST_TURN_COST, FIRST_TURN_TOKENS, Figures, expected
from limits.traces import MAX_DIGEST_DOLLARS, MAX_DIGEST_TOKENS
from tracing.journal.cost import cost, token_count
from tracing.models import Metric, Span, Trace

_DAYS, _UNCOUNTED, _OPEN, _RECENT = range(4)


@dataclass
class Usage:
    """What the database knows of one person. `open_turns` and `recent_turns` (those of the last
    minute): when each began, by the key of its client."""

    figures: Figures
    open_turns: dict[str, datetime] = field(default_factory=dict)
    recent_turns: dict[str, datetime] = field(default_factory=dict)


@dataclass
class _Sums:
    tokens_day: int = 0
    tokens_month: int = 0
    cost_day: Decimal = Decimal(0)
    cost_month: Decimal = Decimal(0)
    turns: int = 0

    def add(self, tokens: int, dollars: Decimal, *, is_today: bool) -> None:
        self.tokens_month += tokens
        self.cost_month += dollars
        if is_today:
            self.tokens_day += tokens
            self.cost_day += dollars


def read(user_id: int, now: datetime, payer_id: int | None = None) -> Usage:
    """All of it by one statement. Tokens and costs are those of the payer, the owner of the
    conversation, if that is somebody else."""
    payer_id = payer_id or user_id
    today = kinds.begin_of_day(now)
    sums, largest = _Sums(), 0
    usage = Usage(Figures())
    for what, at, key, tokens, dollars, turns, attributes in _rows(user_id, payer_id, now):
        if what == _DAYS:
            sums.add(tokens, Decimal(dollars), is_today=at >= today)
            sums.turns += turns
        elif what == _UNCOUNTED:
            if at is None or at >= kinds.begin_of_month(now):
                sums.add(*_of_generation(attributes), is_today=at is None or at >= today)
        elif what == _OPEN:
            usage.open_turns[key], largest = at, max(largest, tokens)
        else:
            usage.recent_turns[key] = at
    usage.figures = _figures(sums, largest, usage)
    return usage


def _figures(sums: _Sums, largest: int, usage: Usage) -> Figures:
    cost_month = _microdollars(sums.cost_month)
    return Figures(
        minute=tuple(sorted(usage.recent_turns.values())),
        open_turns=len(usage.open_turns),
        tokens_day=sums.tokens_day,
        tokens_month=sums.tokens_month,
        cost_day=_microdollars(sums.cost_day),
        cost_month=cost_month,
        turn_tokens=expected(sums.turns, sums.tokens_month, largest, FIRST_TURN_TOKENS),
        turn_cost=expected(sums.turns, cost_month, 0, FIRST_TURN_COST),
    )


def _rows(user_id: int, payer_id: int, now: datetime) -> Iterable[tuple[Any, ...]]:
    """What, when, key, tokens, dollars, turns, attributes. The columns of the first query say how
    those of all are read."""
    month = kinds.begin_of_month(now)
    uncounted = Span.objects.filter(
        Q(trace__ended=None) | Q(trace__ended__gte=month),
        trace__owner=payer_id,
        trace__digested=None,
        kind=Span.Kind.GENERATION,
    ).exclude(trace__kind=Trace.Kind.REPLAY)
    days = Metric.objects.filter(
        period=Metric.Period.DAY, kind=Metric.Kind.USER, name=str(payer_id), hour__gte=month
    )
    turns = Turn.objects.annotate(counted=COUNTED_USER).filter(counted=user_id)
    own = turns.filter(conversation__parent_call=None)  # not those of subagents
    started = Trace.objects.filter(started__gt=now - kinds.MINUTE, kind=Trace.Kind.TURN)
    recent = own.filter(trace__in=started)
    used = F("tokens_in") + F("tokens_out")
    return _row(uncounted, _UNCOUNTED, at=F("trace__ended"), attributes=F("attributes")).union(
        _row(days, _DAYS, at=F("hour"), tokens=used, cost=F("cost"), turns=F("count")),
        _row(own.open(), _OPEN, at=F("created"), key=F("client_key"), tokens=used),
        _row(recent, _RECENT, at=F("created"), key=F("client_key")),
        all=True,
    )


def _row(rows: QuerySet[Any], what: int, **columns: Any) -> QuerySet[Any, tuple[Any, ...]]:
    nothing: Mapping[str, Any] = {
        "at": Value(None),
        "key": Value(""),
        "tokens": Value(0),
        "cost": Value(0),
        "turns": Value(0),
        "attributes": Value(None),
    }
    fields: Mapping[str, Field[Any, Any]] = {
        "at": Moment(),
        "key": TextField(),
        "tokens": BigInteger(),
        "cost": DecimalField(max_digits=18, decimal_places=9),
        "turns": BigInteger(),
        "attributes": BinaryField(),
    }
    plain = {**nothing, **columns}
    cast = {
        f"row_{name}": value
        if name in ("at", "attributes") and name in columns
        else Cast(value, fields[name])
        for name, value in plain.items()
    }
    return rows.order_by().values_list(Value(what), *cast.values())


def _of_generation(attributes: Any) -> tuple[int, Decimal]:
    """Tokens and dollars of a generation, as `tracing.stats.aggregates` counts them."""
    recorded = attributes if isinstance(attributes, Mapping) else {}
    usage = recorded.get("usage")
    counted = usage if isinstance(usage, Mapping) else {}
    tokens = sum(
        min(token_count(counted.get(name)), MAX_DIGEST_TOKENS)
        for name in ("prompt_tokens", "completion_tokens")
    )
    dollars = cost(usage, recorded.get("prices")) or Decimal(0)
    return tokens, min(dollars, MAX_DIGEST_DOLLARS)


def _microdollars(dollars: Decimal) -> int:
    return round(dollars * kinds.MICRODOLLARS)


def calls_since(user_id: int, since: datetime) -> dict[str, datetime]:
    """When the tool calls of a person's conversations began, by the keys of their spans."""
    recent = Q(trace__status=Trace.Status.RUNNING) | Q(trace__ended__gte=since)
    calls = Span.objects.filter(
        recent, trace__owner=user_id, kind=Span.Kind.TOOL, started__gte=since
    )
    return {str(pk): at for pk, at in calls.order_by().values_list("pk", "started") if at}


def uploads_since(user_id: int, since: datetime) -> dict[str, datetime]:
    """When the files of a person were stored that are still there: those of messages and of
    projects. Files of workspaces are not known to the database."""
    attached = Attachment.objects.filter(owner=user_id, created__gte=since)
    in_projects = ProjectFile.objects.filter(project__owner=user_id, created__gte=since)
    rows = [
        *((f"a{pk}", at) for pk, at in attached.order_by().values_list("pk", "created")),
        *((f"p{pk}", at) for pk, at in in_projects.order_by().values_list("pk", "created")),
    ]
    return dict(rows)
