"""Triggers of SQLite that note in which index of words something was deleted.

FTS5 keeps the words of a deleted text until segments of the index are merged, which costs as much
as the index is large. So what was deleted is noted, by whatever statement it was, and merged away
by periodic work for many deletions at once (`tracing.retention.erasing`).
"""

TABLE = "tracing_deletedwords"


def trigger(name: str, table: str, index: str) -> str:
    """The statement for a trigger that notes deletions of rows of this table."""
    return (
        f"CREATE TRIGGER IF NOT EXISTS {name} AFTER DELETE ON {table} BEGIN "
        f"INSERT OR REPLACE INTO {TABLE} (\"index\") VALUES ('{index}'); END"
    )
