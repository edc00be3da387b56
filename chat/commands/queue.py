"""What people do with the messages that wait in line: edit, withdraw, move, send now, put into the
running turn.

Each is one transaction that locks the conversation and begins only if the turn is in line then
(`chat.turn_queue`). Whoever comes when the answer has begun is told so, and nothing has changed.
"""

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from chat import storage, turn_facts, turn_queue
from chat.attachments.references import content_with
from chat.commands import message_length
from chat.commands.new_conversation import title_of
from chat.errors import Rejected
from chat.models import Conversation, Message, Turn
from limits.chat import MAX_IN_LINE, MAX_MESSAGE
from tracing.models import Trace


def refuse_full(conversation_id: int) -> None:
    """Raises `Rejected` if no further message may wait. Inside the transaction of a send."""
    if Turn.objects.in_line().filter(conversation=conversation_id).count() >= MAX_IN_LINE:
        raise Rejected(
            _(
                "%(count)d messages are waiting in this conversation, which is the limit. Wait for "
                "an answer, or withdraw one of them."
            )
            % {"count": MAX_IN_LINE}
        )


def line_up(turn: Turn, *, as_note: bool) -> None:
    """A message that was just sent takes its place in line, and the pages are told. Inside the
    transaction of the send."""
    if as_note:
        with suppress(Rejected):  # nothing runs that it could be put into: it waits
            make_note(turn)
            # Its place has changed, and with it its key.
            stored = Turn.objects.filter(public_id=turn.public_id)
            turn.pk, turn.steers_id = stored.values_list("pk", "steers").get()
    turn_queue.announce(turn.conversation)


def edit(user: User, public_id: uuid.UUID, text: str) -> None:
    """Sets the text of a waiting message. Raises `Rejected`."""
    if len(text) > MAX_MESSAGE:
        raise Rejected(
            _("The message has %(count)s characters; the limit is %(limit)s. Shorten it.")
            % {"count": f"{len(text):,}", "limit": f"{MAX_MESSAGE:,}"}
        )
    with _in_line(user, public_id) as turn:
        question = _question(turn)
        attached = list(question.attachments.defer("content").order_by("pk"))
        if not text.strip() and not attached:
            raise Rejected(_("The message is empty. Withdraw it if it is not to be sent."))
        storage.check_soon(turn.user_id, len(text))
        if turn.model is not None:
            message_length.refuse_too_long(turn.model, text, attached)
        body = {**question.body, "content": content_with(text, attached)}
        Message.objects.filter(pk=question.pk).update(body=body)
        name = text if text.strip() else ", ".join(one.name for one in attached)
        Trace.objects.filter(pk__in=[turn.trace_id]).update(name=title_of(name))
    storage.grew(turn.user_id, messages=len(text))


def move(user: User, public_id: uuid.UUID, before: uuid.UUID | None) -> None:
    """Moves a waiting message before another one, None: to the end. Raises `Rejected`."""
    with _in_line(user, public_id) as turn:
        line = turn_queue.line_of(turn.conversation_id)
        others = [one for one in line if one.pk != turn.pk]
        places = [one.public_id for one in others]
        if before is not None and before not in places:
            raise Rejected(_("The queue has changed meanwhile. Try again."))
        at = places.index(before) if before else len(others)
        order = [*others[:at], turn, *others[at:]]
        _check_passed(user, turn, _passed(line, order, turn))
        turn_queue.reorder(order)
        _settle_notes(order)


def _passed(before: list[Turn], after: list[Turn], turn: Turn) -> list[Turn]:
    """The turns that this one passes on its way from one order to the other."""
    was, now = before.index(turn), after.index(turn)
    return before[min(was, now) : max(was, now) + 1]


def _check_passed(user: User, turn: Turn, passed: Iterable[Turn]) -> None:
    """A person who is not the owner passes no messages of others. Raises `Rejected`."""
    if turn.conversation.owner_id == user.pk:
        return
    if any(one.author_id != user.pk for one in passed):
        raise Rejected(
            _("Only the owner of this conversation moves messages past those of others.")
        )


def send_now(user: User, public_id: uuid.UUID) -> None:
    """Stops the running turn; this message is next, the others stay in line. Raises `Rejected`."""
    turn_queue.settled(partial(_stop_and_send, user, public_id))


