import db.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("chat", "0015_jobs"),
    ]

    operations = [
        migrations.CreateModel(
            name="PersonalSettings",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="personal",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "theme",
                    models.CharField(
                        blank=True,
                        choices=[("system", "System"), ("light", "Light"), ("dark", "Dark")],
                        default="",
                        max_length=8,
                    ),
                ),
                (
                    "density",
                    models.CharField(
                        choices=[("comfortable", "Comfortable"), ("compact", "Compact")],
                        default="comfortable",
                        max_length=12,
                    ),
                ),
                (
                    "sending_key",
                    models.CharField(
                        choices=[("enter", "Enter"), ("ctrl_enter", "Ctrl+Enter")],
                        default="enter",
                        max_length=12,
                    ),
                ),
                ("time_zone", models.CharField(blank=True, default="", max_length=64)),
                ("notifications", models.BooleanField(default=False)),
                ("instructions", db.fields.SentenceField(blank=True, default="")),
                ("has_titles", models.BooleanField(default=True)),
                ("has_memory", models.BooleanField(default=False)),
                (
                    "preset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="chat.preset",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "personal settings",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("theme__in", ["", "system", "light", "dark"])),
                        name="personal_theme_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("density__in", ["comfortable", "compact"])),
                        name="personal_density_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("sending_key__in", ["enter", "ctrl_enter"])),
                        name="personal_sending_key_known",
                    ),
                ],
            },
        ),
    ]
