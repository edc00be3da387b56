from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_invitations'),
    ]

    operations = [
        migrations.CreateModel(
            name='KeyProof',
            fields=[
                ('name', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('proof', models.TextField()),
            ],
        ),
    ]
