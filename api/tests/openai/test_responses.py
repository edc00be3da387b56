"""`/v1/responses` with the package `openai`, over HTTP."""

from collections.abc import Callable
from typing import Any

import openai
import pytest

from api.tests.openai.test_chat_completions import sent_messages
from chat.models import Conversation, Turn

Named = Callable[[str], str]
TOOLS: Any = [
    {
        "type": "function",
        "name": "calculate",
        "description": "Calculates.",
        "parameters": {"type": "object", "properties": {}},
        "strict": False,
    }
]


def test_a_plain_model_answers(client: openai.OpenAI, named: Named) -> None:
    answer = client.responses.create(model=named("stub-echo"), input="hello", metadata={"a": "b"})
    assert (answer.output_text, answer.status) == ("hello", "completed")
    assert answer.usage is not None and answer.usage.output_tokens > 0
    assert answer.metadata == {"a": "b"}


def test_a_stream_has_typed_events_in_order(client: openai.OpenAI, named: Named) -> None:
    events = list(client.responses.create(model=named("stub-s7-n50"), input="hello", stream=True))
    kinds = list(dict.fromkeys(event.type for event in events))
    assert kinds == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    last: Any = events[-1]
    text = "".join(one.delta for one in events if one.type == "response.output_text.delta")
    assert text == last.response.output_text


def test_the_sdk_gathers_a_stream(client: openai.OpenAI, named: Named) -> None:
    with client.responses.stream(model=named("stub-t2"), input="hello", tools=TOOLS) as stream:
        final = stream.get_final_response()
    calls = [item for item in final.output if item.type == "function_call"]
    assert len(calls) == 2 and all(call.arguments for call in calls)


def test_a_response_is_gone_on_with(client: openai.OpenAI, named: Named) -> None:
    model = named("stub-echo")
    first = client.responses.create(model=model, input="one", instructions="Be brief.")
    second = client.responses.create(model=model, input="two", previous_response_id=first.id)
    assert second.previous_response_id == first.id
    assert Conversation.objects.count() == 1
    assert [one["content"] for one in sent_messages(Turn.objects.latest("pk"))] == [
        *("one", "one", "two")
    ]


def test_a_response_is_gone_on_with_twice(client: openai.OpenAI, named: Named) -> None:
    model = named("stub-echo")
    first = client.responses.create(model=model, input="one")
    for text in ("two", "three"):
        client.responses.create(model=model, input=text, previous_response_id=first.id)
    assert Conversation.objects.count() == 2
    assert [one["content"] for one in sent_messages(Turn.objects.latest("pk"))] == [
        *("one", "one", "three")
    ]


def test_outputs_of_the_clients_tools_go_on(client: openai.OpenAI, named: Named) -> None:
    model = named("stub-t1")
    first = client.responses.create(model=model, input="hello", tools=TOOLS)
    call: Any = first.output[0]
    output: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "4"}
    second = client.responses.create(
        model=model, input=[output], previous_response_id=first.id, tools=TOOLS
    )
    assert second.output_text and Conversation.objects.count() == 1


def test_items_of_a_response_may_be_sent_back(client: openai.OpenAI, named: Named) -> None:
    model = named("stub-t1")
    given: list[Any] = [{"role": "user", "content": "hello"}]
    first = client.responses.create(model=model, input=given, tools=TOOLS)
    given += [item.model_dump(exclude_none=True) for item in first.output]
    given += [
        {"type": "function_call_output", "call_id": item.call_id, "output": "4"}
        for item in first.output
        if item.type == "function_call"
    ]
    second = client.responses.create(model=model, input=given, tools=TOOLS)
    assert second.output_text and Conversation.objects.count() == 1


def test_a_stored_response_is_read_and_deleted(client: openai.OpenAI, named: Named) -> None:
    first = client.responses.create(model=named("stub-echo"), input="hello")
    assert client.responses.retrieve(first.id).output_text == "hello"
    client.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)


def test_a_response_that_is_not_stored_is_not_found(client: openai.OpenAI, named: Named) -> None:
    first = client.responses.create(model=named("stub-echo"), input="hello", store=False)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)


def test_a_background_response_is_cancelled(client: openai.OpenAI, named: Named) -> None:
    begun = client.responses.create(model=named("stub-d400"), input="hello", background=True)
    assert begun.status == "in_progress"
    client.responses.cancel(begun.id)
    turn = Turn.objects.get()
    assert turn.stop_requested is not None


def test_an_answer_that_is_cut_is_incomplete(client: openai.OpenAI, named: Named) -> None:
    answer = client.responses.create(model=named("stub-flimit"), input="hello")
    assert answer.status == "incomplete"
    assert answer.incomplete_details is not None
    assert answer.incomplete_details.reason == "max_output_tokens"


def test_calls_of_an_assistant_are_included(
    client: openai.OpenAI, assistant: Callable[..., str]
) -> None:
    include: Any = ["roundtrip.tools"]
    helper = assistant("stub-t1", tools=["calculate"])
    answer = client.responses.create(model=helper, input="hello", include=include)
    assert (answer.model_extra or {})["roundtrip"]["tools"][0]["name"] == "calculate"
    assert [item.type for item in answer.output] == ["message"]
