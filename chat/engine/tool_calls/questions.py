"""Questions of servers (MCP: elicitation): stored, shown to a person, answered, delivered.

A server of a protocol before 2026 keeps its session open: the call's coroutine waits (`ask`)
without a thread, its span is `waiting` under the lease of this process, and a restart ends it as
outcome unknown. A newer server ends the call (`suspend`): the span is `waiting` without an owner,
and the answers make the call `approved` again, with the `requestState` of the server.
"""

import asyncio
import logging
import threading
import uuid
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chat import events
from chat.agent import subagents
from chat.agent.claimed_call import ClaimedCall, Status
from chat.errors import Fenced
from chat.models import Question
from chat.turn_facts import wake
from chat.webhooks import outbox
from db.threads import after_commit, from_loop, in_database
from limits.turns import MAX_QUESTION_MESSAGE
from tools.questions import form_secrets
from tools.values.questions import CANCEL, Answered, Asked, InputGiven, InputNeeded
from tracing.journal import waits
from tracing.models import Span
from tracing.models.attributes import call_attributes

logger = logging.getLogger(__name__)

State = Question.State
ACTION: dict[str, Any] = {
    State.ANSWERED: "accept",
    State.DECLINED: "decline",
    State.CANCELLED: "cancel",
    State.EXPIRED: "cancel",
}


class _LiveQuestions:
    """The questions for whose answers a coroutine of this process waits."""

    def __init__(self) -> None:
        self._waiting: dict[uuid.UUID, tuple[int, asyncio.Future[Answered]]] = {}
        self._lock = threading.Lock()

    def enter(self, question: uuid.UUID, call_id: int) -> "asyncio.Future[Answered]":
        waiter: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        with self._lock:
            self._waiting[question] = call_id, waiter
        return waiter

    def leave(self, question: uuid.UUID) -> None:
        with self._lock:
            self._waiting.pop(question, None)

    def has(self, call_id: int) -> bool:
        with self._lock:
            return any(of == call_id for of, _ in self._waiting.values())

    def ids(self) -> list[uuid.UUID]:
        with self._lock:
            return list(self._waiting)

    def settle(self, question: uuid.UUID, answer: Answered) -> None:
        """From any thread, any number of times."""
        with self._lock:
            _, waiter = self._waiting.get(question, (0, None))
        if waiter is not None:
            waiter.get_loop().call_soon_threadsafe(_set, waiter, answer)


live = _LiveQuestions()


def _set(waiter: "asyncio.Future[Answered]", answer: Answered) -> None:
    if not waiter.done():
        waiter.set_result(answer)


async def ask(call: ClaimedCall, asked: Asked) -> Answered:
    """Asks the user of the turn and waits for the answer. On the loop."""
    name = uuid.uuid4()
    waiter = live.enter(name, call.span.pk)
    try:
        await from_loop(_store_asked, call, name, asked)
        call.thread_is_free.set()
        async with asyncio.timeout(settings.QUESTION_SECONDS):
            answer = await waiter
    except TimeoutError:
        await from_loop(_close, call, name, State.EXPIRED)
        return CANCEL
    except asyncio.CancelledError:
        # The call is over, or the server has cancelled its question.
        asyncio.get_running_loop().run_in_executor(
            None, in_database, _close, call, name, State.CANCELLED
        )
        raise
    finally:
        live.leave(name)
    await from_loop(_resume, call)
    return answer


def _store_asked(call: ClaimedCall, name: uuid.UUID, asked: Asked) -> None:
    with transaction.atomic():
        if not wake(call.turn.pk):
            raise Fenced(f"the turn of call {call.span.pk} is over")
        _mark_waiting(call, (Status.SENT, Status.WAITING))
        expires = timezone.now() + timedelta(seconds=settings.QUESTION_SECONDS)
        question = _store(call, asked, timezone.now(), public_id=name, expires=expires)
        after_commit(partial(announce, call, [question]))


def suspend(call: ClaimedCall, needs: InputNeeded) -> None:
    """Stores the questions that have to be answered before the call is made again, and releases
    the call."""
    now = timezone.now()
    with transaction.atomic():
        if not wake(call.turn.pk):
            raise Fenced(f"the turn of call {call.span.pk} is over")
        call_attributes(call.span)["asked_at"] = now.isoformat()
        _mark_waiting(call, (Status.APPROVED, Status.SENT), owner="", lease_expires=None)
        questions = [_store(call, asked, now, request_state=needs.state) for asked in needs.asked]
        after_commit(partial(announce, call, questions))


