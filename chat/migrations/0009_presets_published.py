import django.utils.timezone
from django.db import migrations, models


def unpublish_those_of_models(apps, schema_editor):
    # So far a preset was chosen with its model; nobody has published one for people to choose.
    apps.get_model("chat", "Preset").objects.update(published=False)


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0008_agent"),
    ]

    operations = [
        migrations.CreateModel(
            name="Shipped",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=64, unique=True)),
                ("given", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.AlterField(
            model_name="preset",
            name="published",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(unpublish_those_of_models, migrations.RunPython.noop),
    ]
