from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("tracing", "0008_search_origins"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(fields=["-rounds", "-id"], name="trace_most_rounds"),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(fields=["-calls", "-id"], name="trace_most_calls"),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(fields=["-ended", "-id"], name="trace_last_ended"),
        ),
    ]
