"""Counts ended traces that the figures of the dashboard do not include, as after a restore."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tracing.stats.aggregates.ended_traces import aggregate_pending

STEP = 1000


class Command(BaseCommand):
    help = "Counts ended traces that are not counted yet: 1,000 of them, or all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="go on until none is left")

    def handle(self, *args: Any, **options: Any) -> None:
        total = 0
        while count := aggregate_pending(STEP):
            total += count
            if not options["all"]:
                break
            self.stdout.write(f"{total:,} traces counted so far")
        self.stdout.write(f"Done: {total:,} traces counted.")
