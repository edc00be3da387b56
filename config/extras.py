"""Packages that are installed only where they are wanted: the extras of pyproject.toml.

Standard library only: the supervisor asks before it starts anything.
"""

from importlib.util import find_spec

POSTGRES_SCHEMES = ("postgres", "postgresql", "pgsql")


class MissingExtra(Exception):
    """The configuration needs packages that are not installed; the message names the extra."""

    def __init__(self, setting: str, extra: str) -> None:
        super().__init__(
            f"{setting} needs packages that are not installed: "
            f"pip install 'roundtrip[{extra}]'. In a checkout, make run installs them."
        )


def require_database_driver(url: str) -> None:
    """Raises MissingExtra if `url` (of DATABASE_URL) names PostgreSQL, and there is no psycopg."""
    if url.partition(":")[0] in POSTGRES_SCHEMES and not _is_there("psycopg", "psycopg_pool"):
        raise MissingExtra("DATABASE_URL with PostgreSQL", "postgres")


def _is_there(*packages: str) -> bool:
    return all(find_spec(package) is not None for package in packages)
