"""`python -m config.prepare`: everything that precedes the start of the services, in one process.

Migrations, the cache table, first data (`manage.py setup`), and a sign-in link for the owner. The
supervisor gets the link's path through the readiness pipe, on the first start or if a terminal
shows it; it is not printed here, because logs keep the output of processes.
"""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402  # only after django.setup()
from django.contrib.auth.models import User  # noqa: E402
from django.core import checks  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

from chat.agent.checks import TAG as AGENT  # noqa: E402
from config import readiness  # noqa: E402
from config.accounts.links import path_for  # noqa: E402
from config.accounts.models import AuditEntry  # noqa: E402


def main() -> None:
    refuse_bad_settings()
    migrate()
    is_first = find_owner() is None
    call_command("setup", stdout=sys.stderr)
    AuditEntry.objects.expired().delete()
    owner = find_owner()
    if owner is not None and (is_first or os.environ.get(readiness.TERMINAL)):
        readiness.announce(path_for(owner))


def find_owner() -> User | None:
    return User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()


def refuse_bad_settings() -> None:
    """Exits with the messages and hints of our own checks; Django's are for developers."""
    problems = checks.run_checks(tags=[AGENT])
    if problems:
        raise SystemExit("\n".join(f"{problem.msg} {problem.hint}" for problem in problems))


def migrate() -> None:
    """Apply missing migrations, and create the cache table if it is missing."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        sys.stderr.write(f"Applying {len(plan)} migrations …\n")
        call_command("migrate", interactive=False, verbosity=0)
    if settings.CACHES["default"]["LOCATION"] not in connection.introspection.table_names():
        call_command("createcachetable", verbosity=0)


if __name__ == "__main__":
    main()
