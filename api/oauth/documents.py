"""The document that describes a program, at the address that is its id (OAuth Client ID Metadata
Document, draft-ietf-oauth-client-id-metadata-document).

The address is anybody's choice, so the request goes through the guard of MCP servers
(`tools.guard`): not into this network, and no redirects.
"""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import httpx2
from asgiref.sync import async_to_sync

from limits.mcp_server import (
    MAX_CLIENT_DOCUMENT_S,
    MAX_OAUTH_CLIENT_BYTES,
    MAX_REDIRECT_URI,
)
from tools.guard import Guarded, Refused, problem


class Unreadable(Exception):
    """The message is for the person who is to allow the program."""


def is_address(client_id: str) -> bool:
    return client_id.startswith("https://")


def read(address: str, transport: httpx2.AsyncBaseTransport | None = None) -> dict[str, Any]:
    """The JSON object. Raises `Unreadable`."""
    if len(address) > MAX_REDIRECT_URI or problem(address) or not _has_path(address):
        raise Unreadable("The program's id is no valid address.")
    try:
        body = async_to_sync(_fetch)(address, transport or Guarded())
    except Refused as error:
        raise Unreadable(f"The program's document {error.failure.reason}.") from None
    except (httpx2.HTTPError, TimeoutError, OSError):
        raise Unreadable("The program's document could not be read.") from None
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("client_id") != address:
        raise Unreadable("The program's document does not describe the program at its address.")
    if document.get("client_secret") or document.get("token_endpoint_auth_method") not in (
        None, "none",
    ):  # fmt: skip
        raise Unreadable("The program's document asks for a way to sign in that there is not here.")
    return document


def _has_path(address: str) -> bool:
    parts = urlsplit(address)
    is_plain = not parts.fragment and "/../" not in f"{parts.path}/" and "/./" not in parts.path
    return len(parts.path) > 1 and is_plain


async def _fetch(address: str, transport: httpx2.AsyncBaseTransport) -> bytes:
    headers = {"accept": "application/json", "accept-encoding": "identity"}
    async with (
        asyncio.timeout(MAX_CLIENT_DOCUMENT_S),
        httpx2.AsyncClient(transport=transport, headers=headers) as client,
        client.stream("GET", address) as response,
    ):
        if response.status_code != 200:
            raise Unreadable(f"The program's document was answered with {response.status_code}.")
        body = b""
        async for part in response.aiter_raw():
            body += part
            if len(body) > MAX_OAUTH_CLIENT_BYTES:
                raise Unreadable("The program's document is too long.")
        return body
