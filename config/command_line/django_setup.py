"""Django, for the commands that need it."""

import os
import sys


def set_up() -> None:
    """Loads settings and apps. Exits with a sentence if a setting cannot work."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured

    try:
        django.setup()
    except (ImproperlyConfigured, ValueError) as error:
        sys.exit(f"The settings cannot be used: {error}")


def run_management(prog: str, arguments: list[str]) -> int:
    """Runs a management command as `manage.py` does, with `prog` for its name in help texts."""
    set_up()
    from django.core.management import ManagementUtility

    ManagementUtility([prog, *arguments]).execute()
    return 0
