"""What people did to a turn is kept beside what came of it."""

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat import turn_facts
from chat.commands.answer import answer_question
from chat.commands.decide import decide_call
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import LanguageModel, Question, Turn
from chat.tests.engine.conftest import answer_rings
from tools.models import Policy, Server
from tools.tests.calling import odd, store_listing
from tools.tests.servers import asking
from tracing.journal.time_segments import Kind
from tracing.models import Action, Span
from tracing.page.timeline.time_ledger import read_ledger

pytestmark = pytest.mark.process

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
ECHO = 'call odd-echo {"text": "hello"}'
BOOK = 'call asking-book {"day": "today"}'


@pytest.fixture
def waiting(transactional_db: None, model: Model, send: Send) -> Turn:
    """A turn whose call waits for a decision."""
    program = odd()
    row = Server.objects.create(name="odd", command=program.command, args=list(program.args))
    store_listing(row)
    return answer_rings(send(model("stub-r0-ask-n5"), ECHO))


@pytest.fixture
def asked(transactional_db: None, model: Model, send: Send) -> Turn:
    """A turn whose call waits for what a server asks, with no session held."""
    row = Server.objects.create(
        name="asking",
        command=sys.executable,
        args=[str(Path(asking.__file__))],
        mode=Server.Mode.AUTO,
        policy=Policy.ALLOW,
    )
    store_listing(row)
    return answer_rings(send(model("stub-r0-ask-n5"), BOOK))


def call_of(turn: Turn) -> Span:
    return Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL)


def action_of(turn: Turn) -> Action:
    action = Action.objects.get(trace=turn.trace)
    assert action.user == turn.user
    return action


def waited(turn: Turn) -> timedelta:
    """How long the ledger says that a person was waited for."""
    now, begin = timezone.now(), turn.created
    ledger = read_ledger([call_of(turn)], begin, now, now, timedelta())
    found = {item.kind: item.length for item in ledger.items}
    return found.get(Kind.PERSON, timedelta())


@pytest.mark.parametrize(("approve", "kind"), [(True, "approve"), (False, "deny")])
def test_a_decision_is_kept_once_with_its_call(waiting: Turn, approve: bool, kind: str) -> None:
    decide_call(call_of(waiting), approve=approve)
    decide_call(call_of(waiting), approve=not approve)
    action = action_of(waiting)
    assert (action.kind, action.span) == (kind, call_of(waiting))


def test_a_reason_and_a_grant_are_kept_with_it(waiting: Turn) -> None:
    decide_call(call_of(waiting), approve=True, for_conversation=True)
    assert action_of(waiting).detail == {"for_conversation": True}


def test_a_stop_is_kept_once(waiting: Turn) -> None:
    assert turn_facts.stop(waiting)
    assert turn_facts.stop(waiting)
    assert action_of(waiting).kind == "stop"


def test_until_it_is_decided_the_ledger_waits_for_a_person(waiting: Turn) -> None:
    assert waited(waiting) > timedelta()
    turn_facts.stop(waiting)
    stopped = answer_rings(waiting)
    assert call_of(stopped).status == Span.Status.CANCELLED
    assert waited(stopped) > timedelta()


@pytest.mark.parametrize(("action", "kind"), [("decline", "decline"), ("cancel", "cancel")])
def test_what_became_of_a_servers_question_is_kept(asked: Turn, action: str, kind: str) -> None:
    answer_question(Question.objects.get(), action)
    assert (action_of(asked).kind, action_of(asked).span) == (kind, call_of(asked))


def test_an_answer_ends_the_wait_and_its_content_is_not_kept(asked: Turn) -> None:
    answer_question(Question.objects.get(), "accept", {"people": 2, "seat": "aisle"})
    assert action_of(asked).kind == "answer"
    assert "aisle" not in str(action_of(asked).detail)
    until = call_of(asked).attributes["waits"][-1][1]
    assert until is not None
    answer_rings(asked)
    assert call_of(asked).attributes["waits"][-1][1] == until


def test_sending_a_message_again_is_kept_with_the_turn_that_did_not_do(waiting: Turn) -> None:
    question = waiting.question
    assert question is not None
    conversation = waiting.conversation.public_id
    after = send_message(
        waiting.user,
        NewMessage(key="again", text="x", conversation_id=conversation, again=question.public_id),
    )
    assert action_of(waiting).kind == "again"
    assert action_of(waiting).detail == {"turn": str(after.public_id)}


def test_a_message_of_somebody_else_is_not_said_to_be_sent_again(waiting: Turn) -> None:
    stranger = User.objects.create_user("stranger")
    question = waiting.question
    assert question is not None
    send_message(stranger, NewMessage(key="again", text="Once more", again=question.public_id))
    assert not Action.objects.exists()
