"""Servers that ask a person in the middle of a call: what is stored, held, and carried back."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat import turn_facts
from chat.commands.answer import answer_question
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.running_calls import running_calls
from chat.engine.worker import worker_timer
from chat.engine.worker.stopped_calls import stopped_calls
from chat.errors import Invalid
from chat.models import LanguageModel, Message, Question, Turn
from chat.tests.engine.conftest import answer_rings
from tests import patience
from tools import loop
from tools.mcp import listing, pool
from tools.models import Policy, Server
from tools.tests.servers import asking
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.process

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Ask = Callable[..., Turn]
BOOK = 'call asking-book {"day": "today"}'
LEGACY, AUTO = Server.Mode.LEGACY, Server.Mode.AUTO
FILLED = {"people": 2, "seat": "aisle"}


@pytest.fixture
def ask(transactional_db: None, model: Model, send: Send) -> Iterator[Ask]:
    """Lets the model call a tool of the server, in one of the eras, and answers the rings."""

    def to(text: str = BOOK, mode: str = LEGACY) -> Turn:
        row = Server.objects.create(
            name="asking",
            command=sys.executable,
            args=[str(Path(asking.__file__))],
            mode=mode,
            policy=Policy.ALLOW,
        )
        listing.store(row, found(mode))
        return answer_rings(send(model("stub-r0-ask-n5"), text))

    yield to
    interrupt()


def interrupt() -> None:
    """Ends what this process still holds: its question would be another's on the same session."""
    for call_id in running_calls.ids():
        running_calls.interrupt(call_id)
    until(lambda: running_calls.ids() == [] and questions.live.ids() == [])


@cache
def found(mode: str) -> listing.Finding:
    """What the server lists: it starts slowly, and its session is shared by the tests too."""
    finding = listing.look(Server.objects.get().config())
    assert not finding.error
    return finding


@pytest.fixture(scope="module", autouse=True)
def sessions() -> Iterator[None]:
    yield
    loop.run(_close_sessions(), patience.SECONDS)


async def _close_sessions() -> None:
    await pool.of_loop().close()


def until(wanted: Callable[[], bool]) -> None:
    deadline = time.monotonic() + patience.SECONDS
    pause = threading.Event()
    while not wanted():
        assert time.monotonic() < deadline
        pause.wait(0.02)


def call_of(turn: Turn) -> Span:
    return Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL)


def answered(turn: Turn) -> Turn:
    """After an answer: it is carried to who waits for it, and the rings are answered."""
    questions.deliver()
    until(lambda: not call_of(turn).is_open or call_of(turn).status == Span.Status.APPROVED)
    return answer_rings(turn)


def told(turn: Turn) -> str:
    return str(Message.objects.get(turn=turn, role=Message.Role.TOOL).body["content"])


@pytest.mark.parametrize("mode", [LEGACY, AUTO])
def test_a_question_waits_and_its_answer_makes_the_result(ask: Ask, mode: str) -> None:
    turn = ask(mode=mode)
    assert turn.status == Turn.Status.WAITING
    assert call_of(turn).status == Span.Status.WAITING
    question = Question.objects.get()
    assert question.message == "Details of the table for today"
    assert answer_question(question, "accept", FILLED)
    assert answered(turn).status == Turn.Status.DONE
    assert '"people":2,"seat":"aisle"' in told(turn)


@pytest.mark.parametrize("mode", [LEGACY, AUTO])
def test_a_password_is_carried_back_and_stored_nowhere_in_clear(ask: Ask, mode: str) -> None:
    password = "hunter2-hunter2"
    turn = ask('call asking-sign_in {"database": "db"}', mode)
    question = Question.objects.get()
    assert answer_question(question, "accept", {"user": "ada", "db_password": password})
    with connection.cursor() as cursor:
        cursor.execute("SELECT answer FROM chat_question")
        assert password not in str(cursor.fetchall())
    assert answered(turn).status == Turn.Status.DONE
    assert told(turn) == "ada has [secret]"
    stored = list(Payload.objects.filter(span=call_of(turn)))
    assert stored
    assert password.encode() not in b"".join(payloads.load_all(stored))


@pytest.mark.parametrize("mode", [LEGACY, AUTO])
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_the_server_is_told_of_a_refusal(ask: Ask, mode: str, action: str) -> None:
    turn = ask(mode=mode)
    answer_question(Question.objects.get(), action)
    answered(turn)
    assert told(turn) == f"today: {action}"


