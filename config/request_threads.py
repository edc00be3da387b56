"""ASGI middleware: requests run on threads that are used again.

Django's handler starts a thread for each request, and with it a database connection: for SQLite
that means to open the file, register fifty functions and read the schema, which costs more than the
statements of a page.
"""

from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from asgiref.sync import ThreadSensitiveContext

from config.fair_requests import is_event_stream
from limits.web import MAX_IDLE_REQUEST_THREADS

Application = Callable[..., Awaitable[Any]]


class RequestThreads:
    """The middleware, for one event loop. A request borrows an idle thread, whose database
    connection stays open; a thread serves one request at a time."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        thread = _Thread(self._idle.pop() if self._idle else _new(), self._give_back)

        async def sent(message: Any) -> None:
            if is_event_stream(message):
                thread.change()
            await send(message)

        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._application(scope, receive, sent)
        finally:
            thread.end()

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < MAX_IDLE_REQUEST_THREADS:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)


class _Thread(Executor):
    """The thread of one request. An event stream, which may last for hours, gives its thread back
    as it begins; what is left to be done at its end has a thread that begins then."""

    def __init__(
        self, thread: ThreadPoolExecutor, give_back: Callable[[ThreadPoolExecutor], None]
    ) -> None:
        self._thread = thread
        self._give_back = give_back
        self._is_own = False

    def submit(self, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        return self._thread.submit(*args, **kwargs)

    def change(self) -> None:
        if not self._is_own:
            self._give_back(self._thread)
            self._thread, self._is_own = _new(), True

    def end(self) -> None:
        if self._is_own:
            self._thread.shutdown(wait=False)
        else:
            self._give_back(self._thread)


def _new() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "request")
