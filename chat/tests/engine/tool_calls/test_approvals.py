"""Calls that wait for a person: who is asked, what is decided, what the model is told."""

import json
from collections.abc import Callable

import pytest

from chat import turn_facts
from chat.commands.decide import decide_call
from chat.engine.worker import worker_timer
from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from tools.models import Policy, Server, ServerTool
from tools.tests.calling import odd, store_listing
from tracing.models import Span

pytestmark = [pytest.mark.process, pytest.mark.postgres]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Ask = Callable[..., Turn]
ECHO = 'call odd-echo {"text": "hello"}'


@pytest.fixture
def server(transactional_db: None) -> Server:
    program = odd()
    row = Server.objects.create(name="odd", command=program.command, args=list(program.args))
    store_listing(row)
    return row


@pytest.fixture
def ask(server: Server, model: Model, send: Send) -> Ask:
    """Sends a text whose calls the model makes, and answers the rings."""

    def to(text: str = ECHO, conversation: Conversation | None = None) -> Turn:
        return answer_rings(send(model("stub-r0-ask-n5"), text, conversation))

    return to


def calls(turn: Turn) -> list[Span]:
    return list(Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL).order_by("pk"))


def told(turn: Turn) -> list[str]:
    """What the model was told of the calls."""
    messages = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in messages]


def test_a_server_s_tool_waits_for_a_person_by_default(ask: Ask) -> None:
    turn = ask()
    assert turn.status == Turn.Status.WAITING
    assert [call.status for call in calls(turn)] == [Span.Status.AWAITING_APPROVAL]
    assert not turn.owner
    assert worker_timer.reap_calls() == []


def test_a_call_that_asks_keeps_what_its_tool_is(ask: Ask) -> None:
    hints = {"destructiveHint": True}
    ServerTool.objects.filter(name="echo").update(annotations=hints)
    (call,) = calls(ask())
    ServerTool.objects.filter(name="echo").update(description="Something else")
    assert call.attributes["description"] == "Tool echo"
    assert call.attributes["annotations"] == hints


def test_an_allowed_call_runs_and_the_turn_goes_on(ask: Ask) -> None:
    turn = ask()
    assert decide_call(calls(turn)[0], approve=True)
    assert answer_rings(turn).status == Turn.Status.DONE
    assert told(turn) == ["hello"]


def test_a_second_decision_changes_nothing(ask: Ask) -> None:
    (call,) = calls(ask())
    assert decide_call(call, approve=True)
    assert not decide_call(call, approve=False)
    call.refresh_from_db()
    assert call.status == Span.Status.APPROVED


def test_a_denied_call_is_not_run_and_the_model_reads_why(ask: Ask) -> None:
    turn = ask()
    decide_call(calls(turn)[0], approve=False, reason="not today")
    assert answer_rings(turn).status == Turn.Status.DONE
    assert told(turn) == ["The user did not allow this call. Reason: not today"]


def test_edited_arguments_run_and_the_model_is_told(ask: Ask) -> None:
    turn = ask()
    decide_call(calls(turn)[0], approve=True, arguments='{"text": "changed"}')
    answer_rings(turn)
    (content,) = told(turn)
    assert content.startswith(
        '[The user changed the arguments before this call ran. It ran with: {"text"'
    )
    assert content.endswith("\nchanged")
    asked = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT).earliest("pk")
    assert json.loads(asked.body["tool_calls"][0]["function"]["arguments"]) == {"text": "hello"}


@pytest.mark.parametrize("text", ['{"text": 5}', "{", "[]"])
def test_edited_arguments_that_do_not_fit_are_refused_and_the_call_waits_on(
    ask: Ask, text: str
) -> None:
    (call,) = calls(ask())
    with pytest.raises(Rejected):
        decide_call(call, approve=True, arguments=text)
    call.refresh_from_db()
    assert call.status == Span.Status.AWAITING_APPROVAL


