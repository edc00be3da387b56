"""Runs of the playground against a real endpoint: each is a trace, with all its stages."""

import json
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

import jobs
from benchmarks.stub import Stub
from chat.errors import Rejected
from chat.models import LanguageModel, Playground, PlaygroundRun, Provider
from chat.playground import drafts, outputs, run_text, running, runs
from limits.replay import MAX_OPEN_RUNS
from tests import patience
from tests.redis_server import RedisServer
from tracing.models import Archive, Payload, Span, Trace
from tracing.store import payloads
from tracing.tests.builders import a_user

pytestmark = pytest.mark.django_db(transaction=True)

Make = Callable[..., LanguageModel]
TOOL = {"type": "function", "function": {"name": "calculate", "parameters": {"type": "object"}}}


@pytest.fixture
def user() -> User:
    return a_user()


@pytest.fixture
def playground(user: User) -> Playground:
    return Playground.objects.create(archive=Archive.objects.create(owner=user), title="Tables")


def a_draft(model: LanguageModel, **changes: Any) -> str:
    messages = [{"role": "user", "content": "几张表?"}]
    value = {"model": str(model.public_id), "dialect": "", "messages": messages, "tools": []}
    return json.dumps({**value, **changes})


def run(playground: Playground, draft: str) -> PlaygroundRun:
    """Asks, and does what the worker does."""
    asked = runs.ask(playground, draft, playground.archive.owner)
    running.run(asked.pk)
    asked.refresh_from_db()
    return asked


def test_a_run_is_a_trace_of_the_users_own_with_all_stages(
    broker: Celery, make: Make, playground: Playground, stub: Stub
) -> None:
    done = run(playground, a_draft(make("stub-n5"), parameters={"temperature": 0.5}))
    trace = done.trace
    assert (done.state, trace.status, trace.kind) == ("succeeded", "succeeded", "playground")
    assert (trace.owner, trace.name) == (playground.archive.owner, "Tables · run 1")
    kept = Payload.objects.filter(span__trace=trace)
    assert sorted(each.stage for each in kept) == ["input", "output", "request", "response"]
    request = payloads.load(kept.get(stage="request"))
    assert request == stub.completions[-1].body
    assert json.loads(request)["temperature"] == 0.5
    assert not trace.spans.filter(status="running").exists()


def test_what_came_can_be_read(broker: Celery, make: Make, playground: Playground) -> None:
    model = make("stub-n5", price_in=1, price_out=2)
    output = outputs.of_run(run(playground, a_draft(model)))
    assert output.content
    assert (output.tokens_out, output.finish_reason) == (5, "stop")
    assert output.cost.startswith("$0.00")


@pytest.mark.parametrize("dialect", ["nous", "functions"])
def test_another_dialect_can_be_spoken(
    broker: Celery, make: Make, playground: Playground, stub: Stub, dialect: str
) -> None:
    done = run(playground, a_draft(make("stub-n5"), dialect=dialect, tools=[TOOL]))
    body = json.loads(stub.completions[-1].body)
    assert "tools" not in body
    assert outputs.of_run(done).generation["dialect"] == dialect


def test_calls_are_shown_and_not_run(broker: Celery, make: Make, playground: Playground) -> None:
    done = run(playground, a_draft(make("stub-t2"), tools=[TOOL]))
    assert [call.name for call in outputs.of_run(done).calls] == ["calculate"] * 2
    assert not Span.objects.filter(trace=done.trace, kind="tool").exists()


def test_a_failure_says_why_and_what_to_do(
    broker: Celery, make: Make, playground: Playground
) -> None:
    output = outputs.of_run(run(playground, a_draft(make("stub-f401"))))
    assert output.state == "failed"
    assert "rejected the API key" in output.error
    assert "key" in output.advice
    assert playground.runs.get().draft


def test_runs_are_numbered_and_compared(broker: Celery, make: Make, playground: Playground) -> None:
    model = make("stub-n5")
    first, second = run(playground, a_draft(model)), run(playground, a_draft(model))
    found = outputs.compare(outputs.of_run(first), outputs.of_run(second))
    assert (first.number, second.number) == (1, 2)
    assert [part.kind for part in found.parts] == ["content"]
    assert outputs.compare(found.left, found.left).is_same


