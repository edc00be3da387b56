"""Deleting a message with what follows it, and restoring it for a while.

    now          its turn and all below it are shown nowhere; what runs there is asked to stop
    15 minutes   they can be restored, as they were (`Conversation.deletions`)
    then         rows, traces and attachments are erased for good; files of the workspace stay

A waiting message is withdrawn in the same way, without those that wait behind it. The turns of one
deletion have the same time in `Turn.deleted`; one that waited has ended as stopped until it is
restored. All of it happens under the lock of the conversation's row.
"""

import logging
import uuid
from datetime import datetime
from functools import partial
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import events, turn_facts, turn_queue
from chat.commands import branches
from chat.commands.positions import CHOOSE_FIRST
from chat.errors import Rejected
from chat.models import Conversation, SharedLink, Turn
from chat.models.conversations import Deletion
from db.threads import after_commit
from limits.chat import MAX_DELETIONS, MAX_ERASED_CONVERSATIONS, MAX_UNDO
from tracing.models import Trace
from tracing.retention import removal

logger = logging.getLogger(__name__)


def delete(user: User, public_id: uuid.UUID) -> None:
    """Deletes a turn and all that follows it, on every branch; one that waits is withdrawn alone.
    Raises `Rejected`."""
    turn_queue.settled(partial(_remove, user, public_id, only_waiting=False))


def withdraw(user: User, public_id: uuid.UUID) -> Turn:
    """Takes a message out of the line; answers its turn. Raises `Rejected` if it has begun."""
    return turn_queue.settled(partial(_remove, user, public_id, only_waiting=True))


def restore(user: User, public_id: uuid.UUID) -> None:
    """Undoes the deletion that began with this turn. Raises `Rejected` when its time is over."""
    turn_queue.settled(partial(_restore, user, public_id))


def erase() -> None:
    """Erases what was deleted and cannot be restored any more; some conversations at a time."""
    over = Turn.objects.filter(deleted__lt=timezone.now() - MAX_UNDO).order_by()
    found = over.values_list("conversation", flat=True).distinct()[:MAX_ERASED_CONVERSATIONS]
    for conversation_id in list(found):
        try:
            _erase(conversation_id)
        except Exception:
            logger.exception("Deleted messages of conversation %s stay for now", conversation_id)


@transaction.atomic
def _remove(user: User, public_id: uuid.UUID, *, only_waiting: bool) -> Turn:
    _lock(user, public_id)
    related = ("conversation", "question", "retry_of")
    of_user = Turn.objects.changeable_by(user) if only_waiting else Turn.objects.for_user(user)
    turn = of_user.select_related(*related).filter(public_id=public_id).first()
    if turn is None:
        raise Rejected(_("This message no longer exists."))
    if turn.is_in_line:
        _withdraw(turn)
    elif only_waiting:
        raise Rejected(
            _("The answer to this message has begun. It can be stopped, or deleted below.")
        )
    else:
        _delete(turn)
    return turn


@transaction.atomic
def _restore(user: User, public_id: uuid.UUID) -> None:
    conversation = _lock(user, public_id)
    turn, entry = _restorable(user, conversation, public_id)
    turns = Turn.objects.filter(conversation=conversation, deleted=turn.deleted)
    # Those that waited are in line again.
    waited = turns.filter(status=Turn.Status.STOPPED, wakeups=0)
    waited.update(status=Turn.Status.QUEUED, ended=None, steers=None)
    turns.update(deleted=None)
    if entry["kind"] == "queue":
        turn_queue.put_in(turn)
        turn = Turn.objects.select_related("parent").get(pk=turn.pk)
        Turn.objects.filter(pk=turn.pk).update(is_shown=_follows_shown(turn))
    elif entry["shown"]:
        _show_again(conversation, turn)
    beside = Turn.objects.filter(conversation=conversation, parent=turn.parent_id, deleted=None)
    if beside.count() > 1:  # what was sent since is a branch of its own
        branches.mark(conversation)
    _store(conversation, [one for one in conversation.deletions if one is not entry])
    turn_queue.let_next_begin(conversation)
    _announce(conversation, "restored", [turn])


def _restorable(
    user: User, conversation: Conversation, public_id: uuid.UUID
) -> tuple[Turn, Deletion]:
    """The turn with which a deletion began, and the deletion, if the user may undo it now. Raises
    `Rejected`."""
    turn = Turn.objects.filter(public_id=public_id).select_related("parent").first()
    entry = _entry(conversation, public_id)
    if conversation.owner_id != user.pk and not _is_withdrawn_by(user, turn, entry):
        raise Rejected(_("Only the owner of this conversation can restore this."))
    if turn is None or turn.deleted is None or entry is None:
        raise Rejected(_("This can no longer be restored: it is erased."))
    if entry["kind"] == "thread" and turn.parent is not None and turn.parent.deleted is not None:
        raise Rejected(_("The message before this one is deleted too. Restore that one first."))
    if entry["kind"] == "queue" and Turn.objects.leaf(conversation.pk).is_compared:
        raise Rejected(CHOOSE_FIRST)  # it would follow one of the answers
    return turn, entry


def _delete(turn: Turn) -> None:
    tries = [one for answer in (turn, *_compared_with(turn)) for one in _tries(answer)]
    turn = tries[0]
    keys = [pk for one in tries for pk in branches.descendants(one)]
    turns = Turn.objects.filter(pk__in=keys, deleted=None)
    is_shown = turns.filter(is_shown=True).exists()
    # All tries have one question.
    messages = turns.filter(question__isnull=False).count() - len(tries) + 1
    at = timezone.now()
    running = list(turns.begun())
    turns.in_line().update(status=Turn.Status.STOPPED, ended=at)
    turns.filter(is_shown=True).update(is_shown=False, hidden=at)
    turns.update(deleted=at)
    if is_shown:
        _show_rest(turn)
    _remember(turn, "thread", at, messages, is_shown)
    _announce(turn.conversation, "removed", list(Turn.objects.filter(pk__in=keys)))
    for one in running:
        after_commit(partial(turn_facts.stop, one))


