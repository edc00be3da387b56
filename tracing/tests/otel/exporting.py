"""Exporting a turn to a receiver, and finding its spans there."""

from typing import Any

from tracing.export.otlp.collector import CollectorClient
from tracing.export.otlp.mapping import map_trace, spans_of
from tracing.tests.builders import ATurn
from tracing.tests.otel.receiver import Receiver


def export(turn: ATurn) -> None:
    answer = CollectorClient().send(map_trace(turn.trace, spans_of(turn.trace)))
    assert answer.verdict.value == "taken", answer.why


def model_call(receiver: Receiver, number: int) -> Any:
    """One of the attempts of all rounds, in order."""
    return [span for span in receiver.spans if span.name == "chat qwen-72b"][number]
