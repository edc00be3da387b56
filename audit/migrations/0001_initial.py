import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("audit", "0002_sign_in_log"),
        ("audit", "0003_filters"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("when", models.DateTimeField(default=django.utils.timezone.now)),
                ("action", models.CharField(max_length=40)),
                ("actor_name", models.CharField(blank=True, max_length=150)),
                (
                    "door",
                    models.CharField(
                        choices=[
                            ("page", "Page"),
                            ("admin", "Admin"),
                            ("api", "API"),
                            ("gateway", "Gateway"),
                            ("mcp", "MCP"),
                            ("shell", "Command line"),
                            ("worker", "Worker"),
                        ],
                        default="page",
                        max_length=10,
                    ),
                ),
                ("address", models.GenericIPAddressField(blank=True, null=True)),
                ("target_type", models.CharField(blank=True, max_length=40)),
                ("target_id", models.CharField(blank=True, max_length=64)),
                ("target_name", models.CharField(blank=True, max_length=200)),
                ("detail", models.JSONField(default=dict)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-when", "-pk"),
                "indexes": [
                    models.Index(fields=["when"], name="audit_event_by_time"),
                    models.Index(fields=["actor", "when"], name="audit_event_by_actor"),
                    models.Index(fields=["action", "when"], name="audit_event_by_action"),
                    models.Index(fields=["door", "when"], name="audit_event_by_door"),
                    models.Index(fields=["target_type", "when"], name="audit_event_by_kind"),
                    models.Index(fields=["target_id", "when"], name="audit_event_by_target"),
                    models.Index(fields=["actor_name", "when"], name="audit_event_by_name"),
                ],
            },
        ),
    ]
