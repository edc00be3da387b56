"""A column that is filtered by, and not looked up."""

from typing import Any

from django.db.models import Func


class Unindexed(Func):
    """Leaves it to the other conditions which index is walked: `Unindexed(F("kind"))`.

    SQLite has no statistics here, and takes what most rows have for as rare as what few have.
    PostgreSQL knows, and gets the column as it is.
    """

    template = "%(expressions)s"
    arity = 1

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, **context | {"template": "+%(expressions)s"})
