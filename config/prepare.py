"""`python -m config.prepare`: all that comes before the services start, in one process.

Migrations, the cache's table, what a fresh deployment begins with, and a sign-in link for the
owner, whose path goes to the supervisor: on the first start, and where a terminal shows it. The
output of a service is kept in logs, which others may read.
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
    """Ends with what is wrong and what to do. Only our own checks: Django's are for developers."""
    found = checks.run_checks(tags=[AGENT])
    if found:
        raise SystemExit("\n".join(f"{one.msg} {one.hint}" for one in found))


def migrate() -> None:
    """Bring the database up to date; a look at what is applied, if nothing is to be done."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        sys.stderr.write(f"Applying {len(plan)} migrations …\n")
        call_command("migrate", interactive=False, verbosity=0)
    if settings.CACHES["default"]["LOCATION"] not in connection.introspection.table_names():
        call_command("createcachetable", verbosity=0)


if __name__ == "__main__":
    main()
