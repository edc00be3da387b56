from collections import defaultdict
from datetime import timezone

from django.db import migrations, models
from django.utils.dateparse import parse_datetime

# Spans of one statement: below the least number of parameters that a SQLite may be built with.
AT_ONCE = 900


def fill_columns(apps, schema_editor):
    """From the attributes of the same names, which stay. Only tool calls and failed spans are read,
    both by an index; calls with equal values are changed by one statement a batch."""
    Span = apps.get_model("tracing", "Span")
    fill_calls(Span)
    fill_retries(Span)


def fill_calls(Span):
    calls = Span.objects.filter(kind="tool").order_by("pk").values_list("pk", "attributes")
    last = 0
    while rows := list(calls.filter(pk__gt=last)[:AT_ONCE]):
        last = rows[-1][0]
        equal = defaultdict(list)
        for pk, attributes in rows:
            equal[decided_by(attributes)].append(pk)
        for (idempotent, tool_hash), pks in equal.items():
            spans = Span.objects.filter(pk__in=pks)
            spans.update(idempotent=idempotent, tool_hash=tool_hash)


def decided_by(attributes):
    attributes = attributes if isinstance(attributes, dict) else {}
    idempotent, tool_hash = attributes.get("idempotent"), attributes.get("tool_hash")
    return (
        idempotent if isinstance(idempotent, bool) else None,
        tool_hash[:64] if isinstance(tool_hash, str) else None,
    )


def fill_retries(Span):
    for kind in ("generation", "compaction"):
        failed = Span.objects.filter(kind=kind, status="failed").values_list("pk", "attributes")
        moments = [(pk, moment(attributes)) for pk, attributes in failed.iterator()]
        for pk, retry_at in moments:
            if retry_at:
                Span.objects.filter(pk=pk).update(retry_at=retry_at)


def moment(attributes):
    text = attributes.get("retry_at") if isinstance(attributes, dict) else None
    try:
        at = parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return at.replace(tzinfo=at.tzinfo or timezone.utc) if at else None


class Migration(migrations.Migration):

    dependencies = [
        ("tracing", "0012_metric"),
    ]

    operations = [
        migrations.AddField(
            model_name="span",
            name="retry_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="span",
            name="idempotent",
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="span",
            name="tool_hash",
            field=models.CharField(blank=True, max_length=64, null=True),
        ),
        migrations.RunPython(fill_columns, migrations.RunPython.noop),
    ]
