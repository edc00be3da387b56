"""The end of a test that commits: its rows are deleted, in a third of the time of Django's flush.

Django empties every table, then makes content types and permissions anew. Most tests write to a few
of the tables only, and none changes what Django derives from the models.
"""

from collections.abc import Sequence
from functools import cache

from django.db import IntegrityError, OperationalError, connection, transaction

# A thread of the test that still ends may hold a row of what is deleted.
ATTEMPTS = 3

# What `post_migrate` makes from the models.
DERIVED = {"auth_permission", "django_content_type"}


def delete_all_rows() -> None:
    """Of the tables of all models but DERIVED. Foreign keys are checked at the commit."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _delete_rows(_used_tables())
            return
        except (OperationalError, IntegrityError):  # a deadlock; a row that a late request added
            if attempt == ATTEMPTS:
                raise


def _used_tables() -> Sequence[str]:
    with connection.cursor() as cursor:
        cursor.execute(_used_tables_sql(connection.vendor))
        return [name for (name,) in cursor.fetchall()]


def _delete_rows(names: Sequence[str]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")


@cache
def _used_tables_sql(vendor: str) -> str:
    """A query for the names of those that have rows."""
    return " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(name)})"
        for name in _tables()
    )


def _tables() -> Sequence[str]:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted({*names} - DERIVED)
