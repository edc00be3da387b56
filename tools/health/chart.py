"""The health history of a server, as its page draws it."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.models import Server, ServerContact

SHOWN = 40
BAR_HEIGHT = 32
BAR_WIDTH = 8
LOWEST = 3


@dataclass(frozen=True)
class Bar:
    """One contact as a bar of the chart; a failed one has the full height."""

    contact: ServerContact
    x: int
    y: int
    height: int


@dataclass(frozen=True)
class Health:
    """The last contacts, newest first, and the same as bars, oldest first."""

    contacts: Sequence[ServerContact]
    bars: Sequence[Bar]
    failed: int
    median_ms: int | None

    @property
    def width(self) -> int:
        return BAR_WIDTH * len(self.bars)

    @property
    def height(self) -> int:
        return BAR_HEIGHT


def of(server: Server) -> Health:
    """The last contacts with `server`."""
    contacts = list(server.contacts.all()[:SHOWN])
    latencies = sorted(one.latency_ms for one in contacts if one.latency_ms is not None)
    longest = max(latencies, default=1) or 1
    oldest_first = enumerate(reversed(contacts))
    bars = [_bar(contact, place * BAR_WIDTH, longest) for place, contact in oldest_first]
    median = latencies[len(latencies) // 2] if latencies else None
    return Health(contacts, bars, sum(not one.succeeded for one in contacts), median)


def _bar(contact: ServerContact, x: int, longest: int) -> Bar:
    share = 1.0 if not contact.succeeded else (contact.latency_ms or 0) / longest
    height = max(round(share * BAR_HEIGHT), LOWEST)
    return Bar(contact, x, BAR_HEIGHT - height, height)
