"""The tables of the product at a state of migrations.

What is made of other rows is left out and made again: the indexes of words, and the notes of what
they lack. Left out are sessions too, whose keys would let who reads the archive act as the people
of the instance that still runs; and the cache.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from config.backup.values import Column, column

LEFT_OUT = frozenset({"django_session", "chat_unindexedtext", "chat_unindexedfile"})
_COUNTED_UP = ("AutoField", "BigAutoField")


class Apps(Protocol):
    """Django's apps as they are, or of a state of migrations."""

    def get_models(self, include_auto_created: bool = ...) -> Iterable[Any]: ...


@dataclass(frozen=True)
class Table:
    """`key`: the column of the primary key; `is_counted`: the database gives its values."""

    name: str
    columns: tuple[Column, ...]
    key: str
    is_counted: bool

    @property
    def member(self) -> str:
        """The name in an archive."""
        return f"tables/{self.name}.jsonl.zst"

    @property
    def names(self) -> list[str]:
        return [one.name for one in self.columns]


def tables_of(apps: Apps) -> list[Table]:
    """By name."""
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    options = {model._meta.db_table: model._meta for model in models if not model._meta.proxy}
    return [_table(options[name]) for name in sorted(options) if name not in LEFT_OUT]


def _table(options: Any) -> Table:
    return Table(
        options.db_table,
        tuple(column(field) for field in options.local_concrete_fields),
        options.pk.column,
        options.pk.get_internal_type() in _COUNTED_UP,
    )
