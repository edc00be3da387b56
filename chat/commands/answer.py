"""Answering a question of a server in the middle of a call: a form, or a page to visit.

One transaction whose first statement moves the turn's `wakeups` (see `chat.turn_facts`); the
compare-and-set on the question's state makes the first answer the only one.
"""

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat import doorbell, events
from chat.agent import subagents
from chat.errors import Invalid
from chat.models import Question, Turn
from chat.turn_facts import wake
from db.threads import after_commit
from limits.chat import MAX_DENIAL_REASON
from tools.questions import form_secrets, question_forms
from tracing.journal import actions, waits
from tracing.models import Span

ANSWERS = {
    "accept": Question.State.ANSWERED,
    "decline": Question.State.DECLINED,
    "cancel": Question.State.CANCELLED,
}
# Kinds of the actions in the trace.
ACTIONS = {"accept": "answer", "decline": "decline", "cancel": "cancel"}


def answer_question(
    question: Question, action: str, content: Any = None, user: User | None = None
) -> bool:
    """Answers a question with `accept` (a form with its `content`), `decline` or `cancel`. `user`
    is who answers, None: the conversation's owner.

    Returns False for a second answer, which changes nothing. Raises `Invalid` if the content does
    not fit the form.
    """
    state = ANSWERS[action]
    sealed = None
    if state == Question.State.ANSWERED and question.kind == Question.Kind.FORM:
        if problems := question_forms.check(question.schema, content):
            raise Invalid(problems)
        sealed = form_secrets.seal(question.schema, question.message, content)
    span = Span.objects.select_related("parent", "trace").get(pk=question.span_id)
    turn = Turn.objects.select_related("conversation").get(trace_id=span.trace_id)
    with transaction.atomic():
        if not wake(turn.pk):
            return False
        unanswered = Question.objects.filter(pk=question.pk, state=Question.State.OPEN)
        waiting = unanswered.filter(span__status=Span.Status.WAITING)
        if not waiting.update(state=state, answer=sealed, settled=timezone.now()):
            return False
        _approve_if_answered(span)
        actions.record(
            turn.trace_id,
            ACTIONS[action],
            user.pk if user else turn.user_id,
            span,
            question=question.message[:MAX_DENIAL_REASON],
        )
        after_commit(partial(_announce, turn, span.pk, question.pk))
        after_commit(partial(doorbell.ring_call, span.pk))
    return True


def _approve_if_answered(span: Span) -> None:
    """A call without an owner is made again once all its questions are answered."""
    unanswered = Question.objects.filter(span=span, state=Question.State.OPEN)
    if not unanswered.exists():
        without_owner = Span.objects.filter(pk=span.pk, status=Span.Status.WAITING, owner="")
        waits.end(span.attributes)
        without_owner.update(status=Span.Status.APPROVED, attributes=span.attributes)


def _announce(turn: Turn, call_id: int, question_id: int) -> None:
    call = Span.objects.select_related("parent", "trace").get(pk=call_id)
    question = Question.objects.select_related("span").get(pk=question_id)
    number = call.parent.number if call.parent else 0
    question_event = events.question_event(turn, number, question)
    call_event = events.call_event(turn, number, call, "")
    events.emit_many(turn.conversation.public_id, [question_event, call_event])
    subagents.announce_progress(turn)
