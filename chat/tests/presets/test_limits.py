"""Which numbers count in a conversation, and what of them is refused."""

from dataclasses import fields
from typing import Any

import pytest
from django.conf import LazySettings

from chat.agent import numbers
from chat.agent.limits import Limits, deployment, inherited, limits
from chat.models import Conversation, LanguageModel, Preset

OWNED, PUBLISHED = 7, None


def found(owner: int | None = PUBLISHED, preset: Any = None, own: Any = None) -> Limits:
    chosen = Preset(pk=1, owner_id=owner, limits=preset or {})
    conversation = Conversation(preset=chosen, limits=own or {})
    return limits(conversation, LanguageModel(context_window=8_000))


def test_a_conversation_goes_before_its_preset_and_that_before_the_deployment(
    settings: LazySettings,
) -> None:
    settings.AGENT_LIMITS = {"micro_keeps": 5, "auto_keeps": 6, "tools_sent": 7}
    chosen = found(preset={"auto_keeps": 8, "tools_sent": 9}, own={"tools_sent": 10})
    assert (chosen.micro_keeps, chosen.auto_keeps, chosen.tools_sent) == (5, 8, 10)


def test_the_window_is_the_models_where_nobody_says_another() -> None:
    assert found().context_window == 8_000
    assert found(own={"context_window": 4_000}).context_window == 4_000
    assert inherited(None, LanguageModel()).context_window == 128_000


def test_a_conversation_lowers_a_ceiling_and_cannot_raise_it() -> None:
    assert found(own={"subagent_rounds": 5}).subagent_rounds == 5
    assert found(own={"subagent_rounds": 500}).subagent_rounds == 30


def test_an_admins_preset_raises_a_ceiling_and_a_persons_own_does_not() -> None:
    assert found(PUBLISHED, {"rounds": 200}).rounds == 200
    assert found(OWNED, {"rounds": 200}).rounds == 50
    assert found(OWNED, {"rounds": 20}).rounds == 20


def test_the_deployments_rounds_and_deadline_are_those_of_the_settings(
    settings: LazySettings,
) -> None:
    settings.AGENT_LIMITS = {"rounds": 14}
    settings.TOOL_DEADLINE = 3.5
    assert (deployment().rounds, deployment().tool_seconds) == (14, 3.5)


def test_what_is_no_limit_is_passed_over_and_told(caplog: pytest.LogCaptureFixture) -> None:
    assert found(own={"tools_snet": 3, "tools_sent": "3"}).tools_sent == 20
    assert "There is no limit of this name" in caplog.text
    assert "Write a number" in caplog.text


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("rounds", 0, "out of bounds: 1 to 1,000 rounds"),
        ("rounds", 2.5, "Write a whole number"),
        ("rounds", "5", "Write a number"),
        ("rounds", True, "Write a number"),
        ("rounds", float("nan"), "Write a number"),
        ("auto_share", 80, "0 to 1 share of the context window"),
        ("round", 5, "There are: rounds, subagent_rounds"),
    ],
)
def test_a_bad_number_is_refused_with_what_would_do(name: str, value: Any, sentence: str) -> None:
    assert sentence in numbers.problem(name, value)


def test_every_limit_is_explained_and_its_default_within_bounds() -> None:
    default = Limits()
    assert set(numbers.NUMBERS) == {field.name for field in fields(Limits)}
    for name in numbers.NUMBERS:
        assert numbers.problem(name, getattr(default, name)) == ""


@pytest.mark.parametrize(
    "name", ["reminder_rounds", "tools_sent", "micro_share", "micro_keeps", "auto_share"]
)
def test_a_zero_that_has_a_meaning_can_be_set(name: str) -> None:
    assert numbers.problem(name, 0) == ""
