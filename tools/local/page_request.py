"""The request for a page of the web: to a checked address, of bounded size, within bounded time.

Every request, a followed redirect too, goes through the guard of outgoing requests (`tools.guard`),
which connects to the address that it has judged. Private networks are closed but for those that the
operator names (`WEB_PRIVATE_NETWORKS`): an address may come from a page that somebody wrote to
learn of this network. Cookies, proxies and keys of this server are not sent. What a host compresses
is unpacked piece by piece, up to the same size.

`robots.txt` is not asked: a page is read because a person's question needs it, one at a time, as
their browser would; nothing is crawled. The request says who it is, so that a host can refuse it.
"""

import asyncio
import zlib
from dataclasses import dataclass

import httpx2
from django.conf import settings

from limits.tools import (
    MAX_PAGE_BYTES,
    MAX_PAGE_CONNECT_S,
    MAX_PAGE_REDIRECTS,
    MAX_PAGE_S,
    MAX_PAGE_SILENCE_S,
)
from tools import loop
from tools.errors import ToolError
from tools.guard import Guarded, HostNotFound, Refused

AGENT = "Mozilla/5.0 (compatible; Roundtrip; reads one page for a person)"
TYPES = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.8"
NOT_REACHED = "the host {host} cannot be reached"
NOT_FOUND = "the host {host} does not exist; check the address"
NOT_ALLOWED = (
    "the address {host} is not one of the public internet, or is written in an odd way; such pages "
    "are not read here"
)
SLOW = "the host {host} did not answer in time; try again once, or another page"
TOO_LARGE = f"the page has more than {MAX_PAGE_BYTES:,} bytes, which is too large to be read"
BROKEN = "the host {host} sent an answer that is broken"
REDIRECTS = f"the page redirects more than {MAX_PAGE_REDIRECTS} times"
PACKED = "the host {host} sent the page in a compression ({name}) that was not asked for"
STATUS = {
    401: "the page asks for a login (401); it cannot be read without one",
    403: "the host refuses to give the page to programs, or asks for a login (403)",
    404: "there is no such page (404); check the address, or search for it",
    407: "the host asks for a login (407)",
    410: "the page is gone (410)",
    429: "the host was asked too often (429); wait, or use another page",
    451: "the page is withheld for legal reasons (451)",
}
_UNPACKED = ("", "identity")
_GZIP = ("gzip", "x-gzip", "deflate")


@dataclass(frozen=True)
class Answer:
    """`url` is the address after redirects; `content_type` the header, maybe empty."""

    url: str
    content_type: str
    content: bytes


def get(url: str) -> Answer:
    """Asks for a page. Raises `ToolError` with what a model can do about it."""
    try:
        host = httpx2.URL(url).host or url
        return loop.run(_get(url), MAX_PAGE_S + 1)
    except Refused as error:
        raise ToolError(NOT_ALLOWED.format(host=error.request.url.host)) from error
    except HostNotFound as error:
        raise ToolError(NOT_FOUND.format(host=error.request.url.host)) from error
    except (TimeoutError, httpx2.TimeoutException) as error:
        raise ToolError(SLOW.format(host=host)) from error
    except httpx2.TooManyRedirects as error:
        raise ToolError(REDIRECTS) from error
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise ToolError("this is no address that begins with http:// or https://") from error
    except (httpx2.RemoteProtocolError, httpx2.DecodingError, zlib.error) as error:
        raise ToolError(BROKEN.format(host=host)) from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise ToolError(NOT_REACHED.format(host=host)) from error


async def _get(url: str) -> Answer:
    timeout = httpx2.Timeout(MAX_PAGE_SILENCE_S, connect=MAX_PAGE_CONNECT_S)
    headers = {"User-Agent": AGENT, "Accept": TYPES, "Accept-Encoding": "gzip"}
    async with (
        asyncio.timeout(MAX_PAGE_S),
        httpx2.AsyncClient(
            transport=Guarded(networks=settings.WEB_PRIVATE_NETWORKS),
            timeout=timeout,
            headers=headers,
            follow_redirects=True,
            max_redirects=MAX_PAGE_REDIRECTS,
            trust_env=False,
        ) as client,
        client.stream("GET", url) as response,
    ):
        _judge(response)
        content = await _body(response)
        content_type = response.headers.get("Content-Type", "")
        return Answer(str(response.url), content_type, content)


def _judge(response: httpx2.Response) -> None:
    if not response.is_success:
        status = response.status_code
        sentence = f"the host answered with the status {status}; try again later, or another page"
        raise ToolError(STATUS.get(status, sentence))
    length = response.headers.get("Content-Length", "")
    if length.isascii() and length.isdigit() and int(length[:20]) > MAX_PAGE_BYTES:
        raise ToolError(TOO_LARGE)


async def _body(response: httpx2.Response) -> bytes:
    """Counted as sent and as unpacked."""
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    if coding not in (*_UNPACKED, *_GZIP):
        raise ToolError(PACKED.format(host=response.url.host, name=coding[:40]))
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if coding in _GZIP else None
    body = bytearray()
    sent = 0
    async for piece in response.aiter_raw():
        sent += len(piece)
        room = MAX_PAGE_BYTES - len(body) + 1
        body += piece if unpack is None else unpack.decompress(piece, room)
        if sent > MAX_PAGE_BYTES or len(body) > MAX_PAGE_BYTES:
            raise ToolError(TOO_LARGE)
    if unpack is not None and not unpack.eof:
        raise zlib.error("it ends too early")
    return bytes(body)
