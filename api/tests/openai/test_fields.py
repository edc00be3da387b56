"""Every field of the SDK's requests is decided: supported, or refused by its name."""

from collections.abc import Mapping
from typing import Any

import pytest
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

from api.openai import chat_request, response_request
from api.openai.errors import OpenAIError
from api.openai.fields import CHAT, RESPONSES, Field

CHAT_BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
RESPONSE_BODY = {"model": "m", "input": "hello"}
# What a supported field may be; what is not supported gets something that nothing accepts.
FUNCTION = {"name": "f", "parameters": {"type": "object", "properties": {}}}
VALUES: Mapping[str, Any] = {
    "background": True,
    "frequency_penalty": 0.5,
    "include": ["roundtrip.tools"],
    "input": "hello",
    "instructions": "Be brief.",
    "logit_bias": {"5": 1},
    "max_completion_tokens": 5,
    "max_output_tokens": 5,
    "max_tokens": 5,
    "messages": CHAT_BODY["messages"],
    "metadata": {"a": "b"},
    "model": "m",
    "parallel_tool_calls": False,
    "presence_penalty": 0.5,
    "previous_response_id": f"resp_{'0' * 32}",
    "reasoning": {"effort": "low"},
    "reasoning_effort": "low",
    "response_format": {"type": "json_object"},
    "safety_identifier": "x",
    "seed": 7,
    "stop": "END",
    "store": False,
    "stream": True,
    "stream_options": {},
    "temperature": 0.5,
    "text": {"format": {"type": "json_object"}},
    "tool_choice": "auto",
    "top_p": 0.5,
    "user": "x",
    "verbosity": "low",
}
TOOLS = {
    "chat": [{"type": "function", "function": FUNCTION}],
    "responses": [{"type": "function", **FUNCTION}],
}


def cases(fields: Mapping[str, Field]) -> list[Any]:
    return [pytest.param(name, field, id=name) for name, field in fields.items()]


def read(api: str, **more: Any) -> object:
    if api == "chat":
        return chat_request.read({**CHAT_BODY, **more}, with_tools=False)
    return response_request.read({**RESPONSE_BODY, **more}, with_tools=False)


def check(api: str, name: str, field: Field) -> None:
    if not field.refusal:
        read(api, **{name: TOOLS[api] if name == "tools" else VALUES[name]})
        return
    for value in field.only:
        read(api, **{name: value})
    with pytest.raises(OpenAIError) as caught:
        read(api, **{name: "something else"})
    assert (caught.value.status, caught.value.param) == (400, name)
    assert name in caught.value.message


def test_every_field_of_the_sdk_is_decided() -> None:
    chat = completion_create_params.CompletionCreateParamsBase.__annotations__
    responses = response_create_params.ResponseCreateParamsBase.__annotations__
    assert set(CHAT) == {*chat, "stream"}
    assert set(RESPONSES) == {*responses, "stream"}


@pytest.mark.parametrize(("name", "field"), cases(CHAT))
def test_a_field_of_chat_completions_is_read_or_refused(name: str, field: Field) -> None:
    check("chat", name, field)


@pytest.mark.parametrize(("name", "field"), cases(RESPONSES))
def test_a_field_of_responses_is_read_or_refused(name: str, field: Field) -> None:
    check("responses", name, field)


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_field_that_nobody_knows_is_refused(api: str) -> None:
    with pytest.raises(OpenAIError, match="Unknown parameter: “temprature”"):
        read(api, temprature=0.5)


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("name", sorted({*CHAT, *RESPONSES}))
def test_null_counts_as_absent(api: str, name: str) -> None:
    fields = CHAT if api == "chat" else RESPONSES
    if name in fields and name not in ("model", "messages", "input"):
        assert read(api, **{name: None}) == read(api)
