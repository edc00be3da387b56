"""The list of conversations: pinned ones, then by day, searched, paged. Those of projects
are listed by their projects, unless they are pinned."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from chat.models import Conversation, ConversationQuerySet, Turn, own_or_shared
from chat.presentation.projects import (
    ProjectLink,
    projects_column,
    projects_of,
    read_projects,
)
from chat.search.results import search, shared_keys
from db.users import AnyUser
from limits.chat import MAX_ROWS_A_PAGE, MAX_SHARED_LISTED
from limits.projects import MAX_SIDEBAR_PROJECTS
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
    """Conversations of one period. With `continues` the previous page ends in the same period.
    `is_shared`: they are others', shared with this person; there may be more with `has_more`."""

    label: str
    rows: list[SidebarRow]
    continues: bool = False
    is_shared: bool = False
    has_more: bool = False


@dataclass(frozen=True)
class Sidebar:
    """`more`: the last conversation of this page, if there is a next one. `has_more_results`: a
    search has more than are listed here. `projects`: on the first page, all that are not archived,
    by name; `project`: that of the open conversation."""

    groups: list[SidebarGroup]
    query: str = ""
    before: UUID | None = None
    more: UUID | None = None
    has_more_results: bool = False
    projects: Sequence[ProjectLink] = ()
    project: UUID | None = None
    current: Conversation | None = None

    @property
    def shown_projects(self) -> list[ProjectLink]:
        """The first ones, and that of the open conversation."""
        first = self.projects[:MAX_SIDEBAR_PROJECTS]
        rest = self.projects[MAX_SIDEBAR_PROJECTS:]
        return [*first, *(one for one in rest if one.public_id == self.project)]


def sidebar(user: AnyUser, zone: tzinfo, query: str = "", before: UUID | None = None) -> Sidebar:
    """A page of the user's conversations, the latest first, grouped by days of `zone`; or what a
    search finds."""
    if query:
        return _found(user, query)
    listed = Conversation.objects.listed_for(user).filter(archived=None)
    last = listed.filter(public_id=before).first() if before else None
    if last:
        return _listed(user, list(_page(*_keys(listed, last))), last, zone, before)
    page = _page(*_keys(listed, None), _shared_keys(user))
    rows = list(page.annotate(projects=projects_column(user)))
    own = _projects_in(rows) if rows else projects_of(user)
    return replace(_listed(user, rows, None, zone, before), projects=own)


def sidebar_beside(
    user: AnyUser, zone: tzinfo, public_id: UUID
) -> tuple[Conversation | None, Sidebar]:
    """A conversation of the user, of a subagent of theirs, or one that is shared with them, with
    its assistant; and the first page of the list. In one query."""
    listed = Conversation.objects.listed_for(user).filter(archived=None)
    readable = Conversation.objects.filter(own_or_shared(user), public_id=public_id)
    keys = (*_keys(listed, None), _shared_keys(user), readable.values("pk"))
    is_it = Q(public_id=public_id)
    page = _page(*keys).annotate(
        own_preset=FilteredRelation("preset", condition=is_it),
        own_project=FilteredRelation("project", condition=is_it & Q(owner_id=user.pk)),
        projects=projects_column(user),
    )
    related = ("own_preset", "own_project")
    page = page.select_related(*related)
    rows = {row.public_id: row for row in page}
    own_projects = _projects_in(rows.values()) if rows else projects_of(user)
    current = rows.get(public_id)
    if current is not None:
        # Not set without one; a project is its owner's alone.
        current.preset = getattr(current, "own_preset", None)
        current.project = getattr(current, "own_project", None)
        is_elsewhere = not current.is_listed or (current.project and not current.pinned)
        if current.owner_id == user.pk and is_elsewhere:
            del rows[public_id]
    found = _listed(user, list(rows.values()), None, zone, None)
    project = current.project.public_id if current and current.project else None
    return current, replace(found, projects=own_projects, project=project, current=current)


def _projects_in(rows: Iterable[Conversation]) -> list[ProjectLink]:
    return read_projects(getattr(row, "projects", None) for row in rows)


def _listed(
    user: AnyUser,
    found: Sequence[Conversation],
    last: Conversation | None,
    zone: tzinfo,
    before: UUID | None,
) -> Sidebar:
    rows = [row for row in found if row.owner_id == user.pk]
    shared = [row for row in found if row.owner_id != user.pk]
    pinned = [row for row in rows if row.pinned]
    latest = [row for row in rows if not row.pinned]
    page = latest[:MAX_ROWS_A_PAGE]
    more = page[-1].public_id if len(latest) > MAX_ROWS_A_PAGE else None
    today = timezone.now().astimezone(zone).date()
    groups = _groups(map(_row, page), last, today, zone)
    if pinned:
        pinned.sort(key=lambda row: row.pinned or row.created, reverse=True)
        groups.insert(0, SidebarGroup(gettext("Pinned"), list(map(_row, pinned))))
    if shared:
        groups.insert(1 if pinned else 0, _shared_group(shared))
    return Sidebar(groups, before=before, more=more)


def _shared_group(rows: Sequence[Conversation]) -> SidebarGroup:
    """The one that is shown may be beyond those that are listed."""
    label, shown = gettext("Shared with me"), list(map(_row, rows))
    has_more = len(rows) >= MAX_SHARED_LISTED
    return SidebarGroup(label, shown, is_shared=True, has_more=has_more)


def _found(user: AnyUser, query: str) -> Sidebar:
    listed = Conversation.objects.listed_or_shared_for(user)
    results = search(query, user.pk or 0, listed, filtered=False, shared=shared_keys(user))
    rows = [
        SidebarRow(one.conversation, one.url, one.hits[0].hit.parts if one.hits else ())
        for one in results.rows
    ]
    groups = [SidebarGroup(gettext("Results"), rows)] if rows else []
    return Sidebar(groups, query, has_more_results=results.has_more)


def _keys(
    listed: ConversationQuerySet, last: Conversation | None
) -> list[QuerySet[Conversation, Any]]:
    """The latest that are not pinned, one more than a page has, and on the first page those that
    are."""
    latest = listed.filter(pinned=None, project=None).older_than(last).order_by("-updated", "-id")
    keys = [latest.values("pk")[: MAX_ROWS_A_PAGE + 1]]
    return keys if last else [*keys, listed.filter(pinned__isnull=False).values("pk")]


def _shared_keys(user: AnyUser) -> QuerySet[Conversation, Any]:
    """The latest of those that others share with the user."""
    latest = Conversation.objects.shared_with(user).order_by("-updated", "-id")
    return latest.values("pk")[:MAX_SHARED_LISTED]


def _page(*keys: QuerySet[Conversation, Any]) -> QuerySet[Conversation]:
    """The conversations with any of these keys. In one query; whether one waits for a person is
    asked of these only."""
    parts = [queryset.query.sql_with_params() for queryset in keys]
    statement = " UNION ALL ".join(f"SELECT * FROM ({sql}) AS part" for sql, _ in parts)
    parameters = [value for _, values in parts for value in values]
    page = Conversation.objects.filter(pk__in=RawSQL(statement, parameters))
    named = page.annotate(waits=_waits(), owner_name=F("owner__username"))
    return named.order_by("-updated", "-id")


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
