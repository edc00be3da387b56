"""Counts ended traces: those of before there were figures, or after a restore."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tracing.stats.aggregates.ended_traces import digest_pending

A_STEP = 1000


class Command(BaseCommand):
    help = "Counts ended traces that are not counted yet: 1,000 of them, or all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="go on until none is left")

    def handle(self, *args: Any, **options: Any) -> None:
        total = 0
        while done := digest_pending(A_STEP):
            total += done
            if not options["all"]:
                break
            self.stdout.write(f"{total:,} traces counted so far")
        self.stdout.write(f"Done: {total:,} traces counted.")
