"""Ends of turns whose event was lost: the process died, or Redis was away, just after the commit.

A log does not show that its last event is missing. So a process that follows a log in which nothing
happens asks the database, and appends the end if the log lacks it. An event carries a state, not a
change: one that comes twice, from two processes, does no harm.
"""

import asyncio
import json
import logging
from collections.abc import Collection
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Max, Q
from django.utils import timezone

from chat.events.log import client, log_key
from chat.events.payloads import turn_event
from chat.events.publishing import emit
from chat.live.feed import Hub, Place
from chat.models import Turn
from db.threads import from_loop
from limits.web import MAX_ENTRIES_SEARCHED, MAX_LOG_S

logger = logging.getLogger(__name__)

# An end so recent is still on its way into the log.
JUST_NOW = timedelta(seconds=3)

Event = dict[str, Any]


class MissedEndings:
    """Finds missed endings in the feeds of this process. For the event loop's thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # Places of feeds at the last look, and places after which nothing more can come.
        self._seen: set[Place] = set()
        self._settled: set[Place] = set()

    async def look(self) -> None:
        """Appends the ends that are missing in feeds where nothing came since the last look. One
        query, and none while every followed turn streams or has ended."""
        places = {feed.place for feed in self._hub.feeds}
        quiet = (places & self._seen) - self._settled
        self._seen, self._settled = places, self._settled & places
        if not quiet or not self._hub.up:
            return
        try:
            ended = await from_loop(ends, {feed.conversation for feed, *_ in quiet})
            await asyncio.to_thread(append_missing, ended)
        except Exception:
            # Whatever the error, the next look has to happen.
            logger.exception("Whether the followed turns are over could not be checked")
            return
        self._settled |= {place for place in quiet if place[0].conversation in ended}


def ends(conversations: Collection[UUID]) -> dict[UUID, list[Event]]:
    """The conversations in which nothing runs, each with the events of its end, several of answers
    that were compared; none where the end is older than a log lives. One query."""
    candidates = Turn.objects.filter(conversation__public_id__in=conversations, deleted=None)
    latest = candidates.values("conversation").annotate(latest=Max("pk")).values("latest")
    beside = Turn.objects.filter(pk__in=latest).values("comparison")
    turns = Turn.objects.filter(Q(pk__in=latest) | Q(comparison__in=beside), deleted=None)
    ended: dict[UUID, list[Event]] = {conversation: [] for conversation in conversations}
    now = timezone.now()
    related = ("conversation", "question", "model", "retry_of", "author")
    for turn in turns.select_related(*related).order_by("pk"):
        conversation = turn.conversation.public_id
        if turn.ended is None or turn.ended > now - JUST_NOW:
            ended.pop(conversation, None)
        elif turn.ended > now - timedelta(seconds=MAX_LOG_S) and conversation in ended:
            ended[conversation].append(turn_event(turn))
    return ended


def append_missing(ended: dict[UUID, list[Event]]) -> None:
    """Appends the events that are not in their logs. Raises RedisError."""
    told = {conversation: events for conversation, events in ended.items() if events}
    with client().pipeline(transaction=False) as pipeline:
        for conversation in told:
            pipeline.xrevrange(log_key(conversation), count=MAX_ENTRIES_SEARCHED)
        logs = pipeline.execute()
    for (conversation, events), entries in zip(told.items(), logs, strict=True):
        stored = [json.loads(fields[b"e"]) for _, fields in entries]
        for event in events:
            if not any(_is_same_end(one, event) for one in stored):
                logger.warning("The end of turn %s was missing in its log", event["turn"])
                emit(conversation, event)


def _is_same_end(stored: Event, event: Event) -> bool:
    return all(stored.get(name) == event[name] for name in ("type", "turn", "state"))
