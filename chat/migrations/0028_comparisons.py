from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0027_first_steps"),
    ]

    operations = [
        migrations.AddField(
            model_name="turn",
            name="comparison",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="turn",
            name="lane",
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name="turn",
            name="is_compared",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.RemoveConstraint(
            model_name="turn",
            name="turn_one_runs",
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(
                condition=Q(status__in=["streaming", "waiting"]),
                fields=("conversation", "lane"),
                name="turn_one_runs",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=Q(is_compared=False) | Q(comparison__isnull=False),
                name="turn_compared_with_others",
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=Q(comparison__isnull=False), fields=["comparison"], name="turn_comparison"
            ),
        ),
    ]
