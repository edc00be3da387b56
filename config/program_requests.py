"""ASGI: requests of programs to `/v1`, answered on the event loop alone.

Django's middleware serves people: sessions, forgery tokens, languages. Some of it is synchronous,
so that every request has a thread, and one that waits for an answer for minutes would keep it. A
request to `/v1` has a bearer token and needs none of it; `api.openai.views` sets its headers.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.exception import convert_exception_to_response

from config.entrances import Entrances

PATHS = ("/v1/",)

Application = Callable[..., Awaitable[Any]]


class ProgramRequests:
    """Middleware: these paths go to `programs`, all others to `people`."""

    def __init__(self, programs: Application, people: Application) -> None:
        self._programs, self._people = programs, people

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        is_of_program = scope["path"].startswith(PATHS)
        await (self._programs if is_of_program else self._people)(scope, receive, send)


class BareHandler(ASGIHandler):
    """Django's handler with no middleware but what says, for the audit log, who came in where."""

    def load_middleware(self, is_async: bool = False) -> None:
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        view = self._get_response_async  # type: ignore[attr-defined]
        self._middleware_chain = convert_exception_to_response(Entrances(view))
