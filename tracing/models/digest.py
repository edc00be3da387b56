"""Rows computed from ended traces: facets to filter by, and metrics. And the actions of people.

Facets and metrics can be computed again from the traces; actions are recorded, not computed.
"""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from db import prepared
from db.fields import JSONTextField, LabelField, SentenceField
from db.prepared import PreparedQuerySet
from db.tuples import among
from tracing.models.span import Span
from tracing.models.trace import Trace


class Facet(models.Model):
    """A model, tool or other value that a trace used, for the filters of the list."""

    class Name(models.TextChoices):
        MODEL = "model"
        PROVIDER = "provider"
        DIALECT = "dialect"
        SERVER = "server"
        TOOL = "tool"
        ASSISTANT = "assistant"
        # Given by a person after the end, not computed.
        FEEDBACK = "feedback"

    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="facets")
    name = models.CharField(max_length=16, choices=Name.choices)
    value = LabelField(max_length=200)
    # When the trace started: the order of the lists.
    started = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["trace", "name", "value"], name="facet_once_a_trace"),
        )
        indexes = (
            # The traces with this value, newest first.
            models.Index(fields=["name", "value", "-started", "-trace"], name="facet_newest"),
        )

    def __str__(self) -> str:
        return f"{self.name} {self.value}"


class FacetValue(models.Model):
    """A value of a facet, as an option of a filter."""

    name = models.CharField(max_length=16, choices=Facet.Name.choices)
    value = LabelField(max_length=200)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["name", "value"], name="facet_value_once"),)

    def __str__(self) -> str:
        return f"{self.name} {self.value}"


class MetricQuerySet(PreparedQuerySet["Metric"]):
    def lock(self, places: Collection[tuple[Any, ...]]) -> "MetricQuerySet":
        """The rows with one of these periods, hours, kinds, groups and names, locked to the end of
        the transaction; always in the same order, which rules out deadlocks."""
        rows = self.filter(among(Metric, Metric.PLACE, places)).order_by(*Metric.PLACE)
        return rows.select_for_update(no_key=True)


class Metric(models.Model):
    """Counters of one hour (day, week, all time) of a model, a tool, a user, a model of one user,
    an assistant, or the turns with one status.

    `hour` is the start of the period. `group` and `name` are provider and model, or server and
    tool; of `kind` turn the trace's kind and status; of a user the name is the primary key, of a
    user's model the group is that key and the name the model's, of an assistant its name, empty
    for none. `durations` and `first_tokens` are histograms: counts by
    bucket (`tracing.stats.aggregates.histogram`). Costs are US dollars. Rows
    stay when traces are deleted.
    """

    class Period(models.TextChoices):
        HOUR = "hour"
        DAY = "day"
        WEEK = "week"
        EVER = "ever"

    class Kind(models.TextChoices):
        TURN = "turn"
        GENERATION = "generation"
        TOOL = "tool"
        USER = "user"
        USER_MODEL = "user_model"
        ASSISTANT = "assistant"

    # The fields that identify a row.
    PLACE = ("period", "hour", "kind", "group", "name")

    period = models.CharField(max_length=4, choices=Period.choices, default=Period.HOUR)
    hour = models.DateTimeField()
    kind = models.CharField(max_length=16, choices=Kind.choices)
    group = LabelField(max_length=200, blank=True, default="")
    name = LabelField(max_length=200, blank=True, default="")
    count = models.PositiveBigIntegerField(default=0)
    errors = models.PositiveBigIntegerField(default=0)
    retries = models.PositiveBigIntegerField(default=0)
    rounds = models.PositiveBigIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    tokens_cached = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=18, decimal_places=9, default=0)
    total_ms = models.PositiveBigIntegerField(default=0)
    first_tokens_ms = models.PositiveBigIntegerField(default=0)
    durations = JSONTextField(default=dict)
    first_tokens = JSONTextField(default=dict)
    slowest_ms = models.PositiveBigIntegerField(default=0)
    slowest = models.ForeignKey(
        Span, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    last_error = SentenceField(blank=True, default="")
    last_failed = models.ForeignKey(
        Span, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = MetricQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["period", "hour", "kind", "group", "name"], name="measure_once_a_period"
            ),
        )
        indexes = (
            # The charts: one kind over a stretch of time.
            models.Index(fields=["period", "kind", "hour"], name="measure_of_kind"),
        )

    def __str__(self) -> str:
        return f"{self.period} {self.hour:%Y-%m-%d %H}:00 {self.kind} {self.name}"


class ActionQuerySet(PreparedQuerySet["Action"]):
    @prepared.rows
    def of_trace(self, trace: int) -> "models.QuerySet[Action]":
        """The actions of a trace in order, with their people and the spans and rounds acted on."""
        actions = self.filter(trace=trace).order_by("id")
        return actions.select_related("user", "span__parent")


class Action(models.Model):
    """What a person did to a turn: stop, approve, deny, answer, retry, fork, …"""

    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="actions")
    span = models.ForeignKey(
        Span, on_delete=models.SET_NULL, null=True, blank=True, related_name="actions"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    kind = models.CharField(max_length=16)
    at = models.DateTimeField(default=timezone.now)
    detail = JSONTextField(default=dict)

    objects = ActionQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=["trace", "id"], name="action_of_trace"),)

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M:%S}"