def _stop_and_send(user: User, public_id: uuid.UUID) -> None:
    with transaction.atomic():
        running = _running(user, public_id)
        for one in running:
            turn_facts.stop(one, user.pk)
        with _in_line(user, public_id) as turn:
            line = turn_queue.line_of(turn.conversation_id)
            passed = line[: line.index(turn)]
            _check_passed(user, turn, [*passed, *running])
            begun = Turn.objects.begun().filter(conversation=turn.conversation_id)
            if begun.exclude(pk__in=[one.pk for one in running]).exists():
                raise turn_queue.Moved
            Turn.objects.filter(pk=turn.pk).update(steers=None)
            _move_to_front(turn)
            if not begun.exists():
                turn_queue.let_next_begin(turn.conversation)


def steer(user: User, public_id: uuid.UUID) -> None:
    """Has a waiting message put into the running turn, before its next model call: after the notes
    that are there, before all messages. Raises `Rejected`."""
    with _in_line(user, public_id) as turn:
        make_note(turn)


def wait_again(user: User, public_id: uuid.UUID) -> None:
    """Makes a note a waiting message again, the first one. Raises `Rejected`."""
    with _in_line(user, public_id) as turn:
        Turn.objects.filter(pk=turn.pk).update(steers=None)
        _move_behind_notes(turn)


def make_note(turn: Turn) -> None:
    """The same as `steer`, inside a transaction that has locked the conversation."""
    _question(turn)
    begun = Turn.objects.begun().filter(conversation=turn.conversation_id, deleted=None)
    running = begun.filter(question__isnull=False).first()
    if running is None:
        raise Rejected(_("No answer is in progress that this could be put into."))
    if running.is_compared:
        raise Rejected(_("Several answers are in progress. This message waits for all of them."))
    if running.author_id != turn.author_id or running.is_of_member != turn.is_of_member:
        raise Rejected(_("The answer in progress is for the message of somebody else."))
    Turn.objects.filter(pk=turn.pk).update(steers=running)
    _move_behind_notes(turn)


def _move_behind_notes(turn: Turn) -> None:
    line = turn_queue.line_of(turn.conversation_id)
    others = [one for one in line if one.pk != turn.pk]
    at = sum(one.steers_id is not None for one in others)
    turn_queue.reorder([*others[:at], turn, *others[at:]])


def _move_to_front(turn: Turn) -> None:
    line = turn_queue.line_of(turn.conversation_id)
    turn_queue.reorder([turn, *(one for one in line if one.pk != turn.pk)])


def _settle_notes(order: list[Turn]) -> None:
    """Notes come first: those that are behind a message now, whichever of them was moved, are
    messages themselves."""
    notes = [one for one in order if one.steers_id is not None]
    if notes and order[: len(notes)] != notes:
        first = next(at for at, one in enumerate(order) if one.steers_id is None)
        late = [one.public_id for one in order[first:] if one.steers_id is not None]
        Turn.objects.filter(public_id__in=late).update(steers=None)


def _question(turn: Turn) -> Message:
    if turn.question is None:
        raise Rejected(_("This is a summary of older messages. It can only be moved or withdrawn."))
    return turn.question


def _running(user: User, public_id: uuid.UUID) -> list[Turn]:
    """The turns that run in the conversation of this one: several if answers are compared."""
    turn = Turn.objects.changeable_by(user).filter(public_id=public_id).first()
    if turn is None:
        return []
    return list(Turn.objects.begun().filter(conversation=turn.conversation_id).order_by("pk"))


@contextmanager
def _in_line(user: User, public_id: uuid.UUID) -> Iterator[Turn]:
    """A transaction with a turn that is in line until its end; then the pages are told."""
    with transaction.atomic():
        turn = Turn.objects.changeable_by(user).filter(public_id=public_id).first()
        if turn is None or not Conversation.objects.lock(turn.conversation_id):
            raise Rejected(_("This message no longer exists."))
        related = ("conversation", "question", "model")
        waiting = Turn.objects.in_line().changeable_by(user).select_related(*related)
        turn = waiting.filter(public_id=public_id).first()
        if turn is None:
            raise Rejected(
                _("The answer to this message has begun, so it can no longer be changed.")
            )
        yield turn
        turn_queue.announce(turn.conversation)
