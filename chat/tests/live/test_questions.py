"""What waits for a person, over the real websocket: docs/protocol.md, `decide` and `answer`."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Question
from chat.tests.live.tabs import Model, Open, sent
from tools.models import Server, ServerTool
from tracing.models import Span
from tracing.store import payloads

pytestmark = pytest.mark.process

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def call(opened: Open, owner: User, model: Model) -> Span:
    """A call of a server's tool that waits for approval."""
    turn = sent(opened(owner), model("stub-n5"))
    assert turn.trace is not None
    row = Server.objects.create(name="far", command="true")
    ServerTool.objects.create(
        server=row, name="go", position=0, input_schema=SCHEMA, hash="h", approved_hash="h"
    )
    span = Span.objects.create(
        trace=turn.trace,
        kind=Span.Kind.TOOL,
        name="far-go",
        status=Span.Status.AWAITING_APPROVAL,
        tool_hash="h",
        attributes={"server": "far", "tool": "go", "call_id": "c"},
    )
    payloads.store(span, "arguments", b'{"n": 1}')
    return span


@pytest.fixture
def question(call: Span) -> Question:
    Span.objects.filter(pk=call.pk).update(status=Span.Status.WAITING)
    return Question.objects.create(span=call, kind="form", message="How many?", schema=SCHEMA)


def decide(tab: Any, call: Span, **fields: Any) -> Any:
    return tab.ask(type="decide", call=str(call.public_id), decision="approve", **fields)


def answer(tab: Any, question: Question, action: str, content: Any = None) -> None:
    tab.tell(type="answer", question=str(question.public_id), action=action, content=content)


def test_arguments_that_do_not_fit_are_answered_with_the_reason(
    opened: Open,
    owner: User,
    call: Span,
) -> None:
    reply = decide(opened(owner), call, arguments='{"n": "one"}')
    assert (reply["type"], reply["code"]) == ("error", "invalid")
    assert reply["call"] == str(call.public_id)
    assert "do not fit the tool's schema" in reply["error"]
    call.refresh_from_db()
    assert call.status == Span.Status.AWAITING_APPROVAL


@pytest.mark.parametrize("arguments", [5, {"n": 1}, ["x"]])
def test_arguments_that_are_no_text_are_refused(
    opened: Open,
    owner: User,
    call: Span,
    arguments: Any,
) -> None:
    assert decide(opened(owner), call, arguments=arguments)["code"] == "invalid"


def test_changed_arguments_are_kept_beside_the_model_s(
    opened: Open,
    owner: User,
    call: Span,
) -> None:
    tab = opened(owner)
    tab.tell(type="decide", call=str(call.public_id), decision="approve", arguments='{"n": 2}')
    tab.ask(type="ping")
    call.refresh_from_db()
    assert call.status == Span.Status.APPROVED
    assert call.attributes["edited_arguments"] == '{"n": 2}'
    assert payloads.load(call.payloads.get(stage="arguments")) == b'{"n": 1}'


def test_an_answer_that_does_not_fit_says_what_is_wrong(
    opened: Open,
    owner: User,
    question: Question,
) -> None:
    tab = opened(owner)
    answer(tab, question, "accept", {"n": "one"})
    reply = tab.next(lambda frame: "id" not in frame)
    assert reply["code"] == "invalid"
    assert reply["fields"] == {"n": "This must be a whole number."}
    assert reply["question"] == str(question.public_id)


def test_only_the_owner_can_answer_and_only_once(
    opened: Open,
    owner: User,
    question: Question,
) -> None:
    outsider = User.objects.create_user("outsider")
    for user, action, state in (
        (outsider, "accept", "open"),
        (owner, "perhaps", "open"),
        (owner, "decline", "declined"),
        (owner, "accept", "declined"),
    ):
        tab = opened(user)
        answer(tab, question, action, {"n": 1})
        tab.ask(type="ping")
        question.refresh_from_db()
        assert question.state == state


@pytest.mark.parametrize("name", [None, 5, "x", {"a": 1}])
def test_an_answer_to_no_question_changes_nothing(
    opened: Open,
    owner: User,
    name: object,
) -> None:
    tab = opened(owner)
    tab.tell(type="answer", question=name, action="accept", content={})
    assert tab.ask(type="ping") == {"type": "pong"}


def test_a_snapshot_has_the_open_question(
    opened: Open,
    owner: User,
    question: Question,
) -> None:
    turn = question.span.trace.turn
    tab = opened(owner)
    conversation = str(turn.conversation.public_id)
    frame = tab.ask(type="open", conversation=conversation, cursor=None)
    (shown,) = frame["turns"]
    assert shown["questions"][0]["message"] == "How many?"
    assert "request_state" not in str(frame)
    assert [call["state"] for call in shown["calls"]] == ["waiting"]
