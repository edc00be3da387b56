"""Asking for a summary of the older part of a conversation.

The summary is a turn without a question, so it has what every turn has: it waits in order, can be
stopped, survives a crash, and has a trace. While another turn runs it waits for that one; a mark on
the root span of the running turn lets that turn write the summary before its next round.
"""

import uuid
from functools import partial

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from chat import doorbell, events
from chat.agent.compaction import PathMessage, summary_boundary
from chat.agent.limits import limits
from chat.commands.positions import CHOOSE_FIRST
from chat.engine.context import history
from chat.engine.context.compacting import NOTHING
from chat.errors import Rejected
from chat.models import Compaction, Conversation, LanguageModel, Turn
from db.threads import after_commit
from languages.later import later
from limits.chat import MAX_CLIENT_KEY, MAX_COMPACTION_FOCUS
from tracing import recorder
from tracing.models import Span, Trace
from tracing.models.attributes import TraceAttributes, turn_attributes

NAME = "Summary of older messages"
NO_MODEL = later("This model is no longer available. Choose another one and try again.")
NO_KEY = later(
    "A request for a summary needs a key of 1 to %(most)s printable characters.",
    most=MAX_CLIENT_KEY,
)


def compact_conversation(
    user: User,
    conversation: Conversation,
    *,
    key: str,
    focus: str = "",
    model_id: uuid.UUID | None = None,
) -> Turn:
    """The turn that writes the summary; the same `key` again, or a second request while the first
    one waits, returns the same turn. Raises `Rejected`."""
    if not 0 < len(key) <= MAX_CLIENT_KEY or not key.isprintable():
        raise Rejected(NO_KEY)
    model = _model(user, conversation, model_id)
    focus = " ".join(focus.replace("\x00", "").split())[:MAX_COMPACTION_FOCUS]
    try:
        with transaction.atomic():
            turn = _existing(user, conversation, key) or _begin(
                user, conversation, key, focus, model
            )
    except IntegrityError:
        turn = Turn.objects.select_related("conversation").get(user=user, client_key=key)
    _mark_running_turn(turn, focus)
    return turn


def _model(user: User, conversation: Conversation, model_id: uuid.UUID | None) -> LanguageModel:
    offered = LanguageModel.objects.for_user(user)
    condition = {"public_id": model_id} if model_id else {"pk": conversation.model_id}
    model = offered.filter(**condition).first()
    if model is None:
        raise Rejected(NO_MODEL)
    return model


def _existing(user: User, conversation: Conversation, key: str) -> Turn | None:
    """The turn with this key, or one that waits to write a summary. First locks the conversation,
    as sending a message does."""
    row = Conversation.objects.filter(pk=conversation.pk)
    if not row.update(updated=timezone.now()):
        raise Rejected(gettext("This conversation was deleted."))
    turns = Turn.objects.select_related("conversation")
    same = turns.filter(user=user, client_key=key).first()
    shown = turns.open().filter(conversation=conversation, is_shown=True)
    return same or shown.filter(question=None).first()


def _begin(
    user: User, conversation: Conversation, key: str, focus: str, model: LanguageModel
) -> Turn:
    leaf = Turn.objects.leaf(conversation.pk)
    if leaf.is_compared:
        raise Rejected(CHOOSE_FIRST)
    turn_id = uuid.uuid4()
    turn = Turn.objects.create(
        public_id=turn_id,
        conversation=conversation,
        user=user,
        client_key=key,
        model=model,
        parent_id=leaf.pk,
        preset_id=conversation.preset_id,
        trace=_trace(conversation, turn_id, leaf.public_id, focus, model),
        wakeups=0 if leaf.has_open else 1,
    )
    if not leaf.has_open:
        _refuse_too_short(turn, model)
    after_commit(partial(_announce, turn))
    return turn


def _refuse_too_short(turn: Turn, model: LanguageModel) -> None:
    """Raises `Rejected` if there is nothing to summarise."""
    past = history.read(turn)
    summaries = Compaction.objects.filter(conversation=turn.conversation_id, kind="summary")
    on_branch = set(past.pks)
    uptos = summaries.order_by("-pk").values_list("upto", flat=True)
    latest = next((upto for upto in uptos if upto in on_branch), None)
    path = [PathMessage(pk, body) for pk, body in zip(past.pks, past.messages, strict=True)]
    if latest is not None:
        # The messages that it summarises count as one.
        path = path[past.pks.index(latest) :]
    if not summary_boundary(path, limits(turn.conversation, model).auto_keeps):
        raise Rejected(NOTHING)


def _trace(
    conversation: Conversation,
    turn_id: uuid.UUID,
    parent: uuid.UUID | None,
    focus: str,
    model: LanguageModel,
) -> Trace:
    attributes: TraceAttributes = {
        "conversation": str(conversation.public_id),
        "turn": str(turn_id),
        "parent": str(parent) if parent else None,
        "model": model.name,
    }
    root = recorder.begin_trace(
        conversation.archive_id,
        conversation.owner_id,
        NAME,
        attributes,
        root_attributes={"compact_only": {"focus": focus, "turn": str(turn_id)}},
    )
    return root.trace


def _mark_running_turn(turn: Turn, focus: str) -> None:
    """Lets the running turn write the summary. Called after the turn is stored: without the mark
    the summary is written when the running turn is over."""
    begun = Turn.objects.begun().filter(conversation=turn.conversation_id, is_shown=True)
    running = begun.filter(pk__lt=turn.pk).first()
    if running is None or running.question_id is None:
        return
    with transaction.atomic():
        roots = Span.objects.select_for_update()
        root = roots.filter(trace=running.trace_id, kind=Span.Kind.TURN, ended=None).first()
        if root is not None:
            turn_attributes(root)["compact"] = {"focus": focus, "turn": str(turn.public_id)}
            root.save(update_fields=["attributes"])


def _announce(turn: Turn) -> None:
    events.emit(turn.conversation.public_id, events.turn_event(turn))
    doorbell.ring_turn(turn.pk, turn.counted_user_id)
