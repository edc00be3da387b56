"""The list of conversations: grouped by day, searched, paged."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, tzinfo
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from chat.models import Conversation, Message, Turn
from tracing.fields import dump_json
from tracing.models import Span

A_PAGE = 60
_ROLES = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass(frozen=True)
class Group:
    label: str
    conversations: list[Conversation]


@dataclass(frozen=True)
class Sidebar:
    groups: list[Group]
    query: str = ""
    before: UUID | None = None
    # Where the next page begins, if there is one.
    more: UUID | None = None


def sidebar(user: Any, zone: tzinfo, query: str = "", before: UUID | None = None) -> Sidebar:
    """A page of the user's conversations, the latest first, days told in `zone`."""
    conversations = _before(_matching(user, query), before).order_by("-updated", "-id")
    page = list(conversations.annotate(waits=_waits())[: A_PAGE + 1])
    more = page[A_PAGE - 1].public_id if len(page) > A_PAGE else None
    today = timezone.now().astimezone(zone).date()
    return Sidebar(_groups(page[:A_PAGE], today, zone), query, before, more)


def _waits() -> Exists:
    """Whether something of a conversation, or of its subagents, waits for a person. A call that
    waits for its subagent does not."""
    asking = Q(status=Span.Status.AWAITING_APPROVAL) | Q(
        status=Span.Status.WAITING, subagents__isnull=True
    )
    calls = Span.objects.filter(asking, trace=OuterRef("trace"), kind=Span.Kind.TOOL)
    of_it = Q(conversation=OuterRef("pk"))
    of_its_subagents = Q(conversation__archive__parent=OuterRef("archive"))
    turns = Turn.objects.open().filter(of_it | of_its_subagents)
    return Exists(turns.filter(Exists(calls)))


def _matching(user: Any, query: str) -> QuerySet[Conversation]:
    """Those whose title, or a message of which, contains the query."""
    conversations = Conversation.objects.for_user(user)
    if not query:
        return conversations
    # Within the JSON text, which escapes quotes, backslashes and line ends.
    escaped = dump_json(query)[1:-1]
    messages = Message.objects.filter(conversation=OuterRef("pk"), role__in=_ROLES)
    said = messages.annotate(text=Cast("body", TextField())).filter(text__icontains=escaped)
    return conversations.filter(Q(title__icontains=query) | Exists(said))


def _before(conversations: QuerySet[Conversation], before: UUID | None) -> QuerySet[Conversation]:
    last = conversations.filter(public_id=before).first() if before else None
    if last is None:
        return conversations
    return conversations.filter(
        Q(updated__lt=last.updated) | Q(updated=last.updated, id__lt=last.pk)
    )


def _groups(page: Iterable[Conversation], today: date, zone: tzinfo) -> list[Group]:
    def label(conversation: Conversation) -> str:
        return _label(conversation.updated.astimezone(zone).date(), today)

    return [Group(name, list(some)) for name, some in groupby(page, label)]


def _label(day: date, today: date) -> str:
    age = (today - day).days
    if age <= 0:
        return "Today"
    if age == 1:
        return "Yesterday"
    if age < 7:
        return "Previous 7 days"
    if age < 30:
        return "Previous 30 days"
    return f"{day:%B %Y}"
