"""Temporary conversations: in no list, and erased with all that belongs to them when left.

A page of one says when it is left; a socket that follows one says every few seconds that it is
watched. Periodic work erases those that were left, after a moment in which a page that was loaded
again comes back, and those that no socket has followed for `MAX_TEMPORARY_ABSENCE`, whatever killed
page, socket or process.
"""

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from chat import events
from chat.commands import conversations
from chat.models import Conversation
from limits.chat import MAX_TEMPORARY_ABSENCE
from tracing.models import Archive, Trace

logger = logging.getLogger(__name__)

# A page that is loaded again is back by then; longer than sockets take to say that they watch.
RELOAD = timedelta(seconds=15)
WATCH_INTERVAL_S = 5.0


def watch(conversation_ids: Iterable[int]) -> None:
    """Sockets follow these conversations now."""
    rows = Conversation.objects.filter(pk__in=list(conversation_ids), is_temporary=True)
    rows.update(watched=timezone.now())


def leave(conversation: Conversation) -> None:
    """A page of it was closed or left: unless another one watches it, it is erased soon."""
    rows = Conversation.objects.filter(pk=conversation.pk, is_temporary=True)
    rows.update(watched=timezone.now() - MAX_TEMPORARY_ABSENCE + RELOAD)


def keep(conversation: Conversation) -> None:
    """Makes it a conversation like any other, and announces it."""
    with transaction.atomic():
        rows = Conversation.objects.filter(pk=conversation.pk, is_temporary=True)
        if not rows.update(is_temporary=False, watched=None):
            return
        archives = Archive.objects.filter(pk=conversation.archive_id)
        nested = Archive.objects.filter(parent=conversation.archive_id)
        Trace.objects.filter(archive__in=archives | nested).update(is_listed=True)
    event = {"type": "conversation", "title": conversation.title, "temporary": False}
    events.emit(conversation.public_id, event)


def erase_left() -> None:
    """Erases what nobody watches any more, one after the other; one that fails stays for now."""
    long_ago = timezone.now() - MAX_TEMPORARY_ABSENCE
    left = Conversation.objects.filter(is_temporary=True, watched__lt=long_ago)
    for conversation_id in list(left.values_list("pk", flat=True)):
        try:
            # Asked again: somebody may have come back, or kept it.
            conversations.delete(left.filter(pk=conversation_id))
        except Exception:
            logger.exception("The temporary conversation %s stays for now", conversation_id)