def test_the_same_arguments_are_no_change(ask: Ask) -> None:
    turn = ask()
    decide_call(calls(turn)[0], approve=True, arguments='{ "text":"hello" }')
    answer_rings(turn)
    assert told(turn) == ["hello"]


def test_a_tool_allowed_for_the_conversation_is_not_asked_about_again(ask: Ask) -> None:
    turn = ask()
    decide_call(calls(turn)[0], approve=True, for_conversation=True)
    answer_rings(turn)
    assert ask(conversation=turn.conversation).status == Turn.Status.DONE
    assert ask().status == Turn.Status.WAITING


def test_allowing_for_the_conversation_lets_the_same_tool_s_other_calls_run(ask: Ask) -> None:
    turn = ask(f"{ECHO}\n{ECHO}\ncall odd-process {{}}")
    decide_call(calls(turn)[0], approve=True, for_conversation=True)
    approved, waiting = Span.Status.APPROVED, Span.Status.AWAITING_APPROVAL
    assert [call.status for call in calls(turn)] == [approved, approved, waiting]


def test_calls_of_a_round_are_decided_one_by_one(ask: Ask) -> None:
    turn = ask(f"{ECHO}\n{ECHO}")
    first, second = calls(turn)
    decide_call(second, approve=True)
    assert answer_rings(turn).status == Turn.Status.WAITING
    decide_call(first, approve=False)
    assert answer_rings(turn).status == Turn.Status.DONE
    assert told(turn) == ["The user did not allow this call.", "hello"]


def test_stop_cancels_a_call_that_waits(ask: Ask) -> None:
    turn = ask()
    turn_facts.stop(turn)
    assert answer_rings(turn).status == Turn.Status.STOPPED
    (call,) = calls(turn)
    assert call.status == Span.Status.CANCELLED
    assert not decide_call(call, approve=True)


def test_a_denied_tool_is_refused_at_once(ask: Ask, server: Server) -> None:
    Server.objects.update(policies=[["echo", "deny"]], policy=Policy.ALLOW)
    turn = ask()
    assert turn.status == Turn.Status.DONE
    assert "the settings of this chat deny it" in told(turn)[0]


def test_a_tool_s_own_policy_counts_before_its_server_s(ask: Ask) -> None:
    Server.objects.update(policy=Policy.DENY)
    ServerTool.objects.filter(name="echo").update(policy=Policy.ALLOW)
    assert told(ask()) == ["hello"]


def test_a_preset_s_policy_counts_before_the_server_s(ask: Ask, model: Model) -> None:
    row = model("stub-r0-ask-n5")
    row.preset = Preset.objects.create(name="Free", policies=[["odd-*", "allow"]])
    row.save()
    assert told(ask()) == ["hello"]


def test_a_denial_counts_before_a_grant(ask: Ask) -> None:
    turn = ask()
    decide_call(calls(turn)[0], approve=True, for_conversation=True)
    answer_rings(turn)
    Server.objects.update(policy=Policy.DENY)
    assert "deny it" in told(ask(conversation=turn.conversation))[0]


def test_a_tool_that_changed_is_not_callable(ask: Ask) -> None:
    ServerTool.objects.filter(name="echo").update(hash="another", policy=Policy.ALLOW)
    assert "the server changed this tool; an admin has to look at it first" in told(ask())[0]


def test_a_tool_that_changed_while_a_person_thought_is_not_run(ask: Ask) -> None:
    turn = ask()
    ServerTool.objects.filter(name="echo").update(hash="another", approved_hash="another")
    decide_call(calls(turn)[0], approve=True)
    answer_rings(turn)
    assert "the server changed this tool" in told(turn)[0]


def test_a_grant_does_not_cover_a_tool_that_changed(ask: Ask) -> None:
    turn = ask()
    decide_call(calls(turn)[0], approve=True, for_conversation=True)
    answer_rings(turn)
    ServerTool.objects.filter(name="echo").update(hash="another", approved_hash="another")
    assert ask(conversation=turn.conversation).status == Turn.Status.WAITING
