"""Ends of turns that no event told: their process died, or Redis was away, just after the commit.

Nothing in a log shows that its last event is missing. So whoever follows a log in which nothing
happens asks the database, and tells the end if the log does not. An event says how things are: one
that comes twice, from two processes, changes nothing.
"""

import asyncio
import json
import logging
from collections.abc import Collection
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Max
from django.utils import timezone

from chat.events.log import client, log_key
from chat.events.payloads import turn_event
from chat.events.publishing import emit
from chat.live.feed import Hub, Place
from chat.models import Turn
from db.threads import from_loop
from limits.web import MAX_LOG_S

logger = logging.getLogger(__name__)

# What ended so shortly before is being told right now.
JUST_NOW = timedelta(seconds=3)
LOOKED_BACK = 50

Event = dict[str, Any]


class MissedEndings:
    """Looks after the feeds of this process. For the event loop's thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # Where feeds were at the last look, and where nothing more could come.
        self._seen: set[Place] = set()
        self._settled: set[Place] = set()

    async def look(self) -> None:
        """Tells what is missing in the feeds where nothing came since the last look. One query, and
        none while all that is followed streams or has ended."""
        now = {feed.place for feed in self._hub.feeds}
        quiet = (now & self._seen) - self._settled
        self._seen, self._settled = now, self._settled & now
        if not quiet or not self._hub.up:
            return
        try:
            ended = await from_loop(ends, {feed.conversation for feed, *_ in quiet})
            await asyncio.to_thread(tell, ended)
        except Exception:
            # Whatever it was: without another look no lost end is found any more.
            logger.exception("Whether the followed turns are over could not be checked")
            return
        self._settled |= {place for place in quiet if place[0].conversation in ended}


def ends(conversations: Collection[UUID]) -> dict[UUID, Event | None]:
    """Those in which nothing runs, with the event that says so; None where no log would have it any
    more. One query."""
    within = Turn.objects.filter(conversation__public_id__in=conversations)
    latest = within.values("conversation").annotate(latest=Max("pk")).values("latest")
    turns = Turn.objects.filter(pk__in=latest)
    ended: dict[UUID, Event | None] = dict.fromkeys(conversations)
    now = timezone.now()
    for turn in turns.select_related("conversation", "question", "model"):
        conversation = turn.conversation.public_id
        if turn.ended is None or turn.ended > now - JUST_NOW:
            del ended[conversation]
        elif turn.ended > now - timedelta(seconds=MAX_LOG_S):
            ended[conversation] = turn_event(turn)
    return ended


def tell(ended: dict[UUID, Event | None]) -> None:
    """Appends the events that are not in their logs. Raises RedisError."""
    missing = {conversation: event for conversation, event in ended.items() if event}
    with client().pipeline(transaction=False) as pipeline:
        for conversation in missing:
            pipeline.xrevrange(log_key(conversation), count=LOOKED_BACK)
        logs = pipeline.execute()
    for (conversation, event), entries in zip(missing.items(), logs, strict=True):
        if not any(_says(json.loads(fields[b"e"]), event) for _, fields in entries):
            logger.warning("The end of turn %s had not been told", event["turn"])
            emit(conversation, event)


def _says(told: Event, event: Event) -> bool:
    return all(told.get(name) == event[name] for name in ("type", "turn", "state"))