@pytest.mark.parametrize("mode", [LEGACY, AUTO])
def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays(ask: Ask, mode: str) -> None:
    ask(mode=mode)
    question = Question.objects.get()
    with pytest.raises(Invalid) as refused:
        answer_question(question, "accept", {"people": 9})
    assert refused.value.fields == {"people": "This must be 1 to 8."}
    question.refresh_from_db()
    assert question.state == Question.State.OPEN


def test_a_second_answer_changes_nothing(ask: Ask) -> None:
    ask(mode=AUTO)
    question = Question.objects.get()
    assert answer_question(question, "decline")
    assert not answer_question(question, "accept", FILLED)
    question.refresh_from_db()
    assert question.state == Question.State.DECLINED


def test_nobody_holds_a_new_server_s_question(ask: Ask) -> None:
    turn = ask(mode=AUTO)
    call = call_of(turn)
    assert (call.owner, call.lease_expires) == ("", None)
    assert running_calls.ids() == []
    assert worker_timer.reap_calls() == []


def test_no_thread_waits_for_a_person_but_the_call_stays_leased(ask: Ask) -> None:
    turn = ask()  # the thread of the rings came back
    assert running_calls.ids() == [call_of(turn).pk]
    assert call_of(turn).owner


def test_after_a_restart_the_outcome_of_a_live_question_is_unknown(ask: Ask) -> None:
    turn = ask()
    past = timezone.now() - timedelta(seconds=1)
    Span.objects.filter(pk=call_of(turn).pk).update(lease_expires=past)
    assert worker_timer.reap_calls() == []
    assert call_of(turn).status == Span.Status.OUTCOME_UNKNOWN
    assert Question.objects.get().state == Question.State.CANCELLED
    assert not answer_question(Question.objects.get(), "accept", FILLED)


@pytest.mark.parametrize(
    ("mode", "status"), [(LEGACY, Span.Status.OUTCOME_UNKNOWN), (AUTO, Span.Status.CANCELLED)]
)
def test_stop_ends_the_question(ask: Ask, mode: str, status: str) -> None:
    turn = ask(mode=mode)
    turn_facts.stop(turn)
    assert answer_rings(turn).status == Turn.Status.STOPPED
    assert call_of(turn).status == status
    assert told(turn).startswith("The user stopped the turn while the server waited for an answer")
    assert Question.objects.get().state == Question.State.CANCELLED
    assert stopped_calls(running_calls.ids()) == running_calls.ids()


def test_a_live_question_that_nobody_answers_expires(ask: Ask, settings: Settings) -> None:
    settings.QUESTION_SECONDS = 0.5
    turn = ask()
    until(lambda: not call_of(turn).is_open)
    answer_rings(turn)
    assert told(turn) == "today: cancel"
    assert Question.objects.get().state == Question.State.EXPIRED


def test_an_answer_that_comes_too_late_is_an_error_result(ask: Ask) -> None:
    turn = ask(mode=AUTO)
    Question.objects.update(request_state="sealed by somebody else")
    answer_question(Question.objects.get(), "accept", FILLED)
    answered(turn)
    assert "too late" in told(turn)


def test_a_page_to_visit_first_makes_the_call_again(ask: Ask) -> None:
    turn = ask('call asking-pages {"name": "a"}')
    question = Question.objects.get()
    assert (question.kind, question.url) == ("url", "https://example.org/connect")
    answer_question(question, "accept")
    answered(turn)
    assert told(turn) == "connected"


def test_a_page_that_was_not_visited_ends_the_call(ask: Ask) -> None:
    turn = ask('call asking-pages {"name": "b"}')
    answer_question(Question.objects.get(), "decline")
    answered(turn)
    assert "did not visit the page" in told(turn)


def test_a_server_that_asks_without_end_asks_twenty_times(ask: Ask) -> None:
    turn = ask("call asking-insist {}", mode=AUTO)
    for _ in range(20):
        answer_question(Question.objects.get(state=Question.State.OPEN), "decline")
        answered(turn)
    assert Question.objects.count() == 20
    assert "asks for more than 20 answers" in told(turn)


def test_the_frames_of_every_time_are_kept(ask: Ask) -> None:
    turn = ask(mode=AUTO)
    answer_question(Question.objects.get(), "accept", FILLED)
    answered(turn)
    frames = payloads.load(Payload.objects.get(span=call_of(turn), stage="frames")).decode()
    assert frames.count('"tools/call"') == 2
