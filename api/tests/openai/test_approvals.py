"""A call of a tool that waits for a person while a program waits for the answer."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx2
import openai
import pytest
from django.contrib.auth.models import User

from chat.models import Message, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.tool_calls.test_approvals import ECHO
from chat.tests.engine.tool_calls.test_approvals import server as odd_server
from tests import patience
from tools.models import Server
from tracing.models import Span

__all__ = ["odd_server"]


def waiting_call() -> Span:
    pause = threading.Event()
    until = time.monotonic() + patience.SECONDS
    while time.monotonic() < until and not pause.wait(0.05):
        call = Span.objects.filter(status=Span.Status.AWAITING_APPROVAL).first()
        if call is not None:
            return call
    raise AssertionError("no call waits")


def decide(remote: httpx2.Client, call: Span, decision: str) -> httpx2.Response:
    return remote.post(f"/api/calls/{call.public_id}/decision", json={"decision": decision})


def told() -> list[str]:
    results = Message.objects.filter(role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in results]


@pytest.mark.parametrize(
    ("decision", "result"),
    [("approve", "hello"), ("deny", "The user did not allow this call.")],
)
def test_a_decision_by_the_api_lets_the_turn_go_on(
    remote: httpx2.Client,
    odd_server: Server,
    model: Callable[[str], str],
    decision: str,
    result: str,
) -> None:
    body = {"text": ECHO, "model": model("stub-r0-ask-n5")}
    turn_id = remote.post("/api/turns", json=body).json()["id"]
    assert answer_rings(Turn.objects.get()).status == Turn.Status.WAITING
    call = waiting_call()
    assert decide(remote, call, decision).json() == {"changed": True}
    assert decide(remote, call, "deny").json() == {"changed": False}
    answer_rings(Turn.objects.get())
    assert remote.get(f"/api/turns/{turn_id}").json()["state"] == "done"
    assert told() == [result]


def test_an_approval_lets_a_completion_that_waits_go_on(
    client: openai.OpenAI,
    remote: httpx2.Client,
    owner: User,
    odd_server: Server,
    assistant: Callable[..., str],
) -> None:
    name = assistant("stub-r0-ask-n5")
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(
            lambda: client.chat.completions.create(
                model=name, messages=[{"role": "user", "content": ECHO}]
            )
        )
        call = waiting_call()
        assert not asked.done()
        assert decide(remote, call, "approve").json() == {"changed": True}
        answer = asked.result(patience.SECONDS)
    assert answer.choices[0].finish_reason == "stop"
    assert told() == ["hello"]
