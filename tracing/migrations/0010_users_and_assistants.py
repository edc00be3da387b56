from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from decimal import Decimal

from django.db import migrations, models

from tracing.stats.aggregates import histogram

EVER = datetime(2000, 1, 1, tzinfo=timezone.utc)
FIGURES = ("duration_ms", "rounds", "tokens_in", "tokens_out", "cost", "has_retry")


def places(ended):
    hour = ended.astimezone(timezone.utc).replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    return (
        ("hour", hour),
        ("day", day),
        ("week", day - timedelta(days=day.weekday())),
        ("ever", EVER),
    )


class Sum:
    def __init__(self):
        self.figures = Counter()
        self.cost = Decimal(0)
        self.durations = Counter()
        self.slowest_ms = 0

    def add(self, status, duration_ms, rounds, tokens_in, tokens_out, cost, has_retry):
        self.figures += Counter(
            count=1,
            errors=int(status == "failed"),
            retries=int(has_retry),
            rounds=rounds or 0,
            tokens_in=tokens_in or 0,
            tokens_out=tokens_out or 0,
            total_ms=duration_ms or 0,
        )
        self.cost += cost or 0
        self.slowest_ms = max(self.slowest_ms, duration_ms or 0)
        self.durations[histogram.bucket(duration_ms or 0)] += 1


def count_turns(apps, schema_editor):
    """Turns that were counted already are counted by user and by assistant too, from the figures
    that their rows have."""
    Trace, Measure = apps.get_model("tracing", "Trace"), apps.get_model("tracing", "Measure")
    Facet, FacetValue = apps.get_model("tracing", "Facet"), apps.get_model("tracing", "FacetValue")
    turns = Trace.objects.filter(kind="turn", digested__isnull=False).order_by("pk")
    sums, assistants = defaultdict(Sum), set()
    rows = turns.values_list(
        "pk", "owner_id", "started", "ended", "attributes", "status", *FIGURES
    )
    facets = []
    for pk, owner, started, ended, attributes, *figures in rows.iterator(2_000):
        assistant = attributes.get("preset") if isinstance(attributes, dict) else None
        assistant = assistant[:200] if isinstance(assistant, str) else ""
        for period, hour in places(ended or started):
            sums[period, hour, "user", str(owner)].add(*figures)
            sums[period, hour, "assistant", assistant].add(*figures)
        if assistant:
            assistants.add(assistant)
            facets.append(Facet(trace_id=pk, name="assistant", value=assistant, started=started))
        if len(facets) == 2_000:
            Facet.objects.bulk_create(facets, ignore_conflicts=True)
            facets.clear()
    Measure.objects.bulk_create(
        [
            Measure(
                period=period,
                hour=hour,
                kind=kind,
                name=name,
                cost=some.cost,
                durations=histogram.stored(some.durations),
                slowest_ms=some.slowest_ms,
                **some.figures,
            )
            for (period, hour, kind, name), some in sums.items()
        ],
        batch_size=1_000,
    )
    Facet.objects.bulk_create(facets, ignore_conflicts=True)
    FacetValue.objects.bulk_create(
        [FacetValue(name="assistant", value=value) for value in sorted(assistants)],
        ignore_conflicts=True,
    )


def forget(apps, schema_editor):
    apps.get_model("tracing", "Measure").objects.filter(kind__in=["user", "assistant"]).delete()
    for name in ("Facet", "FacetValue"):
        apps.get_model("tracing", name).objects.filter(name="assistant").delete()


FACETS = [
    ("model", "Model"),
    ("provider", "Provider"),
    ("dialect", "Dialect"),
    ("server", "Server"),
    ("tool", "Tool"),
    ("assistant", "Assistant"),
]
KINDS = [
    ("turn", "Turn"),
    ("generation", "Generation"),
    ("tool", "Tool"),
    ("user", "User"),
    ("assistant", "Assistant"),
]


class Migration(migrations.Migration):

    dependencies = [
        ("tracing", "0009_list_orders"),
    ]

    operations = [
        migrations.AlterField(
            model_name="facet",
            name="name",
            field=models.CharField(choices=FACETS, max_length=16),
        ),
        migrations.AlterField(
            model_name="facetvalue",
            name="name",
            field=models.CharField(choices=FACETS, max_length=16),
        ),
        migrations.AlterField(
            model_name="measure",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=16),
        ),
        migrations.RunPython(count_turns, forget),
    ]
