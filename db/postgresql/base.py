"""Django's backend for PostgreSQL with a quicker parser of `timestamptz`, and connections that are
open.

psycopg parses each one with a regular expression and three datetimes, which dominates the time of a
page with thousands of spans. Python's own parser takes a tenth of it for values in UTC.

After PostgreSQL was restarted, or has cut its connections, each of those in a pool would fail once,
and the pool would try to connect anew after 1, 2, 4, 8, … s. Here a connection that the server has
closed is put aside without asking the server, and the pool tries four times a second.
"""

import select
from datetime import datetime, tzinfo
from functools import cache
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import get_adapters_template
from psycopg.adapt import AdaptersMap, Buffer
from psycopg.types.datetime import TimestamptzLoader
from psycopg_pool.base import AttemptWithBackoff

# For the pools of this process; psycopg_pool has no parameters for them.
AttemptWithBackoff.INITIAL_DELAY = 0.25
AttemptWithBackoff.DELAY_BACKOFF = 1.0


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        while self.pool and is_cut(connection):
            connection.close()
            self.pool.putconn(connection)
            connection = super().get_new_connection(conn_params)
        return connection

    def get_connection_params(self) -> dict[str, Any]:
        return super().get_connection_params() | {"context": _context(self.timezone)}


def is_cut(connection: "psycopg.Connection[Any]") -> bool:
    """Whether the server has closed it: of one that rests nothing else comes. A system call, and no
    question to the server."""
    resting = select.poll()
    resting.register(connection.pgconn.socket, select.POLLIN)
    return bool(resting.poll(0))


@cache
def _context(zone: tzinfo | None) -> AdaptersMap:
    """Django's adapters for this time zone, with this parser of `timestamptz`."""

    class Moment(TimestamptzLoader):
        # Django compares it: a cursor of another time zone gets Django's own loader.
        timezone = zone

        def load(self, data: Buffer) -> datetime:
            text = str(data, "ascii")
            try:
                # Other zones, and years outside of Python's range, are left to psycopg.
                moment = datetime.fromisoformat(text) if text.endswith("+00") else None
            except ValueError:
                moment = None
            return (moment or super().load(data)).replace(tzinfo=zone)

    adapters = AdaptersMap(get_adapters_template(settings.USE_TZ, zone))
    adapters.register_loader("timestamptz", Moment)
    return adapters
