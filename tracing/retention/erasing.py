"""Erasing deleted texts from the files of SQLite: the end of each deletion.

The `tools` worker does it once a minute for all deletions since, and the deletion of an account for
itself, as steps of its receipt. Other databases do it by themselves (docs/security.md).
"""

import time
from collections.abc import Callable, Iterator

from django.db import connection

from db import sqlite_files
from db.threads import in_database
from tracing.models import DeletedWords
from tracing.stats.aggregates.metrics import forget_errors

# Seconds of pause after each second of such work: it grows with the database.
PAUSE_SHARE = 50


class LogInUse(RuntimeError):
    """Somebody has read from the log of SQLite for longer than its truncation waits."""


class Pace:
    """Keeps periodic work to a share of the time."""

    def __init__(self) -> None:
        self._next = 0.0

    def run(self, work: Callable[[], object]) -> None:
        """Runs it, unless it is too early."""
        began = time.monotonic()
        if began < self._next:
            return
        try:
            work()
        finally:
            ended = time.monotonic()
            self._next = ended + PAUSE_SHARE * (ended - began)


_pace = Pace()


def erase_deleted() -> None:
    """Erases what was deleted since the last time, unless that was long work a moment ago, and
    empties the log."""
    if connection.vendor != "sqlite":
        return
    try:
        if in_database(DeletedWords.objects.exists):
            in_database(forget_errors)
            _pace.run(lambda: list(_rewrite()))
    finally:
        sqlite_files.truncate_log()


def steps() -> Iterator[str]:
    """Erases all that was deleted; the name of each step when it is done. Raises `LogInUse`."""
    in_database(forget_errors)
    if connection.vendor != "sqlite":
        return
    yield from _rewrite()
    if not sqlite_files.truncate_log():
        raise LogInUse
    yield "log"


def _rewrite() -> Iterator[str]:
    """Erases deleted words from the indexes that have some, and copies of rows."""
    noted = in_database(lambda: list(DeletedWords.objects.all()))
    for one in noted:
        sqlite_files.merge_words(one.index)
    yield "words"
    if sqlite_files.rewrite():
        yield "copies"
    # A deletion that came meanwhile has replaced the row, by one with another key.
    in_database(DeletedWords.objects.filter(pk__in=[one.pk for one in noted]).delete)
