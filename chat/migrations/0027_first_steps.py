from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0026_shared_links")]

    operations = [
        migrations.AddField(
            model_name="personalsettings",
            name="has_begun",
            field=models.BooleanField(default=False),
        ),
    ]
