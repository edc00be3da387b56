"""The public SDK's client reads traces, in both eras of the protocol."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from mcp import Client

from api.mcp_server.scopes import OF_TOOLS
from api.tests.mcp_server.conftest import ERAS, Connect
from chat.models import Turn
from tracing.models import Payload
from tracing.store import payloads

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True)]
Tokens = Callable[..., str]


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured content, of which the text is the JSON."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text  # type: ignore[union-attr]
    assert not result.is_error, text
    assert json.loads(text) == result.structured_content
    content: dict[str, Any] = result.structured_content
    return content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_is_listed_with_its_schemas(
    era: str, owner: User, token_of: Tokens, connect: Connect
) -> None:
    secret = await sync_to_async(token_of)(owner)
    async with connect(secret, era) as client:
        tools = (await client.list_tools()).tools
    assert {one.name for one in tools} == set(OF_TOOLS)
    for one in tools:
        assert one.output_schema and one.output_schema["type"] == "object"
        assert one.annotations and one.annotations.destructive_hint is False
    writing = {one.name for one in tools if one.annotations and not one.annotations.read_only_hint}
    assert writing == {"run_playground", "start_turn"}


@pytest.mark.parametrize("era", ERAS)
async def test_a_trace_is_found_and_read_down_to_its_bytes(
    era: str, owner: User, turn: Turn, token_of: Tokens, connect: Connect
) -> None:
    secret = await sync_to_async(token_of)(owner)
    assert turn.trace
    trace_id = str(turn.trace.public_id)
    async with connect(secret, era) as client:
        found = await call(client, "search_traces", query="weather")
        assert [one["id"] for one in found["traces"]] == [trace_id]
        read = await call(client, "read_trace", id=trace_id)
        assert [one["round"] for one in read["rounds"]] == [1, 2]
        assert len(read["rounds"][0]["tools"]) == 2
        first = await call(client, "read_round", trace=trace_id, round=1)
        assert [one["call"] for one in first["calls"]] == [1, 2]
        assert first["new"][-1]["content"] == "what is the weather"
        second = await call(client, "read_round", trace=trace_id, round=2)
        assert [one["role"] for one in second["new"]] == ["assistant", "tool", "tool"]
        assert second["answer"]["content"]
        sent = await whole_stage(client, trace=trace_id, round=1, stage="request")
    assert sent.encode() == await sync_to_async(stored_request)(turn)


async def whole_stage(client: Client, **arguments: Any) -> str:
    """By parts of 100 bytes."""
    text, offset = "", 0
    while True:
        part = await call(client, "read_stage", **arguments, offset=offset, length=100)
        text += str(part["text"])
        if "next_offset" not in part:
            return text
        offset = part["next_offset"]


def stored_request(turn: Turn) -> bytes:
    rows = Payload.objects.filter(span__trace=turn.trace_id, stage="request")
    return payloads.load(rows.select_related("span__trace").order_by("pk")[0])
