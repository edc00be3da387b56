"""The health history of a server as bars: heights by latency, failures in full height."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tools.health import chart
from tools.models import Server, ServerContact

pytestmark = pytest.mark.django_db


def a_contact(server: Server, minutes_ago: int, latency_ms: int | None) -> None:
    ServerContact.objects.create(
        server=server,
        at=timezone.now() - timedelta(minutes=minutes_ago),
        succeeded=latency_ms is not None,
        latency_ms=latency_ms,
    )


@pytest.fixture
def server() -> Server:
    return Server.objects.create(name="tested", command="x")


def test_the_newest_contact_is_the_last_bar(server: Server) -> None:
    for minutes, latency in ((3, 100), (2, 50), (1, None)):
        a_contact(server, minutes, latency)
    found = chart.of(server)
    heights = [bar.height for bar in found.bars]
    assert heights == [chart.BAR_HEIGHT, chart.BAR_HEIGHT // 2, chart.BAR_HEIGHT]
    assert (found.failed, found.median_ms) == (1, 100)


def test_only_the_last_contacts_are_shown(server: Server) -> None:
    for minutes in range(chart.SHOWN + 5):
        a_contact(server, minutes, 10)
    assert len(chart.of(server).bars) == chart.SHOWN


def test_a_server_that_was_never_reached_has_no_figures(server: Server) -> None:
    a_contact(server, 1, None)
    assert chart.of(server).median_ms is None
