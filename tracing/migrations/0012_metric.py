from django.db import migrations


def rename_permissions(apps, schema_editor):
    """`add_measure` becomes `add_metric`, and so on; who has one keeps it."""
    Permission = apps.get_model("auth", "Permission")
    for permission in Permission.objects.filter(
        content_type__app_label="tracing", codename__endswith="_measure"
    ):
        permission.codename = permission.codename.replace("_measure", "_metric")
        permission.name = permission.name.replace("measure", "metric")
        permission.save()


class Migration(migrations.Migration):

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("tracing", "0011_permissions_of_staff"),
    ]

    operations = [
        migrations.RenameModel("Measure", "Metric"),
        migrations.RunPython(rename_permissions, migrations.RunPython.noop),
    ]
