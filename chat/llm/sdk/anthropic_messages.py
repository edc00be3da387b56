"""Sending requests of Anthropic's Messages API.

One POST with the HTTP client that the SDK of OpenAI gets too: Anthropic's own SDK would add 34 MB
to an installation and 38 MB to each worker. https://platform.claude.com/docs/en/api/messages
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

import httpx2

from chat.llm.clients import NO_KEY, http_client
from chat.llm.endpoint import Endpoint, is_anthropic
from chat.llm.parameters import OLDER_VERSION, VERSION, needs_older_version
from chat.llm.sdk.contract import SDKFailed
from wire.anthropic_messages import MessageEvents
from wire.chunks import ProtocolEvents

AGENT = "Roundtrip"
# The order of the keys, as Anthropic's SDK sends them; others follow. A body keeps the bytes that
# it had with the SDK, and with them the provider's cache of the prompt.
_FIRST_KEYS = (
    *("max_tokens", "messages", "model", "cache_control", "container", "diagnostics"),
    *("inference_geo", "metadata", "output_config", "service_tier", "speed", "stop_sequences"),
    *("stream", "system", "thinking", "tool_choice", "tools"),
)


class AnthropicMessages:
    @asynccontextmanager
    async def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AsyncIterator[httpx2.Response]:
        client = messages_client(endpoint)
        async with client.stream(
            "POST",
            messages_url(endpoint),
            content=encoded({"stream": True, **body}),
            headers=headers_of(endpoint, body),
        ) as response:
            if not response.is_success:
                await response.aread()  # recorded as evidence
                raise SDKFailed(f"status {response.status_code}")
            yield response

    def events(self) -> ProtocolEvents:
        return MessageEvents()


def messages_url(endpoint: Endpoint) -> str:
    """The address to post to. The base URL may have `/v1` or not."""
    return f"{endpoint.base_url.rstrip('/').removesuffix('/v1')}/v1/messages"


def headers_of(endpoint: Endpoint, body: dict[str, Any]) -> dict[str, str]:
    """Since 2026 Anthropic takes the key as a bearer token; compatible servers may expect
    `X-Api-Key`. They get the older version, and Anthropic does where the request needs it."""
    key = endpoint.api_key or NO_KEY
    headers = {
        "Accept": "application/json",
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "Authorization": f"Bearer {key}",
        "anthropic-version": VERSION,
    }
    if not is_anthropic(endpoint.base_url):
        headers["X-Api-Key"] = key
    if not is_anthropic(endpoint.base_url) or needs_older_version(body):
        headers["anthropic-version"] = OLDER_VERSION
    return headers


def encoded(body: dict[str, Any]) -> bytes:
    """JSON in UTF-8 without spaces. Raises ValueError for numbers that JSON lacks."""
    ordered = {key: body[key] for key in _FIRST_KEYS if key in body} | body
    text = json.dumps(ordered, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def messages_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """As `chat.llm.clients.openai_client`."""
    return _messages_client(endpoint, asyncio.get_running_loop())


@lru_cache(maxsize=64)
def _messages_client(endpoint: Endpoint, loop: asyncio.AbstractEventLoop) -> httpx2.AsyncClient:
    return http_client(endpoint)
