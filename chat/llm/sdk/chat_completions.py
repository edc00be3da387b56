"""Sending chat completions, to OpenAI and compatible servers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import openai

from chat.llm.clients import openai_client
from chat.llm.endpoint import Endpoint
from chat.llm.sdk.contract import SDKFailed
from wire.chat_completions import CompletionEvents
from wire.chunks import ProtocolEvents


class ChatCompletions:
    @asynccontextmanager
    async def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AsyncIterator[httpx2.Response]:
        create = openai_client(endpoint).chat.completions.with_streaming_response.create
        # The SDK transforms each message of the argument: 130 ms of the loop's time for 500. The
        # extra body replaces them unchanged.
        try:
            async with create(
                model=body["model"], messages=[], stream=True, extra_body=body
            ) as response:
                yield response.http_response
        except openai.OpenAIError as error:
            raise SDKFailed(str(error)) from error

    def events(self) -> ProtocolEvents:
        return CompletionEvents()