def test_without_redis_a_run_says_so(make: Make, playground: Playground, user: User) -> None:
    asked = runs.ask(playground, a_draft(make("stub-n5")), user)
    asked.refresh_from_db()
    assert asked.state == "failed"
    assert "Redis is unreachable" in outputs.of_run(asked).error


def test_what_was_stopped_before_it_began_is_not_run(
    broker: Celery, make: Make, playground: Playground, user: User, stub: Stub
) -> None:
    before = len(stub.completions)
    asked = runs.ask(playground, a_draft(make("stub-n5")), user)
    runs.stop(asked)
    running.run(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, Trace.objects.get(pk=asked.trace_id).status) == ("stopped", "stopped")
    assert len(stub.completions) == before


def test_a_run_shows_its_text_and_stops_within_a_second(
    broker: Celery, redis_server: RedisServer, make: Make, playground: Playground, user: User
) -> None:
    asked = runs.ask(playground, a_draft(make("stub-r20-n2000")), user)
    worker = threading.Thread(target=_in_worker, args=(asked.pk,))
    worker.start()
    _wait_for(lambda: run_text.read(asked.trace.public_id)["content"])
    asked.refresh_from_db()
    assert outputs.of_run(asked).content
    runs.stop(asked)
    worker.join(patience.SECONDS)
    assert not worker.is_alive()
    asked.refresh_from_db()
    output = outputs.of_run(asked)
    assert (output.state, output.span.status) == ("stopped", "cancelled")
    assert output.content
    assert not run_text.read(asked.trace.public_id)["content"]


def _in_worker(run_pk: int) -> None:
    try:
        running.run(run_pk)
    finally:
        connection.close()


def _wait_for(condition: Callable[[], object], seconds: float = patience.SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.02)


def test_a_run_that_nobody_works_on_is_given_up(
    broker: Celery, make: Make, playground: Playground, user: User
) -> None:
    asked = runs.ask(playground, a_draft(make("stub-n5")), user)
    PlaygroundRun.objects.update(changed=timezone.now() - timedelta(minutes=1))
    asked.refresh_from_db()
    jobs.sweep(runs.PLAYGROUND_RUN)
    assert "No worker took this run" in outputs.of_run(asked).error
    asked.refresh_from_db()
    assert asked.state == "failed"


def test_nobody_has_more_than_four_runs_under_way(
    broker: Celery, make: Make, playground: Playground, user: User
) -> None:
    draft = a_draft(make("stub-n5"))
    for _ in range(MAX_OPEN_RUNS):
        runs.ask(playground, draft, user)
    with pytest.raises(Rejected, match="4 runs are in progress"):
        runs.ask(playground, draft, user)


def test_a_model_that_is_not_offered_any_more_is_not_called(
    broker: Celery, make: Make, playground: Playground, user: User
) -> None:
    model = make("stub-n5")
    asked = runs.ask(playground, a_draft(model), user)
    LanguageModel.objects.update(enabled=False)
    running.run(asked.pk)
    asked.refresh_from_db()
    assert asked.state == "failed"


def test_the_draft_of_a_recorded_generation_says_the_same_again(
    broker: Celery, make: Make, playground: Playground, stub: Stub
) -> None:
    model = make("stub-n5")
    recorded = outputs.of_run(run(playground, a_draft(model, tools=[TOOL], dialect="nous"))).span
    again = drafts.of_generation(recorded, [model])
    run(playground, again)
    assert stub.completions[-1].body == stub.completions[-2].body


def test_a_provider_without_an_address_is_a_failure(
    broker: Celery, make: Make, playground: Playground
) -> None:
    draft = a_draft(make("stub-n5"))
    Provider.objects.update(base_url="http://127.0.0.1:1/v1")
    assert "could not be reached" in outputs.of_run(run(playground, draft)).error


def test_deleting_takes_the_traces_along(
    broker: Celery, make: Make, playground: Playground
) -> None:
    run(playground, a_draft(make("stub-n5")))
    playground.delete()
    assert not Trace.objects.exists()
    assert not PlaygroundRun.objects.exists()
