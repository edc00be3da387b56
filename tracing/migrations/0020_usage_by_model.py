from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tracing", "0019_facet_of_feedback")]

    operations = [
        migrations.AlterField(
            model_name="metric",
            name="kind",
            field=models.CharField(
                choices=[
                    ("turn", "Turn"),
                    ("generation", "Generation"),
                    ("tool", "Tool"),
                    ("user", "User"),
                    ("user_model", "User Model"),
                    ("assistant", "Assistant"),
                ],
                max_length=16,
            ),
        ),
    ]
