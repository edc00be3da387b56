"""The filters of the page, as its address has them."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q
from django.http import QueryDict
from django.utils.dateparse import parse_date

from chat.models import Conversation, ConversationQuerySet
from chat.presentation.text import well_formed
from db.public_ids import parse_public_id
from db.users import AnyUser
from limits.search import MAX_QUERY, MAX_TAG

ARCHIVED = "archived"
ALL = "all"
# Those of others.
SHARED = "shared"
# Those that programs began over the API.
PROGRAMS = "programs"
# Of conversations without an assistant, and in no project.
NO_ASSISTANT = "none"
NO_PROJECT = "none"


@dataclass(frozen=True)
class Filters:
    """`assistant`: the public id of a preset, `NO_ASSISTANT`, or ""; `project` likewise. `since`,
    `until`: days of the last message, both included. `state`: "" for what is not archived,
    `ARCHIVED`, `ALL`, `SHARED` for what others share with the person, or `PROGRAMS`."""

    query: str = ""
    assistant: str = ""
    tag: str = ""
    since: date | None = None
    until: date | None = None
    state: str = ""
    project: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> "Filters":
        """From an address; what cannot be read counts as absent."""
        assistant, state = query.get("assistant", ""), query.get("state", "")
        preset, project = parse_public_id(assistant), query.get("project", "")
        return cls(
            read_query(query.get("q", "")),
            assistant if assistant == NO_ASSISTANT else str(preset or ""),
            read_query(query.get("tag", ""))[:MAX_TAG],
            _day(query.get("since", "")),
            _day(query.get("until", "")),
            state if state in (ARCHIVED, ALL, SHARED, PROGRAMS) else "",
            project if project == NO_PROJECT else str(parse_public_id(project) or ""),
        )

    @property
    def is_filtered(self) -> bool:
        """Whether anything but the query restricts the list; a search looks everywhere."""
        return replace(self, query="", state="") != Filters() or self.state in (
            ARCHIVED,
            SHARED,
            PROGRAMS,
        )

    def conversations(self, user: AnyUser, zone: tzinfo) -> ConversationQuerySet:
        """The user's conversations that fit, in no order. A search finds archived ones too, and
        those that others share with the user; but tags are the owner's."""
        rows = self._candidates(user).filter(self._condition(zone))
        if self.state == SHARED:
            return rows
        if self.state == ARCHIVED:
            return rows.filter(archived__isnull=False)
        is_any = self.state in (ALL, PROGRAMS) or self.query
        return rows if is_any else rows.filter(archived=None)

    def _candidates(self, user: AnyUser) -> ConversationQuerySet:
        conversations = Conversation.objects.all()
        if self.state == SHARED:
            shared = conversations.shared_with(user)
            return shared.none() if self.tag else shared
        if self.state == PROGRAMS:
            return conversations.of_programs_for(user)
        if self.query and not self.state and not self.tag:
            return conversations.listed_or_shared_for(user)
        return conversations.listed_for(user)

    def address(self, **changes: Any) -> str:
        """The query of the address with these filters changed, without those that are empty."""
        changed = replace(self, **changes)
        names = {
            "q": changed.query,
            "assistant": changed.assistant,
            "project": changed.project,
            "tag": changed.tag,
            "since": changed.since,
            "until": changed.until,
            "state": changed.state,
        }
        return urlencode({name: str(value) for name, value in names.items() if value})

    def _condition(self, zone: tzinfo) -> Q:
        condition = Q()
        if self.assistant == NO_ASSISTANT:
            condition &= Q(preset=None)
        elif self.assistant:
            condition &= Q(preset__public_id=UUID(self.assistant))
        if self.project == NO_PROJECT:
            condition &= Q(project=None)
        elif self.project:
            condition &= Q(project__public_id=UUID(self.project))
        if self.tag:
            condition &= Q(tags__name=self.tag)
        if self.since:
            condition &= Q(updated__gte=datetime.combine(self.since, time.min, zone))
        if self.until:
            condition &= Q(updated__lte=datetime.combine(self.until, time.max, zone))
        return condition


def read_query(text: str) -> str:
    """What somebody typed into a search."""
    return well_formed(text).replace("\x00", "").strip()[:MAX_QUERY]


def _day(text: str) -> date | None:
    """A day that is one in every time zone: the first and the last of the calendar are not."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day and date.min.year < day.year < date.max.year else None
