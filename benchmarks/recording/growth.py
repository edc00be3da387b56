"""The size of the database in bytes, whole and by table with its indexes."""

from collections.abc import Iterator

from django.db import connection


def compact() -> None:
    """Frees what is unused, as `VACUUM` does."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM" if connection.vendor == "sqlite" else "VACUUM FULL")


def sizes() -> dict[str, int]:
    """Bytes of each table with its indexes; of SQLite also those of the search index's tables."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT coalesce(tbl_name, name), sum(pgsize) FROM dbstat"
                " LEFT JOIN sqlite_schema USING (name) GROUP BY 1"
            )
        else:
            cursor.execute("SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables")
        return {name: int(size) for name, size in cursor.fetchall()}


def growth(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """By table, the largest first; tables that did not grow are left out."""
    return dict(_growing(before, after))


def _growing(before: dict[str, int], after: dict[str, int]) -> Iterator[tuple[str, int]]:
    for name, size in sorted(after.items(), key=lambda item: before.get(item[0], 0) - item[1]):
        if size > before.get(name, 0):
            yield name, size - before.get(name, 0)
