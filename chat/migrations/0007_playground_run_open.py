from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0006_cassette_file"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="playgroundrun",
            index=models.Index(
                condition=models.Q(("state__in", ["asked", "running"])),
                fields=["id"],
                name="playground_run_open",
            ),
        ),
    ]
