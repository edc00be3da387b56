from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("tracing", "0005_measure_period"),
    ]

    operations = [
        migrations.CreateModel(
            name="Collector",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.CharField(max_length=64, unique=True)),
                ("since", models.DateTimeField()),
            ],
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(
                condition=models.Q(("exported", None)),
                fields=["ended", "id"],
                name="trace_unexported",
            ),
        ),
    ]
