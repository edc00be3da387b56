import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0017_titles_temporary_and_own_settings"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="is_branched",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddField(
            model_name="turn",
            name="continues",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="turn",
            name="hidden",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="turn",
            name="is_shown",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="turn",
            name="original",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="repeats",
                to="chat.turn",
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="children",
                to="chat.turn",
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="preset",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="chat.preset",
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("is_shown", True)),
                fields=["conversation", "id"],
                name="turn_shown",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("parent", None), ("parent__lt", models.F("id")), _connector="OR"
                ),
                name="turn_after_its_parent",
            ),
        ),
    ]
