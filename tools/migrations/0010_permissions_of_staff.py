from django.db import migrations

from tracing.staff_permissions import given_to_staff

PROGRAM = ("add_program", "Can add programs (stdio servers): as much as a shell")

# What staff could do by being staff.
WANTED = {
    "server": [("change_server", "Can change server"), PROGRAM],
    "localtool": [("change_localtool", "Can change local tool")],
}


class Migration(migrations.Migration):

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("tools", "0009_server_headers_url"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="server", options={"ordering": ("name",), "permissions": (PROGRAM,)}
        ),
        migrations.RunPython(given_to_staff("tools", WANTED), migrations.RunPython.noop),
    ]
