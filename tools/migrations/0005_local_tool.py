from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tools', '0004_names_resources_and_readings'),
    ]

    operations = [
        migrations.CreateModel(
            name='LocalTool',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=64, unique=True)),
                ('enabled', models.BooleanField()),
                ('policy', models.CharField(choices=[('allow', 'Run it'), ('ask', 'Ask first'), ('deny', 'Refuse it')], max_length=8)),
            ],
            options={
                'ordering': ('name',),
            },
        ),
    ]
