"""The database settings: SQLite in the home folder, or what `DATABASE_URL` names."""

import os
from pathlib import Path
from typing import Any, cast

import dj_database_url

from limits.processes import MAX_DATABASE_CONNECTIONS


def from_url(url: str, home: Path) -> dict[str, Any]:
    """Django's settings for `url`; for "" a SQLite file in `home`."""
    parsed = dj_database_url.parse(url or f"sqlite:///{home / 'roundtrip.sqlite3'}")
    settings = cast(dict[str, Any], parsed)
    if settings["ENGINE"] == "django.db.backends.sqlite3":
        return settings | _sqlite(home)
    return settings | _postgresql(settings.get("OPTIONS") or {})


def _sqlite(home: Path) -> dict[str, Any]:
    """Writers wait for up to 20 s. A transaction takes the write lock at its begin (IMMEDIATE):
    upgrading a read to a write later would fail at once. What is deleted is overwritten
    (`secure_delete`)."""
    return {
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;"
            ),
        },
        # A file, as in production: threads of a test have connections of their own and wait for
        # locks.
        "TEST": {"NAME": home / "test.sqlite3"},
    }


def _postgresql(options: dict[str, Any]) -> dict[str, Any]:
    """A connection pool per process: few of its 200 threads use the database at the same time."""
    max_size = int(os.environ.get("DATABASE_POOL") or MAX_DATABASE_CONNECTIONS)
    pool = {"min_size": 1, "max_size": max_size, "timeout": 10}
    options = options | {"pool": pool}
    return {"ENGINE": "db.postgresql", "CONN_MAX_AGE": 0, "OPTIONS": options}
