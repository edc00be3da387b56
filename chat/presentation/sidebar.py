"""The list of conversations: grouped by day, searched, paged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from itertools import groupby
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone
from django.utils.translation import gettext

from chat.models import Conversation, Message, Turn
from db.fields import dump_json
from db.users import AnyUser
from limits.chat import MAX_ROWS_A_PAGE
from tracing.models import Span

_ROLES = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass(frozen=True)
class SidebarRow:
    """A conversation and the target of its link: with a query, the latest message that matches."""

    conversation: Conversation
    url: str


@dataclass(frozen=True)
class SidebarGroup:
    """Conversations of one period. With `continues` the previous page ends in the same period."""

    label: str
    rows: list[SidebarRow]
    continues: bool = False


@dataclass(frozen=True)
class Sidebar:
    groups: list[SidebarGroup]
    query: str = ""
    before: UUID | None = None
    # The last conversation of this page, if there is a next one.
    more: UUID | None = None


def sidebar(user: AnyUser, zone: tzinfo, query: str = "", before: UUID | None = None) -> Sidebar:
    """A page of the user's conversations, the latest first, grouped by days of `zone`."""
    matching = _matching(user, query)
    last = matching.filter(public_id=before).first() if before else None
    conversations = _before(matching, last).order_by("-updated", "-id")
    matches = list(conversations.annotate(waits=_waits())[: MAX_ROWS_A_PAGE + 1])
    page = matches[:MAX_ROWS_A_PAGE]
    more = page[-1].public_id if len(matches) > MAX_ROWS_A_PAGE else None
    places = _places(page, query)
    rows = [SidebarRow(one, places.get(one.pk) or one.get_absolute_url()) for one in page]
    today = timezone.now().astimezone(zone).date()
    return Sidebar(_groups(rows, last, today, zone), query, before, more)


def _waits() -> Exists:
    """Whether a call of a conversation, or of its subagents, waits for a person. A call that waits
    for its subagent does not."""
    waits_for_person = Q(status=Span.Status.AWAITING_APPROVAL) | Q(
        status=Span.Status.WAITING, subagents__isnull=True
    )
    calls = Span.objects.filter(waits_for_person, trace=OuterRef("trace"), kind=Span.Kind.TOOL)
    of_it = Q(conversation=OuterRef("pk"))
    of_its_subagents = Q(conversation__archive__parent=OuterRef("archive"))
    turns = Turn.objects.open().filter(of_it | of_its_subagents)
    return Exists(turns.filter(Exists(calls)))


def _matching(user: AnyUser, query: str) -> QuerySet[Conversation]:
    """Those whose title, or a message of which, contains the query."""
    conversations = Conversation.objects.listed_for(user)
    if not query:
        return conversations
    hits = _hits(query).filter(conversation=OuterRef("pk"))
    return conversations.filter(Q(title__icontains=query) | Exists(hits))


def _hits(query: str) -> QuerySet[Message]:
    """Messages whose body contains the query."""
    # Within the JSON text, which escapes quotes, backslashes and line ends.
    escaped = dump_json(query)[1:-1]
    messages = Message.objects.filter(role__in=_ROLES)
    return messages.annotate(text=Cast("body", TextField())).filter(text__icontains=escaped)


def _places(page: Sequence[Conversation], query: str) -> dict[int, str]:
    """By conversation: the address of the latest message that contains the query."""
    if not query:
        return {}
    # A question belongs to the turn that it asks; only its answer has the turn itself.
    turn = Coalesce("turn__public_id", "asked_turn__public_id")
    latest = _hits(query).filter(conversation__in=page).values("conversation")
    ids = latest.annotate(last=Max("id")).values("last")
    hits = Message.objects.filter(id__in=ids).annotate(turn_public_id=turn)
    urls = {conversation.pk: conversation.get_absolute_url() for conversation in page}
    rows = hits.values_list("conversation_id", "public_id", "turn_public_id")
    return {
        conversation: _place(urls[conversation], query, turn_id, message)
        for conversation, message, turn_id in rows
        if turn_id
    }


def _place(url: str, query: str, turn: UUID, message: UUID) -> str:
    """The address of a message: the words to mark, its turn (twice: a server does not get the
    place behind the #), its id. Read by
    `static/js/chat/thread/place_names.js`."""
    return f"{url}?{urlencode({'find': query, 'at': turn})}#turn-{turn}.message-{message}"


def _before(
    conversations: QuerySet[Conversation], last: Conversation | None
) -> QuerySet[Conversation]:
    if last is None:
        return conversations
    return conversations.filter(
        Q(updated__lt=last.updated) | Q(updated=last.updated, id__lt=last.pk)
    )


def _groups(
    page: Iterable[SidebarRow], last: Conversation | None, today: date, zone: tzinfo
) -> list[SidebarGroup]:
    def label(conversation: Conversation) -> str:
        return _label(conversation.updated.astimezone(zone).date(), today)

    before = label(last) if last else ""
    by_label = groupby(page, lambda row: label(row.conversation))
    return [SidebarGroup(name, list(rows), name == before) for name, rows in by_label]


def _label(day: date, today: date) -> str:
    age = (today - day).days
    if age <= 0:
        return gettext("Today")
    if age == 1:
        return gettext("Yesterday")
    if age < 7:
        return gettext("Previous 7 days")
    if age < 30:
        return gettext("Previous 30 days")
    return f"{day:%B %Y}"
