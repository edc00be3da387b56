"""Filter and order of the trace list, parsed from the query of its address and written back."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext

from db.fields import storable
from db.public_ids import parse_public_id
from languages.later import later
from limits.traces import MAX_FILTER, MAX_FILTER_NUMBER
from tracing.formatting.text import visible
from tracing.list.orders import ORDERS
from tracing.models import Facet, Trace

FACETS = tuple(Facet.Name.values)
PERIODS = {
    "hour": (later("the last hour"), timedelta(hours=1)),
    "day": (later("the last 24 hours"), timedelta(days=1)),
    "week": (later("the last 7 days"), timedelta(days=7)),
    "month": (later("the last 30 days"), timedelta(days=30)),
}
NUMBERS = ("longer", "shorter", "more", "fewer")


class Chip(NamedTuple):
    """One chosen filter, and the address of the list without it."""

    text: str
    name: str
    without: str


@dataclass(frozen=True)
class TraceFilter:
    """Filters, order and position of a page of the list.

    `numbers`: `longer` and `shorter` in seconds, `more` and `fewer` in tokens. `since` is a name of
    `PERIODS`. `ended_from` (inclusive) and `ended_until` (exclusive) bound the end of a trace, as
    periods of the dashboard do. `after` is the public id of the last trace of the previous page.
    """

    query: str = ""
    status: str = ""
    kind: str = ""
    user: str = ""
    facets: dict[str, str] = field(default_factory=dict)
    since: str = ""
    start: datetime | None = None
    end: datetime | None = None
    ended_from: datetime | None = None
    ended_until: datetime | None = None
    numbers: dict[str, float] = field(default_factory=dict)
    error: bool = False
    retry: bool = False
    sort: str = "newest"
    after: UUID | None = None

    @property
    def is_filtered(self) -> bool:
        return any(self._chosen())

    def address(self, **changes: Any) -> str:
        """The query string with some fields changed; the first page unless `after` is given."""
        changed = replace(self, **{"after": None, **changes})
        return "?" + urlencode([(name, text) for name, text in changed.parameters() if text])

    def parameters(self) -> Iterator[tuple[str, str]]:
        """Query parameters in the form that `read` parses."""
        yield from (("q", self.query), ("status", self.status), ("kind", self.kind))
        yield "user", self.user
        yield from self.facets.items()
        yield "since", self.since
        for name, moment in (("start", self.start), ("end", self.end)):
            yield name, moment.strftime("%Y-%m-%dT%H:%M") if moment else ""
        yield from self.ended()
        for name, number in self.numbers.items():
            yield name, f"{number:g}" if number < 1_000_000 else str(int(number))
        for name, chosen in (("error", self.error), ("retry", self.retry)):
            yield name, "1" if chosen else ""
        yield "sort", "" if self.sort == "newest" else self.sort
        yield "after", str(self.after) if self.after else ""

    def ended(self) -> Iterator[tuple[str, str]]:
        """The bounds of the traces' end as query parameters, in UTC as on the dashboard."""
        for name, moment in (("ended_from", self.ended_from), ("ended_until", self.ended_until)):
            if moment:
                yield name, f"{moment.astimezone(UTC):%Y-%m-%dT%H:%MZ}"

    def chips(self) -> list[Chip]:
        return [Chip(text, name, self.address(**without)) for text, name, without in self._chosen()]

    def without_each(self) -> Iterator[tuple[Chip, "TraceFilter"]]:
        """For each active filter: its chip, and the whole filter without it, at the first page."""
        for chip, (_, _, without) in zip(self.chips(), self._chosen(), strict=True):
            yield chip, replace(self, **{"after": None, **without})

    def _chosen(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        if self.query:
            yield f"“{visible(self.query)}”", "q", {"query": ""}
        if self.status:
            yield Trace.Status(self.status).label.lower(), "status", {"status": ""}
        if self.kind:
            words = (
                gettext("with subagents, titles")
                if self.kind == ANY_KIND
                else gettext("kind: %(kind)s") % {"kind": self.kind}
            )
            yield words, "kind", {"kind": ""}
        if self.user:
            yield gettext("user: %(user)s") % {"user": visible(self.user)}, "user", {"user": ""}
        for name, value in self.facets.items():
            others = {other: at for other, at in self.facets.items() if other != name}
            yield f"{name}: {visible(value)}", name, {"facets": others}
        yield from self._chosen_times()
        for name, number in self.numbers.items():
            rest = {other: at for other, at in self.numbers.items() if other != name}
            yield f"{_WORDS[name]} {number:,g}{_UNITS[name]}", name, {"numbers": rest}
        if self.error:
            yield gettext("with an error"), "error", {"error": False}
        if self.retry:
            yield gettext("with a retry"), "retry", {"retry": False}

    def _chosen_times(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        if self.since:
            yield PERIODS[self.since][0], "since", {"since": ""}
        if self.start:
            yield (
                gettext("from %(start)s") % {"start": f"{self.start:%Y-%m-%d %H:%M}"},
                "start",
                {"start": None},
            )
        if self.end:
            yield (
                gettext("until %(end)s") % {"end": f"{self.end:%Y-%m-%d %H:%M}"},
                "end",
                {"end": None},
            )
        if self.ended_from or self.ended_until:
            ended = {"ended_from": None, "ended_until": None}
            yield (
                gettext("ended %(ended_until)s")
                % {"ended_until": _time_range(self.ended_from, self.ended_until)},
                "ended",
                ended,
            )


def _time_range(start: datetime | None, end: datetime | None) -> str:
    """A time range in words, in UTC; the date is not repeated if both ends share it."""
    begins = f"{start.astimezone(UTC):%Y-%m-%d %H:%M}" if start else ""
    ends = f"{end.astimezone(UTC):%Y-%m-%d %H:%M}" if end else ""
    if not (begins and ends):
        return (
            gettext("from %(begins)s UTC") % {"begins": begins}
            if begins
            else gettext("before %(ends)s UTC") % {"ends": ends}
        )
    same_day = begins[:10] == ends[:10]
    return f"{begins} to {ends[11:] if same_day else ends} UTC"


_WORDS = {
    "longer": later("at least"),
    "shorter": later("at most"),
    "more": later("at least"),
    "fewer": later("at most"),
}
_UNITS = {"longer": " s", "shorter": " s", "more": " tokens", "fewer": " tokens"}
# Every kind of trace; by default subagents are only shown through the turns that began them, and
# requests for titles through their conversations.
ANY_KIND = "any"
# Orders offered above the list; column headings offer the others of `ORDERS`.
SORTS = {
    "newest": later("Newest"),
    "longest": later("Longest"),
    "tokens": later("Most tokens"),
    "cost": later("Most expensive"),
}


def read(query: QueryDict, zone: tzinfo) -> TraceFilter:
    """The filter that a query string describes; invalid values are ignored."""
    facets = {name: value for name in FACETS if (value := _text(query, name))}
    numbers = {name: number for name in NUMBERS if (number := _number(query, name)) is not None}
    return TraceFilter(
        query=_text(query, "q"),
        status=_one_of(query, "status", Trace.Status.values),
        kind=_one_of(query, "kind", [*Trace.Kind.values, ANY_KIND]),
        user=_text(query, "user"),
        facets=facets,
        since=_one_of(query, "since", list(PERIODS)),
        start=_moment(query, "start", zone),
        end=_moment(query, "end", zone),
        ended_from=_moment(query, "ended_from", UTC),
        ended_until=_moment(query, "ended_until", UTC),
        numbers=numbers,
        error=query.get("error") == "1",
        retry=query.get("retry") == "1",
        sort=_one_of(query, "sort", list(ORDERS)) or "newest",
        after=parse_public_id(query.get("after")),
    )


def _text(query: QueryDict, name: str) -> str:
    return storable(query.get(name, "")).strip()[:MAX_FILTER]


def _one_of(query: QueryDict, name: str, values: list[str]) -> str:
    value = query.get(name, "")
    return value if value in values else ""


def _number(query: QueryDict, name: str) -> float | None:
    try:
        number = float(query.get(name, ""))
    except ValueError:
        return None
    return number if 0 <= number <= MAX_FILTER_NUMBER else None


def _moment(query: QueryDict, name: str, zone: tzinfo) -> datetime | None:
    """A moment in the reader's time zone; a date alone means its first minute."""
    text = query.get(name, "")
    try:
        parsed = parse_datetime(text if "T" in text else f"{text}T00:00")
        # Years at the ends cannot be moved to another zone.
        if parsed is None or not 1970 <= parsed.year <= 9000:
            return None
        return parsed.astimezone(zone) if parsed.tzinfo else parsed.replace(tzinfo=zone)
    except (ValueError, OverflowError):
        return None