def _mark_waiting(call: ClaimedCall, states: tuple[Status, ...], **changes: Any) -> None:
    owned = Span.objects.filter(pk=call.span.pk, token=call.token, status__in=states)
    attributes = call_attributes(call.span)
    waits.begin(attributes)
    if not owned.update(status=Status.WAITING, attributes=attributes, **changes):
        raise Fenced(f"call {call.span.pk} is over or was taken over")
    call.span.status = Status.WAITING


def _store(call: ClaimedCall, asked: Asked, at: datetime, **fields: Any) -> Question:
    question = Question.objects.create(
        span=call.span,
        kind=asked.kind,
        key=asked.key,
        message=asked.message[:MAX_QUESTION_MESSAGE],
        schema=asked.schema,
        url=asked.url.replace("\0", ""),
        asked=at,
        **fields,
    )
    outbox.question_waits(call.turn, call.span, str(question.public_id), at)
    return question


def _resume(call: ClaimedCall) -> None:
    """Marks the call as running again, if none of its questions is open."""
    if Question.objects.filter(span=call.span, state=State.OPEN).exists():
        return
    owned = Span.objects.filter(pk=call.span.pk, token=call.token, status=Status.WAITING)
    attributes = call_attributes(call.span)
    waits.end(attributes)
    if owned.update(status=Status.SENT, attributes=attributes):
        call.span.status = Status.SENT
        after_commit(partial(announce, call, []))


def _close(call: ClaimedCall, name: uuid.UUID, state: State) -> None:
    with transaction.atomic():
        open_question = Question.objects.filter(public_id=name, state=State.OPEN)
        if not open_question.update(state=state, settled=timezone.now()):
            return
        question = Question.objects.get(public_id=name)
        after_commit(partial(announce, call, [question]))
        _resume(call)


def close_of(call_id: int) -> None:
    """Closes the open questions of a call that is over."""
    Question.objects.close(call_id, State.CANCELLED, timezone.now())


def close_all(call_ids: list[int], state: State = State.CANCELLED) -> None:
    """Closes the open questions of calls that are over."""
    open_questions = Question.objects.filter(span__in=call_ids, state=State.OPEN)
    open_questions.update(state=state, settled=timezone.now())


def deliver() -> None:
    """Delivers the stored answers to the coroutines that wait for them."""
    ids = live.ids()
    if not ids:
        return
    for question in Question.objects.filter(public_id__in=ids).exclude(state=State.OPEN):
        live.settle(question.public_id, _answer_of(question))


def _answer_of(question: Question) -> Answered:
    content = form_secrets.unseal(question.answer)
    secrets = form_secrets.secret_values(question.schema, question.message, content)
    return Answered(ACTION[question.state], content, secrets)


def answers_to(span: Span) -> InputGiven | None:
    """A person's answers to the questions with which this call was suspended, if it was.

    A question without a key is a page to visit: it has no answer to give back.
    """
    if "asked_at" not in call_attributes(span):
        return None
    latest = Question.objects.filter(span=span, asked=call_attributes(span)["asked_at"])
    questions = list(latest.order_by("id"))
    state = questions[0].request_state if questions else ""
    answers = {question.key: _answer_of(question) for question in questions if question.key}
    return InputGiven(state, answers, Question.objects.filter(span=span).count())


def refused(span: Span) -> bool:
    """Whether a person did not visit a page without which the call cannot run."""
    if (asked_at := call_attributes(span).get("asked_at")) is None:
        return False
    pages = Question.objects.filter(span=span, asked=asked_at, key="")
    return pages.exclude(state=State.ANSWERED).exists()


def announce(call: ClaimedCall, questions: list[Question]) -> None:
    """The events of these questions and of the call's state."""
    number = call.span.parent.number if call.span.parent else 0
    asked = [events.question_event(call.turn, number, question) for question in questions]
    state = events.call_event(call.turn, number, call.span, "")
    events.emit_many(call.turn.conversation.public_id, [*asked, state])
    subagents.announce_progress(call.turn)
