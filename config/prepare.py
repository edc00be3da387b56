"""`python -m config.prepare`: everything that precedes the start of the services, in one process.

Keys of a new database, migrations, the cache table, first data (`manage.py setup`), and a sign-in
link for the owner. Several of these may run at once: one of them migrates. The supervisor gets the
link's path through the readiness pipe, on the first start or if a terminal shows it; it is not
printed here, because logs keep the output of processes.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import django

from config import keys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    MADE_KEYS = keys.make_missing()
except keys.UnusableKey as error:
    raise SystemExit(str(error)) from None
django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.core import checks
from django.core.management import call_command
from django.db import connection

from chat.agent.checks import TAG as AGENT
from config import database_state, readiness
from config.accounts import key_proofs
from config.accounts.links import path_for
from tools import encryption

# Of the advisory lock under which PostgreSQL is migrated.
MIGRATING = 0x726F756E64


def main() -> None:
    refuse_bad_settings()
    database_state.wait_until_it_answers()
    with alone():
        migrate()
        refuse_other_keys()
        key_proofs.record()
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


def refuse_other_keys() -> None:
    """Exits if the database belongs to keys that this process does not have. A key that signs may
    be another one if it was given on purpose; it signs everybody out."""
    if MADE_KEYS and connection.vendor != "sqlite" and not key_proofs.is_new_database():
        keys.forget(MADE_KEYS)
        raise SystemExit(keys.missing(MADE_KEYS[0]))
    if not encryption.fits_database() or keys.ENCRYPTION.file_name in key_proofs.foreign_keys():
        raise SystemExit(database_state.other(keys.ENCRYPTION))


@contextmanager
def alone() -> Iterator[None]:
    """On PostgreSQL, one process at a time for the whole database. The lock is a transaction's, on
    a connection of its own, so that it is held through PgBouncer too."""
    if connection.vendor != "postgresql":
        yield
        return
    holder = connection.copy()
    try:
        holder.set_autocommit(False)
        with holder.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATING])
        yield
    finally:
        holder.close()


def migrate() -> None:
    """Apply missing migrations, and create the cache table if it is missing."""
    missing = database_state.missing_migrations()
    if missing:
        sys.stderr.write(f"Applying {len(missing)} migrations …\n")
        call_command("migrate", interactive=False, verbosity=0)
    if settings.CACHES["default"]["LOCATION"] not in connection.introspection.table_names():
        call_command("createcachetable", verbosity=0)


if __name__ == "__main__":
    main()
