"""Images of other hosts, fetched by the server: the host does not learn who reads, and the policy
of the page allows no other host.

Each request goes through the guard of outgoing requests, a followed redirect too. The bytes decide
what the image is; an SVG, which is a program, is none.
"""

import asyncio
from dataclasses import dataclass

import httpx2
from django.utils.translation import gettext as _

from chat.files.image_headers import ImageHeader, read_header
from limits.web import (
    MAX_REMOTE_IMAGE_BYTES,
    MAX_REMOTE_IMAGE_PIXELS,
    MAX_REMOTE_IMAGE_REDIRECTS,
    MAX_REMOTE_IMAGE_S,
)
from tools import loop
from tools.guard import Guarded

_TYPES = "image/webp,image/png,image/jpeg,image/gif"


class ImageUnavailable(Exception):
    """The image cannot be shown; the message is a sentence for the person."""


@dataclass(frozen=True)
class RemoteImage:
    media_type: str
    content: bytes


def fetch_image(url: str) -> RemoteImage:
    """Raises `ImageUnavailable`."""
    try:
        content = loop.run(_fetch(url), MAX_REMOTE_IMAGE_S + 1)
    except (TimeoutError, httpx2.TimeoutException) as error:
        raise ImageUnavailable(_("The host did not answer in time.")) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise ImageUnavailable(_("The host cannot be reached.")) from error
    return RemoteImage(_header(content).media_type, content)


async def _fetch(url: str) -> bytes:
    async with (
        asyncio.timeout(MAX_REMOTE_IMAGE_S),
        httpx2.AsyncClient(
            transport=Guarded(),
            follow_redirects=True,
            max_redirects=MAX_REMOTE_IMAGE_REDIRECTS,
            headers={"Accept": _TYPES, "Accept-Encoding": "identity"},
            trust_env=False,
        ) as client,
        client.stream("GET", url) as response,
    ):
        if not response.is_success:
            raise ImageUnavailable(_("The host has no such image."))
        return await _body(response)


async def _body(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > MAX_REMOTE_IMAGE_BYTES:
            raise ImageUnavailable(_("The image is too large."))
    return bytes(body)


def _header(content: bytes) -> ImageHeader:
    try:
        header = read_header(content)
    except ValueError as error:
        raise ImageUnavailable(_("The image is damaged.")) from error
    if header is None:
        raise ImageUnavailable(_("This is no PNG, JPEG, GIF or WebP image."))
    if header.width * header.height > MAX_REMOTE_IMAGE_PIXELS:
        raise ImageUnavailable(_("The image is too large."))
    return header
