"""Which errors say that a disk is full."""

import errno
import sqlite3
from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from django.db import OperationalError

from db.space import is_disk_full


def of_sqlite() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (x)")
        database.execute("PRAGMA max_page_count = 2")
        try:
            database.execute("INSERT INTO t VALUES (zeroblob(100000))")
        except sqlite3.OperationalError as error:
            raise OperationalError(str(error)) from error


def of_postgres() -> None:
    raise OperationalError from psycopg.errors.DiskFull()


def of_a_file() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def of_a_lock() -> None:
    raise OperationalError("database is locked") from sqlite3.OperationalError("locked")


@pytest.mark.parametrize(
    ("fail", "is_full"),
    [(of_sqlite, True), (of_postgres, True), (of_a_file, True), (of_a_lock, False)],
)
def test_a_full_disk_is_told_from_other_failures(fail: Callable[[], None], is_full: bool) -> None:
    with pytest.raises((OperationalError, OSError)) as raised:
        fail()
    assert is_disk_full(raised.value) is is_full
