"""The connections to providers: pooled, kept alive, with nothing added to what is sent.

aiohttp parses HTTP in C and gives the body as it arrives; it follows no redirect here, keeps no
cookie and unpacks nothing. For one event loop.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from api.gateway.call import Call
from api.gateway.headers import Pairs
from limits.gateway import MAX_GATEWAY_SILENCE_S
from limits.models import MAX_PROVIDER_CONNECT_S, MAX_PROVIDER_KEEPALIVE_S

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_SILENT = "The provider did not answer in time."
_UNREACHABLE = "The provider is unreachable."
_BROKEN = "The provider broke the connection off."

Body = bytes | AsyncIterator[bytes] | None

_sessions: dict[asyncio.AbstractEventLoop, "asyncio.Future[ClientSession]"] = {}


class Failed(Exception):
    """The call did not come to its end. The message is a sentence that quotes nobody; `is_late`:
    for want of an answer in time; `is_unreached`: there was no connection."""

    def __init__(self, sentence: str, *, is_late: bool = False, is_unreached: bool = False) -> None:
        super().__init__(sentence)
        self.is_late = is_late
        self.is_unreached = is_unreached


@asynccontextmanager
async def sent(call: Call, headers: Pairs, body: Body) -> AsyncIterator["ClientResponse"]:
    """Sends the request; the response once its head is there. Raises Failed, also while the body
    of the response is read."""
    session = await _session()
    import aiohttp
    from yarl import URL

    try:
        async with session.request(
            call.method,
            URL(call.url, encoded=True),
            headers=headers,
            data=body,
            allow_redirects=False,
            proxy=_proxy(call.route.base_url),
        ) as response:
            yield response
    except aiohttp.ConnectionTimeoutError as error:
        raise Failed(_SILENT, is_late=True, is_unreached=True) from error
    except (aiohttp.ServerTimeoutError, TimeoutError) as error:
        raise Failed(_SILENT, is_late=True) from error
    except aiohttp.ClientConnectorError as error:
        raise Failed(_UNREACHABLE, is_unreached=True) from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Failed(_BROKEN) from error


async def _session() -> "ClientSession":
    loop = asyncio.get_running_loop()
    if loop not in _sessions:
        for other in [one for one in _sessions if one.is_closed()]:
            del _sessions[other]
        _sessions[loop] = asyncio.ensure_future(_open())
    session = _sessions[loop]
    return session.result() if session.done() else await asyncio.shield(session)


async def close() -> None:
    """Ends the connections of this loop."""
    if session := _sessions.pop(asyncio.get_running_loop(), None):
        await (await session).close()


async def _open() -> "ClientSession":
    """The library is loaded with the first call, in a thread: it takes a third of a second."""
    tls = await asyncio.to_thread(_load)
    import aiohttp

    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=MAX_PROVIDER_KEEPALIVE_S, ssl=tls)
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=("User-Agent", "Content-Type", "Accept", "Accept-Encoding"),
        timeout=aiohttp.ClientTimeout(
            total=None, sock_connect=MAX_PROVIDER_CONNECT_S, sock_read=MAX_GATEWAY_SILENCE_S
        ),
        max_line_size=32 * 1024,
        max_field_size=32 * 1024,
    )


def _load() -> ssl.SSLContext:
    import aiohttp  # noqa: F401  # for `_open`, which is on the event loop
    import httpx2

    return httpx2.create_ssl_context()


@lru_cache(maxsize=64)
def _proxy(base_url: str) -> str | None:
    """The proxy that the environment names for this provider."""
    parts = urlsplit(base_url)
    address = getproxies().get(parts.scheme)
    if not address or proxy_bypass(parts.hostname or ""):
        return None
    return address if "://" in address else f"http://{address}"
