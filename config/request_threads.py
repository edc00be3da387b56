"""ASGI middleware: requests run on threads that are used again.

Django's handler starts a thread for each request, and with it a database connection: for SQLite
that means to open the file, register fifty functions and read the schema, which costs more than the
statements of a page.
"""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from asgiref.sync import ThreadSensitiveContext

from limits.web import MAX_IDLE_REQUEST_THREADS

Application = Callable[..., Awaitable[Any]]


class RequestThreads:
    """The middleware, for one event loop. A request borrows an idle thread, whose database
    connection stays open; a thread serves one request at a time."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, "request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._application(scope, receive, send)
        finally:
            self._give_back(thread)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < MAX_IDLE_REQUEST_THREADS:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)
