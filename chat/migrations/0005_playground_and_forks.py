import django.db.models.deletion
import django.utils.timezone
import db.fields
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0004_tools_of_a_conversation"),
        ("tracing", "0003_trace_owner"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="forked_from",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="forks",
                to="tracing.trace",
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="forked_round",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Playground",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("title", db.fields.LabelField(blank=True, default="", max_length=200)),
                ("draft", db.fields.JSONTextField(blank=True, default=str)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "archive",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="playground",
                        to="tracing.archive",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="playgrounds",
                        to="tracing.span",
                    ),
                ),
            ],
            options={
                "ordering": ("-updated", "-id"),
            },
        ),
        migrations.CreateModel(
            name="PlaygroundRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("draft", db.fields.JSONTextField(blank=True, default=str)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="asked",
                        max_length=16,
                    ),
                ),
                ("stop_requested", models.BooleanField(default=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "model",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="chat.languagemodel",
                    ),
                ),
                (
                    "playground",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="chat.playground",
                    ),
                ),
                (
                    "trace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="playground_run",
                        to="tracing.trace",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="playground_run_state_known",
                    ),
                    models.UniqueConstraint(
                        fields=("playground", "number"), name="playground_run_number_once"
                    ),
                ],
            },
        ),
    ]
