"""Ends of turns, and waits for a person, whose event was lost: the process died, or Redis was away
or lost its data, just after the commit.

A log does not show that an event is missing at its end, nor that the one before it is: the next
message in line begins with the commit that ended the turn. So a process that follows a log in which
nothing happens asks the database, and appends the ends that the log lacks. An event carries a
state, not a change: one that comes twice, from two processes, does no harm.

A call that waits for approval or for an answer may be decided at any moment, so its event is not
repeated: the followers get a snapshot, which reads the log before the rows.
"""

import asyncio
import json
import logging
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from chat.events.log import client, log_key
from chat.events.payloads import turn_event
from chat.events.publishing import emit
from chat.live.feed import Hub, Place
from chat.models import Question, Turn
from db.threads import from_loop
from limits.web import MAX_ENDS_COMPARED, MAX_ENTRIES_SEARCHED, MAX_LOG_S
from tracing.models import Span

logger = logging.getLogger(__name__)

# An end so recent is still on its way into the log.
JUST_NOW = timedelta(seconds=3)
# The state of a wait in the event of each type, whose field of this name has the id.
WAITING_STATES = {"call": Span.Status.AWAITING_APPROVAL, "question": Question.State.OPEN}

Event = dict[str, Any]


class Endings(NamedTuple):
    """The ends of the turns of a conversation that ended last."""

    events: list[Event]
    is_over: bool  # no turn is open, or ended just now
    waits: frozenset[str] = frozenset()  # calls to approve and open questions, by their public ids


class MissedEndings:
    """Finds missed endings in the feeds of this process. For the event loop's thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # Places of feeds at the last look; those whose log has every end until now; and those
        # after which nothing more can come.
        self._seen: set[Place] = set()
        self._compared: set[Place] = set()
        self._settled: set[Place] = set()
        # Waits that were compared with the log, by conversation.
        self._told: dict[UUID, frozenset[str]] = {}

    async def look(self) -> None:
        """Appends the ends that are missing in feeds where nothing came since the last look. One
        query, and none while every followed turn streams or has ended."""
        places = {feed.place for feed in self._hub.feeds}
        quiet = (places & self._seen) - self._settled
        self._seen, self._settled = places, self._settled & places
        self._compared &= places
        if not quiet or not self._hub.up:
            return
        try:
            found = await from_loop(endings, {feed.conversation for feed, *_ in quiet})
            of_places = {place: found[place[0].conversation] for place in quiet}
            over = {place for place, endings in of_places.items() if endings.is_over}
            compared = over | (quiet - self._compared)
            events = {place[0].conversation: of_places[place].events for place in compared}
            await asyncio.to_thread(append_missing, events)
            await self._show_waits(of_places)
        except Exception:
            # Whatever the error, the next look has to happen.
            logger.exception("Whether the followed turns are over could not be checked")
            return
        self._compared |= compared
        self._settled |= over

    async def _show_waits(self, quiet: Mapping[Place, Endings]) -> None:
        """Has the followers of a quiet feed begin with a snapshot whose log does not tell of a call
        or question that waits for a person. Raises RedisError."""
        waits = {feed.conversation: found.waits for (feed, *_), found in quiet.items()}
        new = {one: found - self._told.get(one, frozenset()) for one, found in waits.items()}
        missing = await asyncio.to_thread(
            untold, {one: found for one, found in new.items() if found}
        )
        self._told = {**self._told, **waits}
        followed = {feed.conversation for feed in self._hub.feeds}
        self._told = {one: found for one, found in self._told.items() if one in followed and found}
        for place in quiet:
            feed, *_ = place
            if feed.conversation in missing and feed.place == place:
                logger.warning("Who follows %s is told again what waits", feed.conversation)
                feed.lose(feed.last)


def endings(conversations: Collection[UUID]) -> dict[UUID, Endings]:
    """The ends of each of these conversations that its log should have: of the turns that ended
    last, unless they are older than a log lives. One query."""
    now = timezone.now()
    has_log = Q(ended=None) | Q(ended__gt=now - timedelta(seconds=MAX_LOG_S))
    turns = Turn.objects.filter(has_log, conversation__public_id__in=conversations, deleted=None)
    # Apart from the open ones: many messages may wait in line.
    is_open = ExpressionWrapper(Q(ended=None), BooleanField())
    rank = Window(RowNumber(), partition_by=["conversation", is_open], order_by="-pk")
    last = turns.annotate(rank=rank).filter(rank__lte=MAX_ENDS_COMPARED)
    events: dict[UUID, list[Event]] = {conversation: [] for conversation in conversations}
    going_on = set()
    waiting: dict[int, UUID] = {}
    related = ("conversation", "question", "model", "retry_of", "author")
    for turn in last.select_related(*related).order_by("pk"):
        conversation = turn.conversation.public_id
        if turn.ended is None or turn.ended > now - JUST_NOW:
            going_on.add(conversation)
            if turn.status == Turn.Status.WAITING and turn.trace_id is not None:
                waiting[turn.trace_id] = conversation
        else:
            events[conversation].append(turn_event(turn))
    waits = _waits(waiting, now - JUST_NOW) if waiting else {}
    return {
        one: Endings(found, one not in going_on, frozenset(waits.get(one, ())))
        for one, found in events.items()
    }


def _waits(traces: Mapping[int, UUID], before: datetime) -> dict[UUID, set[str]]:
    """What waits for a person since before then in these traces, by their conversations."""
    calls = Span.objects.filter(
        trace__in=traces, status=Span.Status.AWAITING_APPROVAL, created__lt=before
    )
    questions = Question.objects.filter(
        span__trace__in=traces, state=Question.State.OPEN, asked__lt=before
    )
    rows = [
        *calls.values_list("public_id", "trace"),
        *questions.values_list("public_id", "span__trace"),
    ]
    waits: dict[UUID, set[str]] = {}
    for public_id, trace in rows:
        waits.setdefault(traces[trace], set()).add(str(public_id))
    return waits


def untold(waits: Mapping[UUID, frozenset[str]]) -> set[UUID]:
    """The conversations whose logs do not tell of all of these waits. Raises RedisError."""
    missing = set()
    for conversation, stored in _last_events(waits).items():
        told = {
            event.get(event["type"])
            for event in stored
            if event.get("state") == WAITING_STATES.get(event["type"])
        }
        if not waits[conversation] <= told:
            missing.add(conversation)
    return missing


def append_missing(ends: Mapping[UUID, list[Event]]) -> None:
    """Appends the events that are not among the last ones of their logs. Raises RedisError."""
    told = {conversation: events for conversation, events in ends.items() if events}
    for conversation, stored in _last_events(told).items():
        for event in told[conversation]:
            if not any(_is_same_end(one, event) for one in stored):
                logger.warning("The end of turn %s is announced again", event["turn"])
                emit(conversation, event)


def _last_events(conversations: Collection[UUID]) -> dict[UUID, list[Event]]:
    """The last events of these logs, the latest first. Raises RedisError."""
    with client().pipeline(transaction=False) as pipeline:
        for conversation in conversations:
            pipeline.xrevrange(log_key(conversation), count=MAX_ENTRIES_SEARCHED)
        logs = pipeline.execute()
    return {
        conversation: [json.loads(fields[b"e"]) for _, fields in entries]
        for conversation, entries in zip(conversations, logs, strict=True)
    }


def _is_same_end(stored: Event, event: Event) -> bool:
    return all(stored.get(name) == event[name] for name in ("type", "turn", "state"))
