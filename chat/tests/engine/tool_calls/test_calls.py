"""Tool calls whose worker dies, is slow, or is overtaken."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat import turn_facts
from chat.agent.claimed_call import ClaimedCall
from chat.engine.tool_calls import call_claims, call_outcome, execute, questions
from chat.engine.tool_calls.running_calls import RunningCalls
from chat.engine.turn.advance import advance
from chat.engine.worker import worker_timer
from chat.errors import Fenced
from chat.models import LanguageModel, Message, Question, Turn
from chat.tests.engine.conftest import answer_rings
from tools.calls.execution import ToolResult
from tools.models import Server
from tools.values.questions import Asked, InputNeeded
from tracing.models import Span

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def proposed(model: Model, send: Send) -> Span:
    """A call that the model has just asked for."""
    turn = send(model("stub-r0-t1-n5"))
    advance(turn.pk)
    return Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL)


def claimed(call: Span) -> ClaimedCall:
    taken = call_claims.claim_call(call.pk)
    assert taken is not None
    return taken


def let_lease_run_out(call: Span) -> None:
    Span.objects.filter(pk=call.pk).update(lease_expires=timezone.now() - timedelta(seconds=1))


def set_idempotent(call: Span, value: bool) -> None:
    Span.objects.filter(pk=call.pk).update(idempotent=value)


def test_a_call_is_claimed_once(proposed: Span) -> None:
    claimed(proposed)
    assert call_claims.claim_call(proposed.pk) is None


def test_a_call_whose_worker_died_before_it_was_sent_is_run_again(proposed: Span) -> None:
    claimed(proposed)
    let_lease_run_out(proposed)
    assert worker_timer.reap_calls() == [proposed.pk]


def test_a_call_that_was_cut_after_it_was_sent_has_an_unknown_outcome(proposed: Span) -> None:
    set_idempotent(proposed, False)
    call_claims.mark_sent(claimed(proposed))
    let_lease_run_out(proposed)
    assert worker_timer.reap_calls() == []
    proposed.refresh_from_db()
    assert proposed.status == Span.Status.OUTCOME_UNKNOWN


def test_an_idempotent_call_that_was_cut_is_run_again(proposed: Span) -> None:
    set_idempotent(proposed, True)
    call_claims.mark_sent(claimed(proposed))
    let_lease_run_out(proposed)
    assert worker_timer.reap_calls() == [proposed.pk]


def test_a_call_that_was_taken_over_here_stays_known_when_the_first_try_ends() -> None:
    registry = RunningCalls()
    first = registry.entry(7)
    first.__enter__()
    with registry.entry(7):
        first.__exit__(None, None, None)
        assert registry.ids() == [7]
    assert registry.ids() == []


def test_an_overtaken_worker_may_not_send(proposed: Span) -> None:
    slow = claimed(proposed)
    let_lease_run_out(proposed)
    claimed(proposed)
    with pytest.raises(Fenced):
        call_claims.mark_sent(slow)


def test_the_result_of_an_overtaken_worker_is_kept_and_not_sent(proposed: Span) -> None:
    slow = claimed(proposed)
    let_lease_run_out(proposed)
    claimed(proposed)
    call_outcome.finish_call(slow, ToolResult.of_text("too late"))
    proposed.refresh_from_db()
    assert proposed.status == Span.Status.APPROVED
    assert proposed.attributes["late"]


def test_the_result_of_an_overtaken_worker_closes_no_question_of_the_next(proposed: Span) -> None:
    slow = claimed(proposed)
    let_lease_run_out(proposed)
    asked = Asked("form", "How many?", {"type": "object", "properties": {}}, key="k")
    questions.suspend(claimed(proposed), InputNeeded("state", (asked,)))
    call_outcome.finish_call(slow, ToolResult.of_text("too late"))
    assert Question.objects.get(span=proposed).state == Question.State.OPEN
    proposed.refresh_from_db()
    assert "asked_at" in proposed.attributes


def test_the_model_is_told_of_an_unknown_outcome(proposed: Span) -> None:
    set_idempotent(proposed, False)
    call_claims.mark_sent(claimed(proposed))
    let_lease_run_out(proposed)
    worker_timer.reap_calls()
    turn = answer_rings(Turn.objects.get(trace=proposed.trace))
    told = Message.objects.get(turn=turn, role=Message.Role.TOOL)
    assert told.body["is_error"]
    assert "not known" in told.body["content"]


def test_a_call_that_the_server_cannot_begin_has_failed(
    proposed: Span, settings: Settings, tmp_path: Path
) -> None:
    settings.WORKSPACES = tmp_path / "file"
    settings.WORKSPACES.write_text("no folder can be made in it")
    turn = answer_rings(Turn.objects.get(trace=proposed.trace))
    told = Message.objects.get(turn=turn, role=Message.Role.TOOL)
    assert (told.body["is_error"], told.body["content"]) == (True, execute.NOT_BEGUN)


def test_stop_leaves_no_call_open(proposed: Span) -> None:
    turn = Turn.objects.get(trace=proposed.trace)
    turn_facts.stop(turn)
    assert answer_rings(turn).status == Turn.Status.STOPPED
    proposed.refresh_from_db()
    assert proposed.status == Span.Status.CANCELLED


def test_stop_after_a_call_was_sent_leaves_its_outcome_unknown(proposed: Span) -> None:
    set_idempotent(proposed, False)
    call_claims.mark_sent(claimed(proposed))
    turn = Turn.objects.get(trace=proposed.trace)
    turn_facts.stop(turn)
    advance(turn.pk)
    proposed.refresh_from_db()
    assert proposed.status == Span.Status.OUTCOME_UNKNOWN


def test_how_the_time_of_a_call_was_spent_is_on_its_span(proposed: Span) -> None:
    call = claimed(proposed)
    call.timing.opening()
    call.timing.opened("2025-11-25")
    call.timing.answered()
    call_outcome.finish_call(call, ToolResult.of_text("done"))
    proposed.refresh_from_db()
    timing = proposed.attributes["timing"]
    assert set(timing) == {"room_ms", "connect_ms", "answer_ms", "protocol"}


def test_the_session_that_a_call_opened_is_in_the_servers_history(proposed: Span) -> None:
    server = Server.objects.create(name="s", command="true")
    call = claimed(proposed)
    call.timing.server = "s"
    call.timing.opening()
    call.timing.failed("exited with code 1")
    call_outcome.finish_call(call, ToolResult.error("no connection"))
    contact = server.contacts.get()
    assert (contact.purpose, contact.succeeded) == ("call", False)
    assert contact.error == "exited with code 1"


def test_a_worker_that_has_let_go_of_a_call_cannot_send_it(model: Model, send: Send) -> None:
    turn = send(model("stub-r0-n5-t1"))
    advance(turn.pk)
    call = call_claims.claim_call(Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).pk)
    assert call is not None
    Span.objects.filter(pk=call.span.pk).update(owner="", lease_expires=None)  # as a question does
    with pytest.raises(Fenced):
        call_claims.mark_sent(call)
