import os
from collections.abc import Iterator

import pytest

from tracing.tests.otel.receiver import Receiver, running_receiver

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A collector that export is switched on for, without content."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    with running_receiver() as running:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", running.url)
        yield running


@pytest.fixture
def content(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content may leave."""
    monkeypatch.setenv(CONTENT, "SPAN_ONLY")
