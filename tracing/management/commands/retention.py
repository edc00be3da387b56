"""Removes the evidence of old traces now, as the tools worker does every hour."""

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tracing.retention import ageing


class Command(BaseCommand):
    help = (
        "Removes spans and payloads of turns that ended long ago, and the traces of probes, "
        "trials and playground runs. Messages stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=_days, help="instead of what the settings say")
        parser.add_argument("--dry-run", action="store_true", help="only says how many there are")

    def handle(self, *args: Any, **options: Any) -> None:
        given = options["days"]
        turns, others = ageing.days() if given is None else (given, given)
        if turns is None and others is None:
            self.stdout.write("Nothing is too old: set TRACE_RETENTION_DAYS, or give --days.")
            return
        if options["dry_run"]:
            count = ageing.due(turns, others).count()
            self.stdout.write(f"Traces that would be removed: {count:,}.")
            return
        total = 0
        while done := ageing.remove_some(turns, others):
            total += done
        self.stdout.write(f"Traces removed: {total:,}.")


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1
    if not 0 <= days <= 100_000:
        raise ArgumentTypeError("a number of days, 0 or more")
    return days
