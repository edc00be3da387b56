"""`/v1/chat/completions` with the package `openai`, over HTTP."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import openai
import pytest
from django.contrib.auth.models import User

from chat.models import Conversation, Turn
from tracing.models import Payload
from tracing.store import payloads

Named = Callable[[str], str]
HELLO: list[Any] = [{"role": "user", "content": "hello"}]
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "calculate",
            "description": "Calculates.",
            "parameters": {"type": "object", "properties": {"expression": {"type": "string"}}},
        },
    }
]


def test_a_plain_model_answers(client: openai.OpenAI, named: Named) -> None:
    answer = client.chat.completions.create(model=named("stub-echo"), messages=HELLO)
    assert answer.choices[0].message.content == "hello"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None and answer.usage.prompt_tokens > 0
    assert answer.id == f"chatcmpl-{Turn.objects.get().public_id.hex}"


def test_a_stream_is_the_text_of_the_database(client: openai.OpenAI, named: Named) -> None:
    options: Any = {"include_usage": True}
    chunks = list(
        client.chat.completions.create(
            model=named("stub-s7-n200"), messages=HELLO, stream=True, stream_options=options
        )
    )
    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    answer = Turn.objects.get().answer
    assert answer is not None and text == answer.body["content"]
    assert chunks[-1].usage is not None and chunks[-1].usage.completion_tokens == 200
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"


def test_the_async_client_streams(server: str, secret: str, working: None, named: Named) -> None:
    model = named("stub-echo")

    async def ask() -> str:
        async with openai.AsyncOpenAI(base_url=f"{server}/v1", api_key=secret) as sdk:
            text = ""
            stream = await sdk.chat.completions.create(model=model, messages=HELLO, stream=True)
            async for chunk in stream:
                text += chunk.choices[0].delta.content or ""
            return text

    assert asyncio.run(ask()) == "hello"


def test_headers_name_the_trace_the_conversation_and_the_turn(
    client: openai.OpenAI, named: Named, owner: User
) -> None:
    raw = client.chat.completions.with_raw_response.create(model=named("stub"), messages=HELLO)
    turn = Turn.objects.select_related("trace", "conversation").get()
    assert turn.trace is not None
    assert raw.headers["X-Roundtrip-Trace"] == str(turn.trace.public_id)
    assert raw.headers["X-Roundtrip-Conversation"] == str(turn.conversation.public_id)
    assert raw.headers["X-Roundtrip-Turn"] == str(turn.public_id)
    assert not Conversation.objects.listed_for(owner).exists()
    assert Conversation.objects.of_programs_for(owner).get() == turn.conversation


def test_a_history_goes_on_in_its_conversation(client: openai.OpenAI, named: Named) -> None:
    model, messages = named("stub-echo"), [{"role": "system", "content": "Be brief."}, *HELLO]
    for text in ("one", "two"):
        answer = client.chat.completions.create(model=model, messages=messages)
        messages.append({"role": "assistant", "content": answer.choices[0].message.content})
        messages.append({"role": "user", "content": text})
    client.chat.completions.create(model=model, messages=messages)
    assert Conversation.objects.count() == 1
    assert sent_messages(Turn.objects.latest("pk")) == messages


def test_a_history_of_elsewhere_is_stored_as_it_is(client: openai.OpenAI, named: Named) -> None:
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is 2 + 2?"},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "And 3 + 3?"},
    ]
    client.chat.completions.create(model=named("stub-echo"), messages=messages)
    assert sent_messages(Turn.objects.latest("pk")) == messages
    first = Turn.objects.earliest("pk")
    assert first.question is not None and first.question.body["content"] == "What is 2 + 2?"


def test_another_answer_begins_a_conversation_of_its_own(
    client: openai.OpenAI, named: Named
) -> None:
    model = named("stub-echo")
    client.chat.completions.create(model=model, messages=HELLO)
    changed = [*HELLO, {"role": "assistant", "content": "no"}, *HELLO]
    client.chat.completions.create(model=model, messages=changed)
    assert Conversation.objects.count() == 2


def test_tools_of_the_client_come_back_to_it(client: openai.OpenAI, named: Named) -> None:
    model = named("stub-t2")
    first = client.chat.completions.create(model=model, messages=HELLO, tools=TOOLS)
    message = first.choices[0].message
    assert first.choices[0].finish_reason == "tool_calls"
    assert message.tool_calls is not None and len(message.tool_calls) == 2
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": "4"} for call in message.tool_calls
    ]
    messages: list[Any] = [*HELLO, message.model_dump(exclude_none=True), *results]
    second = client.chat.completions.create(model=model, messages=messages, tools=TOOLS)
    assert second.choices[0].finish_reason == "stop" and second.choices[0].message.content
    assert Conversation.objects.count() == 1 and Turn.objects.count() == 2
    assert [one["role"] for one in sent_messages(Turn.objects.latest("pk"))] == [
        *("user", "assistant", "tool", "tool")
    ]


def test_a_stream_has_calls_of_the_client(client: openai.OpenAI, named: Named) -> None:
    with client.chat.completions.stream(
        model=named("stub-t2"), messages=HELLO, tools=TOOLS
    ) as stream:
        final = stream.get_final_completion()
    calls = final.choices[0].message.tool_calls
    assert calls is not None and [call.function.name for call in calls] == ["calculate"] * 2
    assert all(json.loads(call.function.arguments) for call in calls)


def test_an_assistant_runs_its_own_tools(
    client: openai.OpenAI, assistant: Callable[..., str]
) -> None:
    helper = assistant("stub-t2", tools=["calculate"])
    answer = client.chat.completions.create(model=helper, messages=HELLO)
    turn = Turn.objects.get()
    assert answer.choices[0].finish_reason == "stop" and answer.choices[0].message.content
    assert answer.choices[0].message.tool_calls is None
    assert turn.rounds == 2 and "roundtrip" not in (answer.model_extra or {})
    assert sent_messages(turn)[0]["content"].startswith("You are the assistant.")


def test_calls_of_an_assistant_are_shown_to_who_asks(
    client: openai.OpenAI, assistant: Callable[..., str]
) -> None:
    helper = assistant("stub-t1", tools=["calculate"])
    answer = client.chat.completions.create(
        model=helper, messages=HELLO, extra_headers={"X-Roundtrip-Show-Tools": "1"}
    )
    shown = (answer.model_extra or {})["roundtrip"]["tools"]
    assert [one["name"] for one in shown] == ["calculate"] and shown[0]["result"]


def test_parameters_reach_the_model(client: openai.OpenAI, named: Named) -> None:
    wanted: Any = {
        "temperature": 0.5,
        "seed": 7,
        "stop": ["END"],
        "max_tokens": 33,
        "presence_penalty": 0.25,
        "response_format": {"type": "json_object"},
    }
    client.chat.completions.create(model=named("stub"), messages=HELLO, **wanted)
    sent = request_of(Turn.objects.get())
    assert {name: sent.get(name) for name in wanted} == wanted


@pytest.mark.parametrize(("stub_name", "status"), [("stub-f500", 502), ("stub-f400", 400)])
def test_a_failure_of_the_model_has_openais_shape(
    client: openai.OpenAI, named: Named, stub_name: str, status: int, settings: Any
) -> None:
    settings.RETRY_SECONDS = 0.01
    with pytest.raises(openai.APIStatusError) as caught:
        client.chat.completions.create(model=named(stub_name), messages=HELLO)
    assert caught.value.status_code == status
    assert caught.value.body is not None and caught.value.response.headers["X-Roundtrip-Trace"]


def test_a_failure_in_mid_stream_is_an_error_event(
    client: openai.OpenAI, named: Named, settings: Any
) -> None:
    settings.RETRY_SECONDS = 0.01
    with pytest.raises(openai.APIError):
        list(
            client.chat.completions.create(
                model=named("stub-n40-at20-fbadjson"), messages=HELLO, stream=True
            )
        )


def sent_messages(turn: Turn) -> Any:
    return request_of(turn)["messages"]


def request_of(turn: Turn) -> Any:
    """The body that the provider got last."""
    rows = Payload.objects.filter(span__trace=turn.trace_id, stage="request").order_by("-pk")
    return json.loads(payloads.load(rows[0]))
