import asyncio

from chat.llm.clients import openai_client
from chat.llm.endpoint import Endpoint
from chat.llm.sdk.anthropic_messages import anthropic_client

HERE = Endpoint("http://127.0.0.1:9/v1", "")


def test_a_loop_keeps_its_clients() -> None:
    async def twice() -> bool:
        same = openai_client(HERE) is openai_client(HERE)
        return same and anthropic_client(HERE) is anthropic_client(HERE)

    assert asyncio.run(twice())


def test_another_loop_has_clients_of_its_own() -> None:
    async def clients() -> tuple[object, object]:
        return openai_client(HERE), anthropic_client(HERE)

    first, second = asyncio.run(clients()), asyncio.run(clients())
    assert first[0] is not second[0]
    assert first[1] is not second[1]
