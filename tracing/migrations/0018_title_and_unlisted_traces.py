from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tracing', '0017_packed_attributes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='trace',
            name='kind',
            field=models.CharField(choices=[('turn', 'Turn'), ('probe', 'Probe'), ('trial', 'Trial'), ('playground', 'Playground'), ('replay', 'Replay'), ('subagent', 'Subagent'), ('title', 'Title')], default='turn', max_length=16),
        ),
        migrations.AddField(
            model_name='trace',
            name='is_listed',
            field=models.BooleanField(default=True),
        ),
    ]
