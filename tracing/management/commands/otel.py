"""`manage.py otel export [--since TIME]`: sends traces of the past to the collector."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from tracing.export.otlp import due, switch
from tracing.models import Trace


class Command(BaseCommand):
    help = "Sends ended traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["export"])
        parser.add_argument("--since", type=_moment, help="traces that began then or later")
        parser.add_argument("--again", action="store_true", help="also those that were sent")

    def handle(self, *args: Any, **options: Any) -> None:
        from tracing.export.otlp.collector import CollectorClient, Verdict
        from tracing.export.otlp.mapping import map_trace, spans_of

        if not switch.sends_traces():
            raise CommandError("OTEL_EXPORTER_OTLP_ENDPOINT is not set.")
        if why := switch.problem():
            raise CommandError(why)
        collector = CollectorClient()
        sent = 0
        for trace in _wanted(options["since"], again=options["again"]):
            answer = collector.send(map_trace(trace, spans_of(trace)))
            if answer.verdict is Verdict.FAILED:
                raise CommandError(f"{sent} traces were sent, then it failed. {answer.why}")
            if answer.verdict is Verdict.REFUSED:
                self.stderr.write(f"Trace {trace.public_id} was refused. {answer.why}")
                continue
            due.mark(trace)
            sent += 1
        self.stdout.write(f"{sent} traces were sent to {switch.destination()}.")


def _wanted(since: datetime | None, *, again: bool) -> Any:
    wanted = Trace.objects.exclude(ended=None)
    if since is not None:
        wanted = wanted.filter(started__gte=since)
    if not again:
        wanted = wanted.filter(exported=None)
    return wanted.order_by("id").iterator(chunk_size=50)


def _moment(text: str) -> datetime:
    """A date or a date with a time. Raises ValueError."""
    parsed = parse_datetime(text)
    day = parse_date(text) if parsed is None else None
    if day is not None:
        parsed = datetime(day.year, day.month, day.day)
    if parsed is None:
        raise ValueError(text)
    return parsed if timezone.is_aware(parsed) else timezone.make_aware(parsed)
