from django.db import migrations

from tracing.staff_permissions import given_to_staff

DASHBOARD = ("view_dashboard", "Can view the dashboard and the metrics")

# What staff could do by being staff.
WANTED = {
    "trace": [
        ("view_trace", "Can view trace"),
        ("delete_trace", "Can delete trace"),
        DASHBOARD,
    ],
}


class Migration(migrations.Migration):

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("tracing", "0010_users_and_assistants"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="trace", options={"permissions": (DASHBOARD,)}
        ),
        migrations.RunPython(given_to_staff("tracing", WANTED), migrations.RunPython.noop),
    ]
