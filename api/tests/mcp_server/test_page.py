"""The examples of docs/mcp-server.md are what the tools take."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from api.mcp_server.scopes import OF_TOOLS
from api.tests.mcp_server.conftest import Connect
from api.tests.mcp_server.test_reading import call
from chat.models import Conversation, Turn
from tests.redis_server import RedisServer

PAGE = Path(__file__).parents[3] / "docs" / "mcp-server.md"


@pytest.mark.asyncio
async def test_every_example_is_answered_and_every_tool_has_one(
    owner: User,
    turn: Turn,
    token_of: Callable[..., str],
    connect: Connect,
    redis_server: RedisServer,
) -> None:
    conversation = await Conversation.objects.aget(pk=turn.conversation_id)
    assert turn.trace
    text = PAGE.read_text().replace("$TRACE", str(turn.trace.public_id))
    text = text.replace("$CONVERSATION", str(conversation.public_id))
    text = text.replace("$TURN", str(turn.public_id))
    examples = [json.loads(one) for one in re.findall(r"```json example\n(.*?)\n```", text)]
    secret = await sync_to_async(token_of)(owner)
    async with connect(secret) as client:
        for example in examples:
            assert await call(client, example["tool"], **example["arguments"])
    assert {one["tool"] for one in examples} == set(OF_TOOLS)
