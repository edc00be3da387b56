import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tracing', '0006_collector'),
    ]

    operations = [
        migrations.AddField(
            model_name='archive',
            name='parent',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='children', to='tracing.archive'),
        ),
        migrations.AddField(
            model_name='trace',
            name='parent',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='nested', to='tracing.span'),
        ),
        migrations.AlterField(
            model_name='trace',
            name='kind',
            field=models.CharField(choices=[('turn', 'Turn'), ('probe', 'Probe'), ('trial', 'Trial'), ('playground', 'Playground'), ('replay', 'Replay'), ('subagent', 'Subagent')], default='turn', max_length=16),
        ),
    ]
