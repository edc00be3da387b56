from django.db import migrations

from tracing.staff_permissions import given_to_staff

# What staff could do by being staff.
WANTED = {
    "provider": [("change_provider", "Can change provider")],
    "skill": [("change_skill", "Can change skill")],
    "preset": [("change_preset", "Can change preset")],
}


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("chat", "0011_windows_and_retries"),
    ]

    operations = [
        migrations.RunPython(given_to_staff("chat", WANTED), migrations.RunPython.noop),
    ]
