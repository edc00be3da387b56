"""`GET /health/live` and `/health/ready` of the web process, for what starts and restarts it.

ASGI, in front of Django: a probe names the machine by an address that is no allowed host, speaks
plain HTTP, and has to be answered while requests wait in their queue. Those of a worker are in
`worker_probes`.

live    the process answers: `{"live": true, "version": …}`
ready   the database answers, else 503. Redis is told and not asked for: without it messages are
        still saved, and a balancer that took all web processes away would help nobody.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from config.health import database_answers, redis_answers
from config.release import version
from db.threads import from_loop

LIVE, READY = "/health/live", "/health/ready"

Application = Callable[..., Awaitable[Any]]


class Probes:
    """ASGI middleware."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        path = scope["path"]
        if path not in (LIVE, READY) or scope["method"] not in ("GET", "HEAD"):
            await self._application(scope, receive, send)
            return
        facts = {"live": True} if path == LIVE else await _readiness()
        await _answer(facts, scope["method"] == "HEAD", send)


async def _readiness() -> dict[str, Any]:
    database, redis = await asyncio.gather(
        from_loop(database_answers), asyncio.to_thread(redis_answers)
    )
    return {"ready": database, "database": database, "redis": redis}


def encoded(facts: dict[str, Any]) -> tuple[int, bytes]:
    """The status, and the body as JSON: 503 if the first fact is false."""
    status = 200 if next(iter(facts.values())) else 503
    return status, json.dumps({**facts, "version": version()}).encode()


async def _answer(facts: dict[str, Any], is_head: bool, send: Any) -> None:
    status, body = encoded(facts)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else body})
