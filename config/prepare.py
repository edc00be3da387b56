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

from django.conf import settings
from django.contrib.auth.models import User
from django.core import checks
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor

from chat.agent.checks import TAG as AGENT
from config import readiness
from config.accounts.links import path_for
from tools import encryption


def main() -> None:
    refuse_bad_settings()
    refuse_earlier_database()
    migrate()
    refuse_other_keys()
    is_first = find_owner() is None
    call_command("setup", stdout=sys.stderr)
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


def refuse_earlier_database() -> None:
    """Exits if only some of the migrations of an earlier commit are applied."""
    problems = checks.run_checks(tags=[checks.Tags.database], databases=[DEFAULT_DB_ALIAS])
    if problems:
        raise SystemExit("\n".join(problem.msg for problem in problems))


def refuse_other_keys() -> None:
    """Exits if the database was encrypted with a key that this home does not have."""
    if not encryption.fits_database():
        file = settings.HOME / "keys" / "encryption"
        raise SystemExit(
            f"{file} does not have the key with which this database was encrypted. Copy the file "
            "keys/encryption from the home of the installation that made the database."
        )


def migrate() -> None:
    """Apply missing migrations, and create the cache table if it is missing."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        sys.stderr.write(f"Applying {len(plan)} migrations …\n")
        call_command("migrate", interactive=False, verbosity=0)
    else:
        executor.check_replacements()  # an earlier database: they are recorded as applied
    if settings.CACHES["default"]["LOCATION"] not in connection.introspection.table_names():
        call_command("createcachetable", verbosity=0)


if __name__ == "__main__":
    main()
