from django.db import migrations, models

from tracing.search import deleted_words


def make_trigger(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            deleted_words.trigger("tracing_words_noted", "tracing_searchtext", "tracing_words")
        )


def drop_trigger(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER tracing_words_noted")


class Migration(migrations.Migration):
    dependencies = [
        ("tracing", "0021_gateway_traces"),
    ]

    operations = [
        migrations.CreateModel(
            name="DeletedWords",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("index", models.CharField(max_length=50, unique=True)),
            ],
        ),
        migrations.RunPython(make_trigger, drop_trigger),
    ]
