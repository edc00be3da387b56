import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import db.fields


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("api", "0002_program_turns"),
    ]

    dependencies = [
        ("chat", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                ("request_hash", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("content_type", models.CharField(blank=True, max_length=100)),
                ("content", models.BinaryField(default=bytes)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="idempotency_keys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["created"], name="idempotency_key_created")],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "key"), name="idempotency_key_of_user")
                ],
            },
        ),
        migrations.CreateModel(
            name="ProgramTurn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("model", models.CharField(max_length=300)),
                ("history", models.CharField(max_length=64)),
                ("is_response", models.BooleanField(default=False)),
                ("is_stored", models.BooleanField(default=True)),
                ("kept", db.fields.JSONTextField(default=dict)),
                ("with_tools", models.BooleanField(default=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "turn",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="program_turn",
                        to="chat.turn",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="program_turns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["user", "history", "-id"], name="program_turn_history")
                ],
            },
        ),
    ]
