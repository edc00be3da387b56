"""Custom instructions of a person; instructions and parameters of a conversation, in requests."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from benchmarks.stub import Stub
from chat.agent import own_settings
from chat.commands import conversations
from chat.models import LanguageModel, PersonalSettings, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from tracing.models import Payload
from tracing.store import payloads

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def talker(model: Model) -> LanguageModel:
    made = model("stub-r0-n5")
    made.preset = Preset.objects.create(name="Plain", system_prompt="You help.", tools=[])
    made.parameters = {"temperature": 0.9, "max_tokens": 500}
    made.save()
    return made


def sent(stub: Stub) -> Any:
    """The body of the latest request."""
    return json.loads(stub.completions[-1].body)


def with_own(turn: Turn, instructions: str = "", **parameters: Any) -> Turn:
    conversations.choose_own(turn.conversation, instructions, parameters)
    return turn


def test_both_kinds_of_instructions_follow_the_system_prompt(
    talker: LanguageModel, send: Send, stub: Stub, owner: User
) -> None:
    PersonalSettings.change(owner, instructions="Be brief.\n")
    answer_rings(with_own(send(talker), "Speak German."))
    assert sent(stub)["messages"][0]["content"] == (
        "You help.\n\nCustom instructions of the user:\nBe brief.\n\n"
        "Instructions for this conversation:\nSpeak German."
    )


def test_a_trace_tells_whose_words_they_are(talker: LanguageModel, send: Send) -> None:
    turn = answer_rings(with_own(send(talker), "Speak German."))
    row = Payload.objects.select_related("span__trace").get(
        span__trace=turn.trace, stage=Payload.Stage.INPUT
    )
    message = payloads.read_json(row)["messages"][0]
    assert message["instructions"] == "Instructions for this conversation:\nSpeak German."
    assert "custom_instructions" not in message


def test_without_any_the_prompt_is_as_it_was(talker: LanguageModel, send: Send, stub: Stub) -> None:
    answer_rings(send(talker))
    assert sent(stub)["messages"][0] == {"role": "system", "content": "You help."}


def test_without_a_prompt_they_are_one(talker: LanguageModel, send: Send, stub: Stub) -> None:
    Preset.objects.update(system_prompt="")
    answer_rings(with_own(send(talker), "Speak German."))
    first = sent(stub)["messages"][0]
    assert (first["role"], first["content"][-13:]) == ("system", "Speak German.")


def test_parameters_replace_those_of_the_model(
    talker: LanguageModel, send: Send, stub: Stub
) -> None:
    answer_rings(with_own(send(talker), temperature=0.1, top_p=0.5))
    body = sent(stub)
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.1, 0.5, 500)


def test_what_the_admin_keeps_stays(talker: LanguageModel, send: Send, stub: Stub) -> None:
    LanguageModel.objects.update(open_parameters=["max_tokens"])
    answer_rings(with_own(send(talker), temperature=0.1, max_tokens=9_000))
    body = sent(stub)
    assert (body["temperature"], body["max_tokens"]) == (0.9, 500)


def test_a_model_s_protocol_says_which_there_are(talker: LanguageModel) -> None:
    talker.name = "gpt-5"
    assert own_settings.settable(talker) == ["max_tokens", "seed", "reasoning_effort"]
    talker.name, talker.provider.kind = "claude-x", "anthropic"
    assert "seed" not in own_settings.settable(talker)
