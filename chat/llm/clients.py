"""SDK clients, one for each provider and event loop, all with the recording transport.

For the loop's thread only: connections belong to the loop and end with it. aiohttp sends the
requests, because its C parser reads a streamed chunk in a third of httpcore's time.
"""

import asyncio
import ssl
from functools import lru_cache
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
from aiohttp import ClientSession, DummyCookieJar, TCPConnector
from httpx_aiohttp.httpx2 import AiohttpTransport
from openai import AsyncOpenAI

from chat.llm.endpoint import Endpoint
from chat.llm.recording import RecordingTransport
from limits.models import MAX_PROVIDER_CONNECT_S, MAX_PROVIDER_KEEPALIVE_S

# With an empty key the SDKs would look for one in the environment.
NO_KEY = "none"


def openai_client(endpoint: Endpoint) -> AsyncOpenAI:
    """A client without retries: the engine makes each attempt, with a span of its own."""
    return _openai_client(endpoint, asyncio.get_running_loop())


@lru_cache(maxsize=64)
def _openai_client(endpoint: Endpoint, loop: asyncio.AbstractEventLoop) -> AsyncOpenAI:
    return AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or NO_KEY,
        max_retries=0,
        timeout=timeout(endpoint),
        http_client=http_client(endpoint),
    )


def timeout(endpoint: Endpoint) -> httpx2.Timeout:
    return httpx2.Timeout(endpoint.idle_s, connect=MAX_PROVIDER_CONNECT_S)


def http_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """The HTTP client of an SDK: records everything, retries nothing."""
    inner = AiohttpTransport(verify=_tls(), client=_session, proxy=_proxy(endpoint))
    transport = RecordingTransport(inner)
    return httpx2.AsyncClient(transport=transport, timeout=timeout(endpoint))


def _session() -> ClientSession:
    """As many connections as there are turns; no cookies. Without `trust_env`, which looks the
    proxy and a `.netrc` up in threads before each request (0.3 ms, two waits); a machine's entry
    there would make aiohttp refuse the request, which has the key in a header of its own."""
    connector = TCPConnector(limit=0, keepalive_timeout=MAX_PROVIDER_KEEPALIVE_S, ssl=_tls())
    return ClientSession(connector=connector, cookie_jar=DummyCookieJar())


def _proxy(endpoint: Endpoint) -> httpx2.Proxy | None:
    """The proxy that the environment names for this endpoint."""
    parts = urlsplit(endpoint.base_url)
    address = getproxies().get(parts.scheme)
    if not address or proxy_bypass(parts.hostname or ""):
        return None
    return httpx2.Proxy(address if "://" in address else f"http://{address}")


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return httpx2.create_ssl_context()
