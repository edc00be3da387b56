from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0023_drafts_and_prompts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="personalsettings",
            name="language",
            field=models.CharField(blank=True, default="", max_length=8),
        ),
        migrations.AddConstraint(
            model_name="personalsettings",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", ["", "en", "zh-hans"])),
                name="personal_language_known",
            ),
        ),
    ]
