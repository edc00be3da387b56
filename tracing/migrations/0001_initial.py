import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import db.fields
import tracing.models.packed_json


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("tracing", "0002_digest"),
        ("tracing", "0003_trace_owner"),
        ("tracing", "0005_measure_period"),
        ("tracing", "0006_collector"),
        ("tracing", "0007_agent"),
        ("tracing", "0009_list_orders"),
        ("tracing", "0010_users_and_assistants"),
        ("tracing", "0011_permissions_of_staff"),
        ("tracing", "0012_metric"),
        ("tracing", "0013_decision_columns"),
        ("tracing", "0014_archive_swept"),
        ("tracing", "0015_spans_of_a_kind"),
        ("tracing", "0016_blob_base"),
        ("tracing", "0017_packed_attributes"),
        ("tracing", "0018_title_and_unlisted_traces"),
        ("tracing", "0019_facet_of_feedback"),
        ("tracing", "0020_usage_by_model"),
        ("tracing", "0021_gateway_traces"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Archive",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("blobs", models.PositiveBigIntegerField(default=0)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="archives",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="children",
                        to="tracing.archive",
                    ),
                ),
                ("swept", models.PositiveBigIntegerField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Trace",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", db.fields.LabelField(max_length=200)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="running",
                        max_length=16,
                    ),
                ),
                ("started", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                ("attributes", db.fields.JSONTextField(default=dict)),
                (
                    "archive",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="traces",
                        to="tracing.archive",
                    ),
                ),
                ("calls", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "cost",
                    models.DecimalField(blank=True, decimal_places=9, max_digits=18, null=True),
                ),
                ("digested", models.DateTimeField(blank=True, null=True)),
                ("duration_ms", models.PositiveBigIntegerField(blank=True, null=True)),
                ("exported", models.DateTimeField(blank=True, null=True)),
                ("has_error", models.BooleanField(default=False)),
                ("has_retry", models.BooleanField(default=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("turn", "Turn"),
                            ("probe", "Probe"),
                            ("trial", "Trial"),
                            ("playground", "Playground"),
                            ("replay", "Replay"),
                            ("subagent", "Subagent"),
                            ("title", "Title"),
                            ("gateway", "Gateway"),
                        ],
                        default="turn",
                        max_length=16,
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="traces",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("rounds", models.PositiveIntegerField(blank=True, null=True)),
                ("tokens", models.PositiveBigIntegerField(blank=True, null=True)),
                ("tokens_in", models.PositiveBigIntegerField(blank=True, null=True)),
                ("tokens_out", models.PositiveBigIntegerField(blank=True, null=True)),
                ("removed", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["-started", "-id"], name="trace_newest"),
                    models.Index(fields=["status", "-started"], name="trace_status_newest"),
                    models.Index(fields=["owner", "-started", "-id"], name="trace_owner_newest"),
                    models.Index(fields=["-duration_ms", "-id"], name="trace_longest"),
                    models.Index(fields=["-tokens", "-id"], name="trace_most_tokens"),
                    models.Index(fields=["-cost", "-id"], name="trace_dearest"),
                    models.Index(
                        condition=models.Q(("has_error", True)),
                        fields=["-started", "-id"],
                        name="trace_with_error",
                    ),
                    models.Index(
                        condition=models.Q(("has_retry", True)),
                        fields=["-started", "-id"],
                        name="trace_with_retry",
                    ),
                    models.Index(
                        condition=models.Q(("digested", None)),
                        fields=["id"],
                        name="trace_undigested",
                    ),
                    models.Index(fields=["kind", "-started", "-id"], name="trace_kind_newest"),
                    models.Index(
                        condition=models.Q(("exported", None)),
                        fields=["ended", "id"],
                        name="trace_unexported",
                    ),
                    models.Index(fields=["-rounds", "-id"], name="trace_most_rounds"),
                    models.Index(fields=["-calls", "-id"], name="trace_most_calls"),
                    models.Index(fields=["-ended", "-id"], name="trace_last_ended"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["running", "succeeded", "failed", "stopped"])
                        ),
                        name="trace_status_known",
                    )
                ],
                "permissions": (("view_dashboard", "Can view the dashboard and the metrics"),),
            },
        ),
        migrations.CreateModel(
            name="Span",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("turn", "Turn"),
                            ("round", "Round"),
                            ("generation", "Generation"),
                            ("tool", "Tool"),
                            ("mcp", "Mcp"),
                            ("compaction", "Compaction"),
                            ("subagent", "Subagent"),
                            ("approval", "Approval"),
                            ("queue", "Queue"),
                        ],
                        max_length=16,
                    ),
                ),
                ("name", db.fields.LabelField(max_length=200)),
                ("number", models.PositiveIntegerField(default=1)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                            ("superseded", "Superseded"),
                            ("proposed", "Proposed"),
                            ("awaiting_approval", "Awaiting Approval"),
                            ("approved", "Approved"),
                            ("denied", "Denied"),
                            ("sent", "Sent"),
                            ("waiting", "Waiting"),
                            ("outcome_unknown", "Outcome Unknown"),
                        ],
                        default="running",
                        max_length=20,
                    ),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("started", models.DateTimeField(blank=True, null=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("attributes", tracing.models.packed_json.PackedJSONField(default=dict)),
                ("owner", models.CharField(blank=True, default="", max_length=64)),
                ("token", models.PositiveIntegerField(default=0)),
                ("lease_expires", models.DateTimeField(blank=True, null=True)),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="children",
                        to="tracing.span",
                    ),
                ),
                (
                    "trace",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="spans",
                        to="tracing.trace",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["trace", "id"], name="span_of_trace"),
                    models.Index(
                        condition=models.Q(("status__in", ["failed", "outcome_unknown"])),
                        fields=["kind", "-id"],
                        name="span_failed_newest",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("kind", "tool"), ("status__in", ["approved", "sent", "waiting"])
                        ),
                        fields=["lease_expires"],
                        name="span_open_calls",
                    ),
                    models.Index(
                        condition=models.Q(("kind__gt", "")),
                        fields=["kind", "-id"],
                        name="span_kind_newest",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                [
                                    "running",
                                    "succeeded",
                                    "failed",
                                    "cancelled",
                                    "superseded",
                                    "proposed",
                                    "awaiting_approval",
                                    "approved",
                                    "denied",
                                    "sent",
                                    "waiting",
                                    "outcome_unknown",
                                ],
                            )
                        ),
                        name="span_status_known",
                    ),
                    models.UniqueConstraint(
                        fields=("trace", "parent", "kind", "number"), name="span_position_once"
                    ),
                ],
            },
        ),
        # SQLite writes the table anew, with the reference to itself as the last column: the order
        # that databases have, as in chat.
        migrations.AddConstraint(
            model_name="span",
            constraint=models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "turn",
                                    "round",
                                    "generation",
                                    "tool",
                                    "mcp",
                                    "compaction",
                                    "subagent",
                                    "approval",
                                    "queue",
                                ],
                            )
                        ),
                        name="span_kind_known",
                    ),
        ),
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
        migrations.AddField(
            model_name="trace",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="nested",
                to="tracing.span",
            ),
        ),
        migrations.AddField(
            model_name="trace",
            name="is_listed",
            field=models.BooleanField(default=True),
        ),
        migrations.CreateModel(
            name="Blob",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ordinal", models.PositiveBigIntegerField()),
                ("sha256", models.BinaryField(max_length=32)),
                ("size", models.PositiveBigIntegerField()),
                ("compressed", models.BinaryField()),
                (
                    "archive",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blob_set",
                        to="tracing.archive",
                    ),
                ),
                ("base", models.PositiveBigIntegerField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("archive", "sha256"), name="blob_once_an_archive"
                    ),
                    models.UniqueConstraint(
                        fields=("archive", "ordinal"), name="blob_ordinal_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Payload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "stage",
                    models.CharField(
                        choices=[
                            ("input", "Input"),
                            ("request", "Request"),
                            ("response", "Response"),
                            ("output", "Output"),
                            ("arguments", "Arguments"),
                            ("result", "Result"),
                            ("shown", "Shown"),
                            ("frames", "Frames"),
                            ("stderr", "Stderr"),
                        ],
                        max_length=16,
                    ),
                ),
                ("sha256", models.BinaryField(max_length=32)),
                ("size", models.PositiveBigIntegerField()),
                ("manifest", models.BinaryField()),
                ("chunks", models.BinaryField(default=b"")),
                ("attributes", tracing.models.packed_json.PackedJSONField(default=dict)),
                ("redacted", models.BooleanField(default=False)),
                ("sha256_sent", models.BinaryField(blank=True, max_length=32, null=True)),
                (
                    "span",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="payloads",
                        to="tracing.span",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "stage__in",
                                [
                                    "input",
                                    "request",
                                    "response",
                                    "output",
                                    "arguments",
                                    "result",
                                    "shown",
                                    "frames",
                                    "stderr",
                                ],
                            )
                        ),
                        name="payload_stage_known",
                    ),
                    models.UniqueConstraint(fields=("span", "stage"), name="payload_once_a_stage"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Action",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("detail", db.fields.JSONTextField(default=dict)),
                (
                    "span",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="actions",
                        to="tracing.span",
                    ),
                ),
                (
                    "trace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="actions",
                        to="tracing.trace",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["trace", "id"], name="action_of_trace")],
            },
        ),
        migrations.CreateModel(
            name="Facet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        choices=[
                            ("model", "Model"),
                            ("provider", "Provider"),
                            ("dialect", "Dialect"),
                            ("server", "Server"),
                            ("tool", "Tool"),
                            ("assistant", "Assistant"),
                            ("feedback", "Feedback"),
                        ],
                        max_length=16,
                    ),
                ),
                ("value", db.fields.LabelField(max_length=200)),
                ("started", models.DateTimeField()),
                (
                    "trace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="facets",
                        to="tracing.trace",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["name", "value", "-started", "-trace"], name="facet_newest"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("trace", "name", "value"), name="facet_once_a_trace"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FacetValue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        choices=[
                            ("model", "Model"),
                            ("provider", "Provider"),
                            ("dialect", "Dialect"),
                            ("server", "Server"),
                            ("tool", "Tool"),
                            ("assistant", "Assistant"),
                            ("feedback", "Feedback"),
                        ],
                        max_length=16,
                    ),
                ),
                ("value", db.fields.LabelField(max_length=200)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("name", "value"), name="facet_value_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Deletion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked", models.DateTimeField(default=django.utils.timezone.now)),
                ("traces", db.fields.JSONTextField(default=list)),
                ("total", models.PositiveIntegerField()),
                ("ended", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trace_deletions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("ended", None)), fields=["id"], name="deletion_open"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Collector",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.CharField(max_length=64, unique=True)),
                ("since", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Metric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("hour", models.DateTimeField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("turn", "Turn"),
                            ("generation", "Generation"),
                            ("tool", "Tool"),
                            ("user", "User"),
                            ("user_model", "User Model"),
                            ("assistant", "Assistant"),
                        ],
                        max_length=16,
                    ),
                ),
                ("group", db.fields.LabelField(blank=True, default="", max_length=200)),
                ("name", db.fields.LabelField(blank=True, default="", max_length=200)),
                ("count", models.PositiveBigIntegerField(default=0)),
                ("errors", models.PositiveBigIntegerField(default=0)),
                ("retries", models.PositiveBigIntegerField(default=0)),
                ("rounds", models.PositiveBigIntegerField(default=0)),
                ("tokens_in", models.PositiveBigIntegerField(default=0)),
                ("tokens_out", models.PositiveBigIntegerField(default=0)),
                ("tokens_cached", models.PositiveBigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=9, default=0, max_digits=18)),
                ("total_ms", models.PositiveBigIntegerField(default=0)),
                ("durations", db.fields.JSONTextField(default=dict)),
                ("first_tokens", db.fields.JSONTextField(default=dict)),
                ("slowest_ms", models.PositiveBigIntegerField(default=0)),
                ("last_error", db.fields.SentenceField(blank=True, default="")),
                (
                    "last_failed",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tracing.span",
                    ),
                ),
                (
                    "slowest",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tracing.span",
                    ),
                ),
                ("first_tokens_ms", models.PositiveBigIntegerField(default=0)),
                (
                    "period",
                    models.CharField(
                        choices=[
                            ("hour", "Hour"),
                            ("day", "Day"),
                            ("week", "Week"),
                            ("ever", "Ever"),
                        ],
                        default="hour",
                        max_length=4,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["period", "kind", "hour"], name="measure_of_kind")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("period", "hour", "kind", "group", "name"),
                        name="measure_once_a_period",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DeletedWords",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("index", models.CharField(max_length=50, unique=True)),
            ],
        ),
    ]
