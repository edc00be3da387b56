"""Sending requests of Anthropic's Messages API."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

import anthropic
import httpx2

from chat.llm.clients import NO_KEY, http_client, timeout
from chat.llm.endpoint import Endpoint, is_anthropic
from chat.llm.parameters import OLDER_VERSION, needs_older_version
from chat.llm.sdk.contract import SDKFailed
from wire.anthropic_messages import MessageEvents
from wire.chunks import ProtocolEvents


class AnthropicMessages:
    @asynccontextmanager
    async def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AsyncIterator[httpx2.Response]:
        rest = dict(body)
        create = anthropic_client(endpoint).messages.with_streaming_response.create
        try:
            async with create(
                model=rest.pop("model"),
                max_tokens=rest.pop("max_tokens"),
                messages=rest.pop("messages"),
                stream=True,
                extra_headers=_version(endpoint, body),
                extra_body=rest,
            ) as response:
                yield response.http_response
        except anthropic.AnthropicError as error:
            raise SDKFailed(str(error)) from error

    def events(self) -> ProtocolEvents:
        return MessageEvents()


def anthropic_client(endpoint: Endpoint) -> anthropic.AsyncAnthropic:
    """As `chat.llm.clients.openai_client`. The SDK adds `/v1`, which the base URL may have too.

    Since 2026 Anthropic takes the key as a bearer token; compatible servers may expect `X-Api-Key`.
    """
    return _anthropic_client(endpoint, asyncio.get_running_loop())


@lru_cache(maxsize=64)
def _anthropic_client(
    endpoint: Endpoint, loop: asyncio.AbstractEventLoop
) -> anthropic.AsyncAnthropic:
    key = endpoint.api_key or NO_KEY
    return anthropic.AsyncAnthropic(
        base_url=endpoint.base_url.rstrip("/").removesuffix("/v1"),
        api_key=key,
        max_retries=0,
        timeout=timeout(endpoint),
        http_client=http_client(endpoint),
        default_headers=None if is_anthropic(endpoint.base_url) else {"X-Api-Key": key},
        open_telemetry=False,
    )


def _version(endpoint: Endpoint, body: dict[str, Any]) -> dict[str, str]:
    """The header for the older version: where a request needs it, and for compatible servers."""
    if is_anthropic(endpoint.base_url) and not needs_older_version(body):
        return {}
    return {"anthropic-version": OLDER_VERSION}
