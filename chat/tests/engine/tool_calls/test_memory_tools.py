"""The tools `remember` and `forget` in a conversation."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from benchmarks.stub import Stub
from chat.agent import memory
from chat.models import Conversation, Fact, LanguageModel, Message, PersonalSettings, Turn
from chat.tests.engine.conftest import answer_rings

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def asker(model: Model, owner: User) -> LanguageModel:
    PersonalSettings.change(owner, has_memory=True)
    return model("stub-r0-ask-n5")


def call(name: str, **arguments: Any) -> str:
    return f"call {name} {json.dumps(arguments)}"


def results(turn: Turn) -> list[str]:
    rows = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("id")
    return [row.body["content"] for row in rows]


def system(stub: Stub) -> str:
    first: Any = json.loads(stub.completions[-1].body)["messages"][0]
    return str(first["content"]) if first["role"] == "system" else ""


def offered(stub: Stub) -> set[str]:
    tools: Any = json.loads(stub.completions[-1].body).get("tools") or []
    return {tool["function"]["name"] for tool in tools}


def test_a_fact_is_kept_and_known_from_the_next_request_on(
    asker: LanguageModel, send: Send, stub: Stub, owner: User
) -> None:
    turn = answer_rings(send(asker, call("remember", fact="Likes tea.")))
    assert results(turn) == ["Remembered as 1."]
    assert "1. Likes tea." in system(stub)
    fact = Fact.objects.get()
    assert (fact.owner, fact.conversation) == (owner, turn.conversation)


def test_a_fact_is_forgotten(asker: LanguageModel, send: Send, stub: Stub, owner: User) -> None:
    memory.keep(owner, "Likes tea.")
    turn = answer_rings(send(asker, call("forget", number=1)))
    assert results(turn) == ["Fact 1 is forgotten."]
    assert "(none yet)" in system(stub)
    unknown = answer_rings(send(asker, call("forget", number=7)))
    assert results(unknown) == ["Error: there is no fact 7. There are: none."]


def test_nothing_is_offered_or_told_while_memory_is_off(
    asker: LanguageModel, send: Send, stub: Stub, owner: User
) -> None:
    memory.keep(owner, "Likes tea.")
    PersonalSettings.change(owner, has_memory=False)
    turn = answer_rings(send(asker, call("remember", fact="Likes coffee.")))
    assert "remember" not in offered(stub) and "tea" not in system(stub)
    assert "Remembered" not in results(turn)[0] and Fact.objects.count() == 1


def test_a_temporary_conversation_knows_and_keeps_none(
    asker: LanguageModel, send: Send, stub: Stub, owner: User
) -> None:
    memory.keep(owner, "Likes tea.")
    turn = send(asker, call("remember", fact="Likes coffee."))
    Conversation.objects.update(is_temporary=True)
    answer_rings(turn)
    assert "remember" not in offered(stub) and "tea" not in system(stub)
    assert Fact.objects.count() == 1