def _show_rest(turn: Turn) -> None:
    """Shows what is left where this turn was; if that is another branch, with its assistant."""
    leaf = branches.show_below(turn.conversation_id, turn.parent_id)
    if leaf is not None and leaf != turn.parent_id:
        branches.take_assistant_of(turn.conversation, leaf)


def _show_again(conversation: Conversation, turn: Turn) -> None:
    """Shows the branch of a turn that is restored; with its assistant, if another one is shown."""
    before = Turn.objects.leaf(conversation.pk).pk
    leaf = branches.show_below(conversation.pk, _tries(turn)[-1].pk)
    if leaf is not None and before != turn.parent_id:
        branches.take_assistant_of(conversation, leaf)


def _compared_with(turn: Turn) -> list[Turn]:
    """The other answers to its question, while they stand side by side with one question."""
    if not turn.is_compared:
        return []
    return list(Turn.objects.compared_with(turn).exclude(pk=turn.pk).select_related("retry_of"))


def _tries(turn: Turn) -> list[Turn]:
    """The turns that were tried in each other's place, with one question; the first one first."""
    while turn.retry_of is not None and turn.retry_of.deleted is None:
        turn = turn.retry_of
    tries = [turn]
    retries = Turn.objects.filter(deleted=None)
    while (later := retries.filter(retry_of=tries[-1]).first()) is not None:
        tries.append(later)
    return tries


def _withdraw(turn: Turn) -> None:
    at = timezone.now()
    turn_queue.take_out([turn])
    status = {"status": Turn.Status.STOPPED, "ended": at, "is_shown": False, "hidden": at}
    Turn.objects.filter(pk=turn.pk).update(deleted=at, **status)
    if turn.is_shown:
        _show_rest(turn)  # it may have been the beginning of a branch
    _remember(turn, "queue", at, 1, is_shown=True)
    _announce(turn.conversation, "removed", [turn])


def _follows_shown(turn: Turn) -> bool:
    return turn.parent is None or turn.parent.is_shown


def _remember(
    turn: Turn, kind: Literal["thread", "queue"], at: datetime, messages: int, is_shown: bool
) -> None:
    conversation = turn.conversation
    entry: Deletion = {
        "turn": str(turn.public_id),
        "kind": kind,
        "at": at.isoformat(),
        "messages": messages,
        "shown": is_shown,
    }
    _store(conversation, [*conversation.undoable, entry][-MAX_DELETIONS:])


def _store(conversation: Conversation, deletions: list[Deletion]) -> None:
    conversation.deletions = deletions
    Conversation.objects.filter(pk=conversation.pk).update(deletions=deletions)


def _entry(conversation: Conversation, public_id: uuid.UUID) -> Deletion | None:
    found = (one for one in conversation.undoable if one["turn"] == str(public_id))
    return next(found, None)


def _is_withdrawn_by(user: User, turn: Turn | None, entry: Deletion | None) -> bool:
    """Whether it is a waiting message that this user wrote."""
    is_theirs = turn is not None and turn.author_id == user.pk
    return is_theirs and entry is not None and entry["kind"] == "queue"


def _lock(user: User, public_id: uuid.UUID) -> Conversation:
    """Locks the conversation of a turn, in which the user may write; reads it. Raises `Moved`."""
    writable = Conversation.objects.writable_by(user)
    conversation = writable.filter(turns__public_id=public_id).first()
    if conversation is None or not turn_queue.lock_with_running(conversation.pk):
        raise Rejected(_("This message no longer exists."))
    conversation.refresh_from_db()
    return conversation


def _announce(conversation: Conversation, kind: str, turns: list[Turn]) -> None:
    """Tells the pages that turns are `removed`, or `restored`, and the line."""
    event = {"type": kind, "turns": [str(turn.public_id) for turn in turns]}
    after_commit(partial(events.emit, conversation.public_id, event))
    turn_queue.announce(conversation)


def _erase(conversation_id: int) -> None:
    """Erases the deletions of a conversation whose time is over. What runs in one is stopped again,
    should the request to stop have been lost, and waited for."""
    before = timezone.now() - MAX_UNDO
    deleted = Turn.objects.filter(conversation=conversation_id, deleted__lt=before)
    running = list(deleted.open())
    for turn in running:
        turn_facts.stop(turn)
    times = {turn.deleted for turn in running}
    for at in set(deleted.values_list("deleted", flat=True)) - times:
        _erase_turns(conversation_id, at)


def _erase_turns(conversation_id: int, at: datetime | None) -> None:
    turns = Turn.objects.filter(conversation=conversation_id, deleted=at)
    traces = [pk for pk in turns.values_list("trace", flat=True) if pk is not None]
    # A turn that never began has a trace that never ended.
    Trace.objects.filter(pk__in=traces, status=Trace.Status.RUNNING).update(
        status=Trace.Status.STOPPED, ended=timezone.now()
    )
    removal.delete(traces)
    with transaction.atomic():
        Conversation.objects.lock(conversation_id)
        conversation = Conversation.objects.filter(pk=conversation_id).first()
        SharedLink.objects.move_to_parents(turns)
        turns.delete()
        if conversation is not None:
            _store(conversation, conversation.undoable)
