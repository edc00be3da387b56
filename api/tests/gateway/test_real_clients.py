"""The clients that people have: they need another base URL and a token of ours, nothing else."""

from typing import Any

import anthropic
import openai
import pytest
from django.contrib.auth.models import User

from api.tests.gateway.conftest import KEY, Served
from benchmarks.stub import Stub, running_stub
from chat.models import LanguageModel, Provider
from tokens.models import Scope, Token
from tracing.models import Payload, Trace
from tracing.store import payloads

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def secret(transactional_db: None) -> str:
    return Token.objects.make(User.objects.create_user("anna"), "Agent", [Scope.CHAT])[1]


def provider(stub: Stub, kind: str, model: str) -> None:
    base_url = stub.base_url if kind == "openai" else stub.url
    made = Provider.objects.create(name="Stub", kind=kind, base_url=base_url, api_key=KEY)
    LanguageModel.objects.create(provider=made, name=model)


def test_openai_streams_through_the_gateway(served: Served, secret: str) -> None:
    with running_stub() as stub:
        provider(stub, "openai", "stub-n20")
        client = openai.OpenAI(base_url=f"{served.url}/gateway/stub/v1", api_key=secret)
        with (
            client,
            client.chat.completions.stream(
                model="stub-n20", messages=[{"role": "user", "content": "hi"}]
            ) as stream,
        ):
            text = stream.get_final_completion().choices[0].message.content
        (asked,) = stub.completions
    assert served.recorder.flush() and text
    output = payloads.read_json(Payload.objects.get(stage="output"))
    assert output["message"]["content"] == text
    response = Payload.objects.get(stage="response")
    assert payloads.load(response) == asked.sent


def test_openai_reads_a_refusal(served: Served) -> None:
    with (
        openai.OpenAI(
            base_url=f"{served.url}/gateway/stub/v1", api_key="rt_no", max_retries=0
        ) as client,
        pytest.raises(openai.AuthenticationError, match="unknown"),
    ):
        client.models.list()


def test_anthropics_client_streams_through_the_gateway(served: Served, secret: str) -> None:
    with running_stub() as stub:
        provider(stub, "anthropic", "stub-n20")
        client = anthropic.Anthropic(base_url=f"{served.url}/gateway/stub", api_key=secret)
        with (
            client,
            client.messages.stream(
                model="stub-n20", max_tokens=50, messages=[{"role": "user", "content": "hi"}]
            ) as stream,
        ):
            text = "".join(stream.text_stream)
        (asked,) = stub.completions
    assert served.recorder.flush() and text
    output = payloads.read_json(Payload.objects.get(stage="output"))
    assert output["message"]["content"] == text
    assert payloads.load(Payload.objects.get(stage="response")) == asked.sent


def test_a_loop_with_tools_of_openais_client_is_one_trace(served: Served, secret: str) -> None:
    with running_stub() as stub:
        provider(stub, "openai", "stub-t2-k2-n5")
        client = openai.OpenAI(base_url=f"{served.url}/gateway/stub/v1", api_key=secret)
        messages: Any = [{"role": "user", "content": "What is 6 * 7?"}]
        parameters = {"type": "object", "properties": {"expression": {"type": "string"}}}
        function = {"name": "calculate", "parameters": parameters}
        tools: Any = [{"type": "function", "function": function}]
        with client:
            for _ in range(3):
                answer = client.chat.completions.create(
                    model="stub-t2-k2-n5", messages=messages, tools=tools
                )
                message = answer.choices[0].message
                messages.append(message.to_dict())
                messages += [
                    {"role": "tool", "tool_call_id": call.id, "content": "42"}
                    for call in message.tool_calls or ()
                ]
    assert served.recorder.flush()
    trace = Trace.objects.get()
    assert trace.status == "succeeded" and trace.spans.filter(kind="round").count() == 3
    assert trace.spans.filter(kind="tool").count() == 4
