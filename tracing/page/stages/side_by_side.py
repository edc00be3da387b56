"""The input beside the request: which message of one corresponds to which of the other.

Dialects keep the order; they merge several messages into one (results into a user message), split
one, or put a text into another (the tools into the system text).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from django.utils.translation import gettext

from limits.trace_pages import MAX_SIDE_BY_SIDE_MESSAGE
from tracing.diff.list_diff import ListChange, diff_lists
from tracing.formatting.text import clip, visible
from tracing.models import Payload
from tracing.page.stages import dialect_text
from tracing.page.stages.message_changes import Element
from tracing.page.stages.messages import Link, MessageView, read_message_view, shorter
from tracing.page.stages.request import messages_of, read_rest
from tracing.store import payloads

PAGE_SIZE = 60
# Messages of the request that are searched after the previous match.
_LOOK_AHEAD = 4


@dataclass(frozen=True)
class Row:
    """Messages of the input and the one of the request made of them; one side may be empty.

    `verbatim` counts messages that were sent unchanged.
    """

    meant: list[MessageView] = field(default_factory=list)
    sent: MessageView | None = None
    verbatim: int = 0

    @property
    def note(self) -> str:
        """What the dialect did, in a word."""
        if self.sent is None:
            return gettext("left out")
        if not self.meant:
            return "added"
        if len(self.meant) > 1:
            return "merged"
        roles = {self.meant[0].role, self.sent.role}
        return "wrapped" if len(roles) > 1 or self.sent.annotated else "reworded"


@dataclass(frozen=True)
class SideBySide:
    """Rows of the messages; keys that only the request has (`added`) or only the input
    (`dropped`)."""

    template: ClassVar[str] = "tracing/stages/_side_by_side.html"

    rows: list[Row]
    added: list[str]
    dropped: list[str]
    tools_meant: int
    tools_sent: int
    page: int = 1
    pages: int = 1


def read_side_by_side(meant: Payload, sent: Payload, page: int) -> SideBySide | None:
    """None if a payload has no list of messages. Raises PayloadCorrupt."""
    tables = payloads.read_manifest(meant), payloads.read_manifest(sent)
    others = [ordinal for table in tables for ordinal in table.section("")]
    blobs = payloads.load_blobs(meant.span.trace.archive_id, others)
    rests = [read_rest(table, blobs) for table in tables]
    if rests[0] is None or rests[1] is None:
        return None
    parameters = rests[0].get("parameters")
    input_keys = {**rests[0], **(parameters if isinstance(parameters, dict) else {})}
    system = [*tables[1].section("system"), *messages_of(tables[1])]
    steps = diff_lists(messages_of(tables[0]), system)
    pages = max(1, -(-sum(len(s.ordinals) for s in steps if s.change != "same") // PAGE_SIZE))
    page = min(max(1, page), pages)
    offset = len(tables[1].section("system"))
    rows = list(_rows(meant.span.trace.archive_id, steps, page, offset, rests[1].get("system")))
    return SideBySide(
        rows,
        added=[visible(key) for key in rests[1] if key not in input_keys and key != "system"],
        dropped=[visible(key) for key in input_keys if key not in rests[1] and key != "parameters"],
        tools_meant=len(tables[0].section("tools")),
        tools_sent=len(tables[1].section("tools")) + len(tables[1].section("functions")),
        page=page,
        pages=pages,
    )


def link(meant: Sequence[MessageView], sent: Sequence[MessageView]) -> dict[int, list[int]]:
    """For the index of each message of the input, the indexes of the messages made of it."""
    links: dict[int, list[int]] = {}
    at, taken = 0, -1
    for place, entry in enumerate(meant):
        for candidate in range(at, min(len(sent), at + _LOOK_AHEAD)):
            if _has(sent[candidate], entry, is_taken=candidate == taken):
                links[place] = [candidate]
                at = taken = candidate
                break
    return links


def linked(
    meant: Sequence[MessageView], sent: Sequence[MessageView]
) -> tuple[list[MessageView], list[MessageView]]:
    """Both lists with links to each other."""
    places = link(meant, sent)
    forth: list[list[Link]] = [[] for _ in meant]
    back: list[list[Link]] = [[] for _ in sent]
    for place, candidates in places.items():
        for candidate in candidates:
            forth[place].append(Link(sent[candidate].position, sent[candidate].role))
            back[candidate].append(Link(meant[place].position, meant[place].role))
    return (
        [replace(entry, links=links) for entry, links in zip(meant, forth, strict=True)],
        [replace(entry, links=links) for entry, links in zip(sent, back, strict=True)],
    )


def _rows(
    archive_id: int, steps: Sequence[ListChange], page: int, offset: int, system: object
) -> Iterator[Row]:
    window = list(_window(steps, (page - 1) * PAGE_SIZE))
    ordinals = [ordinal for step in window if step.change != "same" for ordinal in step.ordinals]
    blobs = payloads.load_blobs(archive_id, ordinals)
    meant: list[MessageView] = []
    sent: list[MessageView] = []
    if isinstance(system, str) and page == 1:
        sent.append(MessageView(0, "system", clip(system, MAX_SIDE_BY_SIDE_MESSAGE * 3)))
    for step in window:
        if step.change == "same":
            yield from _matched(meant, sent)
            meant, sent = [], []
            yield Row(verbatim=len(step.ordinals))
        elif step.change == "removed":
            meant += _entries(step, blobs, 0)
        else:
            sent += _entries(step, blobs, offset)
    yield from _matched(meant, sent)


def _window(steps: Sequence[ListChange], start: int) -> Iterator[ListChange]:
    at = 0
    for step in steps:
        if step.change == "same":
            if start <= at <= start + PAGE_SIZE:
                yield step
            continue
        first, last = max(0, start - at), min(len(step.ordinals), start + PAGE_SIZE - at)
        if first < last:
            yield ListChange(step.change, step.start + first, step.ordinals[first:last])
        at += len(step.ordinals)


def _entries(step: ListChange, blobs: dict[int, bytes], offset: int) -> Iterator[MessageView]:
    for place, ordinal in enumerate(step.ordinals, step.start + 1):
        element = Element(place - offset, blobs.get(ordinal, b""))
        role = "system" if element.position <= 0 else ""
        yield read_message_view(element.content, max(0, element.position), "", role)


def _matched(meant: list[MessageView], sent: list[MessageView]) -> Iterator[Row]:
    places = link(meant, sent)
    annotated = dialect_text.annotate(sent, meant)
    owners: dict[int, list[MessageView]] = {}
    for place, candidates in places.items():
        owners.setdefault(candidates[0], []).append(_short(meant[place]))
    lost = [place for place in range(len(meant)) if place not in places]
    for candidate, entry in enumerate(annotated):
        first = min(
            (place for place, positions in places.items() if positions[0] == candidate), default=0
        )
        while lost and lost[0] < first:
            yield Row([_short(meant[lost.pop(0)])])
        yield Row(owners.get(candidate, []), _short(entry))
    yield from (Row([_short(meant[place])]) for place in lost)


def _has(sent: MessageView, meant: MessageView, is_taken: bool) -> bool:
    """Whether the message `sent` was made of `meant`."""
    if meant.answers:
        answered = {result.answers for result in sent.results} | {sent.answers}
        if meant.answers in answered:
            return True
    text = meant.content.text
    if text and text in sent.content.text:
        return True
    return not is_taken and bool(meant.role) and sent.role == meant.role


def _short(entry: MessageView) -> MessageView:
    return shorter(entry, MAX_SIDE_BY_SIDE_MESSAGE)
