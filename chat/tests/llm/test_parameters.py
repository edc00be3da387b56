from typing import Any

import pytest

from chat.llm.parameters import (
    DEFAULT_MAX_TOKENS,
    THINKING_MAX_TOKENS,
    Quirks,
    WireParameters,
    wire_parameters,
)

USAGE = {"stream_options": {"include_usage": True}}


def completions(model: str = "m", /, **given: Any) -> WireParameters:
    return wire_parameters("openai", model, given, Quirks())


def messages(model: str = "claude-opus-4-8", /, **given: Any) -> WireParameters:
    return wire_parameters("anthropic", model, {"max_tokens": 40_000, **given}, Quirks())


def test_completions_take_parameters_as_they_are() -> None:
    given = {"temperature": 0, "top_p": 0.5, "stop": ["a"], "seed": 7, "reasoning_effort": "low"}
    assert completions(**given) == WireParameters({**USAGE, **given})


def test_what_is_not_set_is_not_sent() -> None:
    assert completions(temperature=None).body == USAGE


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_keys_of_the_providers_own_go_into_the_body(kind: Any) -> None:
    body = wire_parameters(kind, "m", {"my_key": {"a": 1}}, Quirks()).body
    assert body["my_key"] == {"a": 1}


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_extra_has_the_last_word(kind: Any) -> None:
    given = {"max_tokens": 5, "extra": {"max_tokens": 9, "stream": False}}
    body = wire_parameters(kind, "m", given, Quirks()).body
    assert (body["max_tokens"], body["stream"]) == (9, False)
    assert "extra" not in body


def test_no_options_of_a_stream_are_sent_where_none_is_wanted() -> None:
    assert completions(extra={"stream": False}).body == {"stream": False}


def test_an_extra_that_is_no_object_is_said() -> None:
    assert completions(extra="a").notes == ["extra was left out: it is no object."]


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("o3-mini", "max_completion_tokens"),
        ("gpt-5.2", "max_completion_tokens"),
        ("openai/gpt-5", "max_completion_tokens"),
        ("gpt-4o", "max_tokens"),
        ("gpt-oss-120b", "max_tokens"),
        ("olmo", "max_tokens"),
        ("o3x", "max_tokens"),
    ],
)
def test_openais_reasoning_models_count_their_thoughts(model: str, key: str) -> None:
    assert completions(model, max_tokens=5).body == {**USAGE, key: 5}


def test_a_service_may_call_the_limit_otherwise() -> None:
    quirks = Quirks(max_tokens_key="max_completion_tokens")
    assert "max_completion_tokens" in wire_parameters("openai", "m", {"max_tokens": 5}, quirks).body


def test_usage_is_not_asked_for_where_that_is_an_error() -> None:
    assert wire_parameters("openai", "m", {}, Quirks(usage_in_streams=False)).body == {}


def test_the_messages_api_is_given_a_limit_and_it_is_said() -> None:
    made = wire_parameters("anthropic", "claude-opus-4-8", {}, Quirks())
    assert made.body == {"max_tokens": DEFAULT_MAX_TOKENS}
    assert "max_tokens is 8,192" in made.notes[0]


@pytest.mark.parametrize("stop", ["END", ["END"]])
def test_stop_texts_are_stop_sequences(stop: Any) -> None:
    assert messages(stop=stop).body["stop_sequences"] == ["END"]


def test_a_seed_is_not_dropped_silently() -> None:
    made = messages(seed=7)
    assert "seed" not in made.body
    assert made.notes == ["seed was left out: the Messages API has none."]


def test_sampling_is_sent_in_the_version_that_has_it() -> None:
    made = messages(temperature=0.2)
    assert made.body["temperature"] == 0.2
    assert "2023-06-01" in made.notes[0]


def test_an_effort_lets_a_model_think_as_it_sees_fit() -> None:
    body = messages("claude-sonnet-5", reasoning_effort="xhigh").body
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": "xhigh"}


@pytest.mark.parametrize(
    "model",
    [
        *("claude-3-7-sonnet-20250219", "claude-opus-4-20250514", "claude-sonnet-4-0"),
        *("claude-haiku-4-5-20251001", "claude-opus-4-5", "anthropic/claude-sonnet-4-5"),
    ],
)
def test_an_older_model_thinks_for_a_number_of_tokens(model: str) -> None:
    body = messages(model, reasoning_effort="high").body
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 16_384}
    assert "output_config" not in body


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-sonnet-4-6-20260201", "claude-opus"])
def test_a_later_model_is_given_no_number(model: str) -> None:
    assert messages(model, reasoning_effort="high").body["thinking"]["type"] == "adaptive"


@pytest.mark.parametrize(("limit", "budget"), [(4096, 3072), (2048, 1024), (None, 24_000)])
def test_thoughts_leave_room_for_an_answer(limit: int | None, budget: int) -> None:
    given = {"max_tokens": limit, "reasoning_effort": "max"}
    body = wire_parameters("anthropic", "claude-opus-4-5", given, Quirks()).body
    assert body["thinking"]["budget_tokens"] == budget
    assert body["max_tokens"] == (limit or THINKING_MAX_TOKENS)


@pytest.mark.parametrize(
    ("model", "given", "words"),
    [
        ("claude-opus-4-5", {"max_tokens": 1500, "reasoning_effort": "low"}, "leave no room"),
        ("claude-opus-4-8", {"reasoning_effort": "minimal"}, "effort is low"),
        ("claude-opus-4-8", {"reasoning_effort": "none"}, "not asked for"),
        ("claude-opus-4-8", {"reasoning_effort": "low", "temperature": 0}, "takes none but 1"),
    ],
)
def test_what_cannot_be_expressed_is_said(model: str, given: dict[str, Any], words: str) -> None:
    (note,) = messages(model, **given).notes
    assert words in note


def test_a_cache_is_asked_for_where_there_is_one() -> None:
    body = wire_parameters("anthropic", "m", {}, Quirks(caches_prompts=True)).body
    assert body["cache_control"] == {"type": "ephemeral"}
