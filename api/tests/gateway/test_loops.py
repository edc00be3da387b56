"""Calls of a loop are rounds of one trace."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from api.gateway.models import Loop, Session
from api.gateway.reading.given import Given, read_request
from api.gateway.writing.loops import end_idle
from api.tests.gateway.conftest import Person, Served
from chat.models import QuotaRule
from chat.quotas import rules
from tests.redis_server import RedisServer
from tokens.models import Scope, Token
from tracing.journal import trace_rounds
from tracing.models import Payload, Span, Trace
from tracing.store import payloads

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True), pytest.mark.long]

USER = {"role": "user", "content": "add"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_a", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "call_a", "content": "2"}


def ask(anna: Person, served: Served, do: str, *messages: Any, **headers: str) -> None:
    body = {"model": "m", "messages": list(messages)}
    anna.client.post(f"/chat/completions?do={do}", json=body, headers=headers)
    assert served.recorder.flush()


def test_results_that_come_back_are_the_next_round(anna: Person, served: Served) -> None:
    ask(anna, served, "call", USER)
    assert Trace.objects.get().status == "running"
    ask(anna, served, "answer", USER, CALL, RESULT)
    trace = Trace.objects.get()
    assert (trace.status, len(trace_rounds.rounds(trace))) == ("succeeded", 2)
    assert not Loop.objects.exists()


def test_the_calls_between_two_rounds_are_shown(anna: Person, served: Served) -> None:
    ask(anna, served, "call", USER)
    ask(anna, served, "answer", USER, CALL, RESULT)
    first, _ = trace_rounds.rounds(Trace.objects.get())
    (call,) = first.calls
    stages = {one.stage: payloads.load(one) for one in Payload.objects.filter(span=call)}
    assert (call.name, call.status) == ("add", "succeeded")
    assert stages == {"arguments": b'{"a": 1}', "shown": b"2"}


def test_a_new_question_is_a_new_trace_of_the_session(anna: Person, served: Served) -> None:
    ask(anna, served, "answer", USER, **{"X-Roundtrip-Session": "s"})
    ask(anna, served, "answer", USER, {"role": "assistant", "content": "done"}, USER,
        **{"X-Roundtrip-Session": "s"})  # fmt: skip
    first, second = Trace.objects.all()
    assert first.archive == second.archive and Session.objects.get().name == "s"


def test_of_two_calls_that_go_on_one_begins_anew(anna: Person, served: Served) -> None:
    ask(anna, served, "call", USER)
    ask(anna, served, "call", USER, CALL, RESULT)
    ask(anna, served, "answer", USER, CALL, RESULT)
    assert sorted(len(trace_rounds.rounds(one)) for one in Trace.objects.all()) == [1, 2]


def test_another_session_is_not_gone_on_with(anna: Person, served: Served) -> None:
    ask(anna, served, "call", USER, **{"X-Roundtrip-Session": "one"})
    ask(anna, served, "answer", USER, CALL, RESULT, **{"X-Roundtrip-Session": "two"})
    assert Trace.objects.count() == 2


def test_traceparent_groups_as_well(anna: Person, served: Served) -> None:
    for span in ("a" * 16, "b" * 16):
        ask(anna, served, "answer", USER, traceparent=f"00-{'1' * 32}-{span}-01")
    assert Session.objects.get().key == f"traceparent {'1' * 32}"


def test_the_same_name_of_another_person_is_another_session(anna: Person, served: Served) -> None:
    berta = User.objects.create_user("berta")
    _, secret = Token.objects.make(berta, "Laptop", [Scope.CHAT])
    ask(anna, served, "answer", USER, **{"X-Roundtrip-Session": "s"})
    ask(anna, served, "answer", USER,
        **{"X-Roundtrip-Session": "s", "Authorization": f"Bearer {secret}"})  # fmt: skip
    assert {one.owner for one in Trace.objects.all()} == {anna.user, berta}
    assert Session.objects.count() == 2


def test_the_same_request_after_a_failure_is_another_attempt(anna: Person, served: Served) -> None:
    ask(anna, served, "error", USER)
    ask(anna, served, "answer", USER)
    trace = Trace.objects.get()
    (round_,) = trace_rounds.rounds(trace)
    assert [one.status for one in round_.generations] == ["failed", "succeeded"]
    assert trace.status == "succeeded" and round_.span.status == "succeeded"


def test_a_loop_that_nobody_goes_on_with_is_ended(anna: Person, served: Served) -> None:
    ask(anna, served, "call", USER)
    assert end_idle(timezone.now() + timedelta(minutes=9)) == 1
    assert end_idle(timezone.now() + timedelta(minutes=11)) == 0
    trace = Trace.objects.get()
    assert trace.status == "succeeded"
    assert trace.ended == Span.objects.get(kind="generation").ended


def test_a_failure_after_which_nobody_tries_again_is_one(anna: Person, served: Served) -> None:
    ask(anna, served, "error", USER)
    assert end_idle(timezone.now() + timedelta(minutes=2)) == 0
    assert Trace.objects.get().status == "failed"


def anthropic(*messages: Any) -> Given:
    body = {"model": "c", "system": "Be brief.", "messages": list(messages)}
    return read_request("messages", json.dumps(body).encode())


def test_a_loop_of_anthropics_api_is_known_by_its_blocks() -> None:
    question = {"role": "user", "content": [{"type": "text", "text": "add"}]}
    cached = {"role": "user", "content": [{"type": "text", "text": "add",
              "cache_control": {"type": "ephemeral"}}]}  # fmt: skip
    call = {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "add", "input": {}}]}  # fmt: skip
    result = {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t", "content": "2", "is_error": True}]}  # fmt: skip
    first, second = anthropic(cached), anthropic(question, call, result)
    assert second.before == first.digest != ""
    assert second.results == [
        {"role": "tool", "tool_call_id": "t", "content": "2", "is_error": True}
    ]


def test_a_loop_of_the_responses_api_is_known_by_its_items() -> None:
    def read(*items: Any) -> Given:
        return read_request("responses", json.dumps({"model": "o", "input": list(items)}).encode())

    question = {"role": "user", "content": "add"}
    call = {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "2"}
    assert read(question, call, output).before == read(question).digest != ""


def test_a_call_beyond_a_limit_is_refused_and_not_passed_on(
    anna: Person, served: Served, redis_server: RedisServer
) -> None:
    QuotaRule.objects.create(scope="everybody", kind=QuotaRule.Kind.TURNS_MINUTE, amount=1)
    rules.forget()
    body = {"model": "m", "messages": [USER]}
    answers = [
        anna.client.post("/chat/completions?do=answer", json=body, timeout=20) for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert answers[1].json()["error"]["type"] == "rate_limit_exceeded"
    assert int(answers[1].headers["retry-after"]) >= 1
    assert anna.client.get("/models").status_code == 200  # asks no model
    rules.forget()
