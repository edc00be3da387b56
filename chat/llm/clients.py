"""SDK clients, one a provider and process, all over the recording transport.

For the loop's thread only: a client's connections belong to its loop.
"""

from dataclasses import dataclass
from functools import lru_cache

import httpx2
from openai import AsyncOpenAI

from chat.llm.recording import RecordingTransport

CONNECT_SECONDS = 5.0
IDLE_SECONDS = 60.0


@dataclass(frozen=True)
class Endpoint:
    """Where a model is served. `idle_s` is the longest silence before a call counts as stalled."""

    base_url: str
    api_key: str
    idle_s: float = IDLE_SECONDS


@lru_cache(maxsize=64)
def openai_client(endpoint: Endpoint) -> AsyncOpenAI:
    """A client that never retries by itself: attempts are the engine's, and visible."""
    timeout = httpx2.Timeout(endpoint.idle_s, connect=CONNECT_SECONDS)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30)
    transport = RecordingTransport(httpx2.AsyncHTTPTransport(limits=limits, trust_env=True))
    return AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or "none",
        max_retries=0,
        timeout=timeout,
        http_client=httpx2.AsyncClient(transport=transport, timeout=timeout),
    )
