import uuid

import db.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def keep_titles(apps, schema_editor):
    """Who named the conversations of before is not known: no model renames them."""
    apps.get_model("chat", "Conversation").objects.update(named_by="person")


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("chat", "0016_personal_settings"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="named_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "nobody yet"),
                    ("first_words", "First Words"),
                    ("model", "Model"),
                    ("person", "Person"),
                ],
                default="",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="is_temporary",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="conversation",
            name="watched",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="conversation",
            name="instructions",
            field=db.fields.SentenceField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="conversation",
            name="parameters",
            field=db.fields.JSONTextField(blank=True, default=dict),
        ),
        migrations.RunPython(keep_titles, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("is_temporary", True)),
                fields=["watched"],
                name="conversation_temporary",
            ),
        ),
        migrations.AddConstraint(
            model_name="conversation",
            constraint=models.CheckConstraint(
                condition=models.Q(("named_by__in", ["", "first_words", "model", "person"])),
                name="conversation_named_by_known",
            ),
        ),
        migrations.AddField(
            model_name="languagemodel",
            name="open_parameters",
            field=db.fields.JSONTextField(blank=True, default=None, null=True),
        ),
        migrations.AddField(
            model_name="languagemodel",
            name="is_for_titles",
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name="languagemodel",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_for_titles", True)),
                fields=("is_for_titles",),
                name="model_one_for_titles",
            ),
        ),
        migrations.CreateModel(
            name="Fact",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("number", models.PositiveIntegerField()),
                ("text", db.fields.LabelField(max_length=300)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="chat.conversation",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="facts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "number"), name="fact_once_a_number")
                ],
            },
        ),
    ]
