"""The request of a delivery.

Signed as Standard Webhooks 1.0.0 says: HMAC-SHA256 of id, time of the attempt and body. The address
is checked as those of MCP servers are, at each attempt; a redirect is an answer like any other.
"""

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx2
from django.conf import settings

from languages.stored import stored
from limits.webhooks import MAX_WEBHOOK_EXCERPT, MAX_WEBHOOK_S
from tools.guard import Guarded, Refused

SUCCESS = range(200, 300)
REDIRECT = range(300, 400)
GONE = 410


@dataclass(frozen=True)
class Outcome:
    """`status` 0: no answer. `error` is a sentence, empty after a success."""

    status: int = 0
    excerpt: str = ""
    error: str = ""


async def send(url: str, secret: str, message_id: str, body: str) -> Outcome:
    """Sends one attempt, within `MAX_WEBHOOK_S` in all."""
    try:
        async with asyncio.timeout(MAX_WEBHOOK_S):
            return await _exchange(url, headers(secret, message_id, body), body)
    except TimeoutError:
        return Outcome(error=stored("There was no answer within %(s)s seconds.", s=MAX_WEBHOOK_S))
    except Refused as error:
        return Outcome(error=stored("It was not sent: %(why)s.", why=error))
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        why = str(error) or type(error).__name__
        return Outcome(error=stored("It could not be sent: %(why)s.", why=why[:300]))


def headers(secret: str, message_id: str, body: str) -> dict[str, str]:
    """The headers of an attempt that is made now."""
    # Loaded by the worker that sends, and by no other process.
    from standardwebhooks import Webhook as Signer

    now = datetime.fromtimestamp(int(time.time()), UTC)
    return {
        "content-type": "application/json",
        "accept-encoding": "identity",
        "user-agent": "Roundtrip-Webhooks/1",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Signer(secret).sign(message_id, now, body),
    }


async def _exchange(url: str, own: dict[str, str], body: str) -> Outcome:
    guarded = Guarded(networks=settings.WEBHOOK_PRIVATE_NETWORKS)
    client = httpx2.AsyncClient(
        transport=guarded, follow_redirects=False, timeout=MAX_WEBHOOK_S, trust_env=False
    )
    request = client.stream("POST", url, headers=own, content=body.encode())
    async with client, request as response:
        # The guard takes the body of a redirect away.
        excerpt = "" if response.status_code in REDIRECT else await _beginning(response)
    return Outcome(response.status_code, excerpt, _problem(response.status_code))


async def _beginning(response: httpx2.Response) -> str:
    """The first `MAX_WEBHOOK_EXCERPT` bytes, as they came; the rest is not read."""
    read = bytearray()
    async for chunk in response.aiter_raw(MAX_WEBHOOK_EXCERPT):
        read += chunk
        if len(read) >= MAX_WEBHOOK_EXCERPT:
            break
    text = bytes(read[:MAX_WEBHOOK_EXCERPT]).decode(errors="replace")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _problem(status: int) -> str:
    if status in SUCCESS:
        return ""
    if status in REDIRECT:
        return stored(
            "The answer was a redirect (status %(status)s), which is not followed. Enter the "
            "address that it leads to.",
            status=status,
        )
    return stored("The answer had status %(status)s.", status=status)
