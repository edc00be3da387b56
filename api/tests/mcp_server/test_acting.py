"""A program starts turns and runs of the playground, with workers that answer."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection

from api.tests.mcp_server.conftest import ERAS, Connect
from api.tests.mcp_server.test_reading import call
from chat.engine.turn.advance import advance
from chat.models import LanguageModel, PlaygroundRun, Turn
from chat.playground import running
from tests import patience
from tests.redis_server import RedisServer

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True)]
Tokens = Callable[..., str]


@pytest.fixture
def worker(transactional_db: None, redis_server: RedisServer) -> Iterator[None]:
    """Advances turns and makes runs, as the worker does, until the test is over."""
    over = threading.Event()

    def work() -> None:
        try:
            while not over.wait(0.05):
                for turn in Turn.objects.filter(status="queued").values_list("pk", flat=True):
                    advance(turn)
                asked = PlaygroundRun.objects.filter(state="asked")
                for run in asked.values_list("pk", flat=True):
                    running.run(run)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join(patience.SECONDS)


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("era", ERAS)
async def test_a_turn_is_started_and_its_answer_given_with_progress(
    era: str,
    owner: User,
    model: Callable[..., LanguageModel],
    token_of: Tokens,
    connect: Connect,
) -> None:
    made = await sync_to_async(model)("stub-r40-n40")
    secret = await sync_to_async(token_of)(owner, ["chat"])
    told: list[Any] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with connect(secret, era) as client:
        arguments = {"text": "hello", "model": made.name, "key": "once", "wait_s": 20}
        result = await client.call_tool("start_turn", arguments, progress_callback=progress)
        answered = result.structured_content
        again = await call(client, "start_turn", **arguments)
        other = await call(client, "start_turn", **{**arguments, "key": "two"})
    assert (answered["status"], answered["waiting"]) == ("done", [])
    assert answered["answer"] and answered["trace"] and told
    assert again["turn"] == answered["turn"] != other["turn"]


async def test_a_turn_that_is_not_done_says_how_to_wait_on(
    owner: User,
    model: Callable[..., LanguageModel],
    token_of: Tokens,
    connect: Connect,
    redis_server: RedisServer,
) -> None:
    made = await sync_to_async(model)("stub-n5")
    secret = await sync_to_async(token_of)(owner, ["chat"])
    async with connect(secret) as client:
        started = await call(client, "start_turn", text="hello", model=made.name, wait_s=0)
        assert (started["status"], started["note"]) == ("queued", "It goes on: call wait_for_turn.")
        waited = await call(client, "wait_for_turn", turn=started["turn"], wait_s=0.2)
    assert waited["turn"] == started["turn"]


@pytest.mark.usefixtures("worker")
async def test_a_recorded_call_is_run_again_with_other_words_and_compared(
    owner: User, turn: Turn, token_of: Tokens, connect: Connect
) -> None:
    assert turn.trace
    trace_id = str(turn.trace.public_id)
    secret = await sync_to_async(token_of)(owner)
    changed = [{"role": "user", "content": "what is the weather today"}]
    async with connect(secret) as client:
        ran = await call(client, "run_playground", trace=trace_id, messages=changed, wait_s=20)
        assert ran["state"] == "succeeded"
        compared = await call(
            client, "compare_rounds", trace=ran["trace"], round=1, other_trace=trace_id
        )
        steps = await call(client, "compare_rounds", trace=trace_id, round=2)
        listed = await call(client, "list_assistants")
    (change,) = [one for one in compared["messages"] if one["role"] == "user"]
    assert "{+ today+}" in change["text"]
    assert [one["role"] for one in steps["messages"]] == ["assistant", "tool", "tool"]
    assert "stub-t2-k1-n20" in [one["name"] for one in listed["models"]]


async def test_traces_are_resources_and_the_prompt_names_one(
    owner: User, turn: Turn, token_of: Tokens, connect: Connect
) -> None:
    assert turn.trace
    trace_id = str(turn.trace.public_id)
    secret = await sync_to_async(token_of)(owner)
    async with connect(secret) as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        texts = [
            (await client.read_resource(f"trace://{trace_id}{rest}")).contents[0].text  # type: ignore[union-attr]
            for rest in ("", "/rounds/1", "/rounds/1/request")
        ]
        prompt = await client.get_prompt("debug_trace", {"trace": trace_id, "question": "Slow?"})
    assert [str(one.uri) for one in listed] == [f"trace://{trace_id}"]
    assert len(templates) == 3
    assert all("weather" in text for text in texts)
    assert trace_id in prompt.messages[0].content.text  # type: ignore[union-attr]
