"""Giving, changing and removing a feedback, in the turn and in its trace."""

from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import events
from chat.errors import Rejected
from chat.models import Feedback, Turn
from db.threads import after_commit
from db.users import AnyUser
from limits.transfer import MAX_FEEDBACK_NOTE
from tracing.journal import feedback as traced


def rate(user: AnyUser, turn: Turn, rating: str, note: str) -> Feedback:
    """Sets the feedback on the turn's answer. Raises `Rejected`."""
    note = note.strip()
    if rating not in Feedback.Rating.values:
        raise Rejected(_("A rating is a thumb up or a thumb down."))
    if len(note) > MAX_FEEDBACK_NOTE:
        numbers = {"count": f"{len(note):,}", "most": f"{MAX_FEEDBACK_NOTE:,}"}
        raise Rejected(
            _("The note has %(count)s characters; the limit is %(most)s. Shorten it.") % numbers
        )
    if turn.is_open:
        raise Rejected(_("The answer is not complete yet. Rate it when it is."))
    columns = {"rating": rating, "note": note, "changed": timezone.now()}
    with transaction.atomic():
        row, _made = Feedback.objects.update_or_create(turn=turn, defaults=columns)
        traced.write(turn.trace, user.pk, rating, note)
        _tell(turn)
    return row


def remove(turn: Turn) -> None:
    with transaction.atomic():
        Feedback.objects.filter(turn=turn).delete()
        traced.remove(turn.trace_id)
        _tell(turn)


def _tell(turn: Turn) -> None:
    """Shows it in every tab that has the conversation open."""
    event = events.feedback_event(turn)
    after_commit(partial(events.emit, turn.conversation.public_id, event))
