import django.db.models.deletion
import django.utils.timezone
import db.fields
import uuid
from django.conf import settings
from django.db import migrations, models


def name_presets(apps, schema_editor):
    # The column's default is worked out once for all rows, and each needs its own.
    for preset in apps.get_model("chat", "Preset").objects.all():
        preset.public_id = uuid.uuid4()
        preset.save(update_fields=["public_id"])


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0007_playground_run_open"),
        ("tracing", "0007_agent"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Compaction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("micro", "Micro"), ("summary", "Summary")], max_length=8
                    ),
                ),
                ("summary", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="Skill",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=64, unique=True)),
                ("description", models.TextField(blank=True, default="")),
                ("source", models.TextField()),
                ("uploaded", models.BooleanField(default=False)),
                ("problem", models.TextField(blank=True, default="")),
                ("enabled", models.BooleanField(default=True)),
                ("found", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.AddField(
            model_name="conversation",
            name="activated",
            field=db.fields.JSONTextField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="conversation",
            name="limits",
            field=db.fields.JSONTextField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="conversation",
            name="parent_call",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="subagents",
                to="tracing.span",
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="preset",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="conversations",
                to="chat.preset",
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="skills",
            field=db.fields.JSONTextField(blank=True, default=None, null=True),
        ),
        migrations.AddField(
            model_name="conversation",
            name="todos",
            field=db.fields.JSONTextField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="preset",
            name="created",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name="preset",
            name="description",
            field=models.CharField(blank=True, default="", max_length=300),
        ),
        migrations.AddField(
            model_name="preset",
            name="limits",
            field=db.fields.JSONTextField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="preset",
            name="model",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="chat.languagemodel",
            ),
        ),
        migrations.AddField(
            model_name="preset",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="presets",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="preset",
            name="public_id",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.RunPython(name_presets, migrations.RunPython.noop, elidable=True),
        migrations.AlterField(
            model_name="preset",
            name="public_id",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AddField(
            model_name="preset",
            name="published",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="preset",
            name="servers",
            field=db.fields.JSONTextField(blank=True, default=None, null=True),
        ),
        migrations.AddField(
            model_name="preset",
            name="skills",
            field=db.fields.JSONTextField(blank=True, default=None, null=True),
        ),
        migrations.AlterField(
            model_name="preset",
            name="name",
            field=models.CharField(max_length=80),
        ),
        migrations.AddConstraint(
            model_name="preset",
            constraint=models.UniqueConstraint(
                condition=models.Q(("owner", None)), fields=("name",), name="preset_once_published"
            ),
        ),
        migrations.AddConstraint(
            model_name="preset",
            constraint=models.UniqueConstraint(
                fields=("owner", "name"), name="preset_once_an_owner"
            ),
        ),
        migrations.AddField(
            model_name="compaction",
            name="conversation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="compactions",
                to="chat.conversation",
            ),
        ),
        migrations.AddField(
            model_name="compaction",
            name="span",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="compactions",
                to="tracing.span",
            ),
        ),
        migrations.AddField(
            model_name="compaction",
            name="upto",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"
            ),
        ),
        migrations.AddIndex(
            model_name="compaction",
            index=models.Index(fields=["conversation", "kind", "-id"], name="compaction_latest"),
        ),
        migrations.AddConstraint(
            model_name="compaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["micro", "summary"])), name="compaction_kind_known"
            ),
        ),
    ]
