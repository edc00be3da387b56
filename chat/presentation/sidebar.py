"""The list of conversations: pinned ones, then by day, searched, paged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from itertools import groupby
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from chat.models import Conversation, ConversationQuerySet, Turn
from chat.search.results import search
from db.users import AnyUser
from limits.chat import MAX_ROWS_A_PAGE
from tracing.models import Span
from tracing.search.snippets import SnippetPart


@dataclass(frozen=True)
class SidebarRow:
    """A conversation and the target of its link: with a query, the latest message that matches, and
    its text around the match."""

    conversation: Conversation
    url: str
    snippet: Sequence[SnippetPart] = ()


@dataclass(frozen=True)
class SidebarGroup:
    """Conversations of one period. With `continues` the previous page ends in the same period."""

    label: str
    rows: list[SidebarRow]
    continues: bool = False


@dataclass(frozen=True)
class Sidebar:
    """`more`: the last conversation of this page, if there is a next one. `has_more_results`: a
    search has more than are listed here."""

    groups: list[SidebarGroup]
    query: str = ""
    before: UUID | None = None
    more: UUID | None = None
    has_more_results: bool = False


def sidebar(user: AnyUser, zone: tzinfo, query: str = "", before: UUID | None = None) -> Sidebar:
    """A page of the user's conversations, the latest first, grouped by days of `zone`; or what a
    search finds."""
    if query:
        return _found(user, query)
    listed = Conversation.objects.listed_for(user).filter(archived=None)
    last = listed.filter(public_id=before).first() if before else None
    rows = list(_page(listed, last))
    pinned = [row for row in rows if row.pinned]
    latest = [row for row in rows if not row.pinned]
    page = latest[:MAX_ROWS_A_PAGE]
    more = page[-1].public_id if len(latest) > MAX_ROWS_A_PAGE else None
    today = timezone.now().astimezone(zone).date()
    groups = _groups(map(_row, page), last, today, zone)
    if pinned:
        pinned.sort(key=lambda row: row.pinned or row.created, reverse=True)
        groups.insert(0, SidebarGroup(gettext("Pinned"), list(map(_row, pinned))))
    return Sidebar(groups, before=before, more=more)


def _found(user: AnyUser, query: str) -> Sidebar:
    results = search(query, user.pk or 0, Conversation.objects.listed_for(user), filtered=False)
    rows = [
        SidebarRow(one.conversation, one.url, one.hits[0].hit.parts if one.hits else ())
        for one in results.rows
    ]
    groups = [SidebarGroup(gettext("Results"), rows)] if rows else []
    return Sidebar(groups, query, has_more_results=results.has_more)


def _page(listed: ConversationQuerySet, last: Conversation | None) -> QuerySet[Conversation]:
    """The latest that are not pinned, one more than a page has, and on the first page those that
    are. In one query; whether one waits for a person is asked of these only."""
    latest = listed.filter(pinned=None).older_than(last).order_by("-updated", "-id")
    of_page = latest.values("pk")[: MAX_ROWS_A_PAGE + 1]
    sql, parameters = of_page.query.sql_with_params()
    statement = f"SELECT * FROM ({sql}) AS latest"
    if last is None:
        pinned_sql, of_pinned = (
            listed.filter(pinned__isnull=False).values("pk").query.sql_with_params()
        )
        statement, parameters = f"{statement} UNION ALL {pinned_sql}", (*parameters, *of_pinned)
    page = Conversation.objects.filter(pk__in=RawSQL(statement, parameters))
    return page.annotate(waits=_waits()).order_by("-updated", "-id")


def _row(conversation: Conversation) -> SidebarRow:
    return SidebarRow(conversation, conversation.get_absolute_url())


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
    return date_format(day, "YEAR_MONTH_FORMAT")
