"""A condition for which SQLite uses no index."""

from typing import Any

from django.db.models import Func


class Unindexed(Func):
    """Excludes a column from SQLite's choice of an index: `Unindexed(F("kind"))`.

    SQLite has no statistics here, and assumes that a value which most rows have is rare. PostgreSQL
    has them, and gets the plain column.
    """

    template = "%(expressions)s"
    arity = 1

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, **context | {"template": "+%(expressions)s"})
