"""Ends of turns whose event was lost: the process died, or Redis was away, just after the commit.

A log does not show that an event is missing at its end, nor that the one before it is: the next
message in line begins with the commit that ended the turn. So a process that follows a log in which
nothing happens asks the database, and appends the ends that the log lacks. An event carries a
state, not a change: one that comes twice, from two processes, does no harm.
"""

import asyncio
import json
import logging
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from chat.events.log import client, log_key
from chat.events.payloads import turn_event
from chat.events.publishing import emit
from chat.live.feed import Hub, Place
from chat.models import Turn
from db.threads import from_loop
from limits.web import MAX_ENDS_COMPARED, MAX_ENTRIES_SEARCHED, MAX_LOG_S

logger = logging.getLogger(__name__)

# An end so recent is still on its way into the log.
JUST_NOW = timedelta(seconds=3)

Event = dict[str, Any]


class Endings(NamedTuple):
    """The ends of the turns of a conversation that ended last."""

    events: list[Event]
    is_over: bool  # no turn is open, or ended just now


class MissedEndings:
    """Finds missed endings in the feeds of this process. For the event loop's thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # Places of feeds at the last look; those whose log has every end until now; and those
        # after which nothing more can come.
        self._seen: set[Place] = set()
        self._compared: set[Place] = set()
        self._settled: set[Place] = set()

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
        except Exception:
            # Whatever the error, the next look has to happen.
            logger.exception("Whether the followed turns are over could not be checked")
            return
        self._compared |= compared
        self._settled |= over


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
    related = ("conversation", "question", "model", "retry_of", "author")
    for turn in last.select_related(*related).order_by("pk"):
        conversation = turn.conversation.public_id
        if turn.ended is None or turn.ended > now - JUST_NOW:
            going_on.add(conversation)
        else:
            events[conversation].append(turn_event(turn))
    return {one: Endings(found, one not in going_on) for one, found in events.items()}


def append_missing(ends: Mapping[UUID, list[Event]]) -> None:
    """Appends the events that are not among the last ones of their logs. Raises RedisError."""
    told = {conversation: events for conversation, events in ends.items() if events}
    with client().pipeline(transaction=False) as pipeline:
        for conversation in told:
            pipeline.xrevrange(log_key(conversation), count=MAX_ENTRIES_SEARCHED)
        logs = pipeline.execute()
    for (conversation, events), entries in zip(told.items(), logs, strict=True):
        stored = [json.loads(fields[b"e"]) for _, fields in entries]
        for event in events:
            if not any(_is_same_end(one, event) for one in stored):
                logger.warning("The end of turn %s is announced again", event["turn"])
                emit(conversation, event)


def _is_same_end(stored: Event, event: Event) -> bool:
    return all(stored.get(name) == event[name] for name in ("type", "turn", "state"))
