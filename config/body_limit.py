"""ASGI middleware: limits on the length, the sender and the rate of a request's body.

Django would first write the body to disk, whoever sends it.

- 413: the body is longer than `max_bytes` of its path.
- 401: the body is longer than `MAX_ANONYMOUS_BODY_BYTES`, and the request has neither the session
  of an active user, a token of one, nor the key of a cassette.
- 408: after `MAX_BODY_GRACE_S` the average rate is below `MIN_BODY_RATE`.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from config import senders
from config.refusals import refuse
from limits.api import MAX_API_BODY_BYTES
from limits.files import MAX_DOCUMENT_BYTES
from limits.transfer import MAX_IMPORT_BYTES
from limits.web import (
    MAX_ANONYMOUS_BODY_BYTES,
    MAX_BODY_BYTES,
    MAX_BODY_GRACE_S,
    MAX_FOLDER_FORM_BYTES,
    MAX_FORM_BYTES,
    MIN_BODY_RATE,
)

V1 = "/v1/"
UPLOADS = "/attachments/"
API_UPLOADS = "/api/attachments"
# Uploads into the workspace of a conversation.
FILES = re.compile(r"/c/[0-9a-f-]{36}/files/upload|/api/conversations/[0-9a-f-]{36}/files/.*")
# Of a project: files as they are attached to messages.
PROJECT_FILES = re.compile(
    r"/projects/(?:[0-9a-f-]{36}/files/upload|files/[0-9a-f-]{36}/replace)"
    r"|/api/projects/[0-9a-f-]{36}/files|/api/project-files/[0-9a-f-]{36}"
)
CASSETTES = "/providers/cassettes/new"
API_CASSETTES = "/api/cassettes"
SKILLS = "/skills/add"
IMPORTS = "/transfer/imports/upload"
REFUSALS = {
    401: "Sign in first: only people who are signed in may send this much.\n",
    408: "The request came too slowly and was not read to its end. Try again.\n",
    413: "The request is too large.\n",
}

Application = Callable[..., Awaitable[Any]]
Message = dict[str, Any]


class BodyLimit:
    """Answers a refused body itself; the application then receives `http.disconnect`."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        body = _Body(scope, receive, send)
        if await body.refuse(body.content_length):
            return
        await self._application(scope, body.receive, body.send)


class _Body:
    """The body of one request, and whether it was refused."""

    def __init__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._received = 0
        self._began = time.monotonic()
        self._is_whole = self._is_known = self._is_refused = self._is_answered = False

    @property
    def content_length(self) -> int:
        """Bytes in `Content-Length`; 0 without a valid one."""
        length = dict(self._scope["headers"]).get(b"content-length", b"0")
        return int(length[:20]) if length.isdigit() else 0

    async def receive(self) -> Message:
        if self._is_refused:
            return {"type": "http.disconnect"}
        if self._is_whole:
            message: Message = await self._receive()
            return message
        try:
            async with asyncio.timeout(self._remaining_s()):
                message = await self._receive()
        except TimeoutError:
            await self._answer(408)
            return {"type": "http.disconnect"}
        self._received += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        return {"type": "http.disconnect"} if await self.refuse(self._received) else message

    async def send(self, message: Message) -> None:
        if not self._is_refused:
            self._is_answered = True
            await self._send(message)

    async def refuse(self, length: int) -> bool:
        """Whether a body of `length` bytes is refused; if so, the response has been sent."""
        if length > max_bytes(self._scope.get("path", "")):
            await self._answer(413)
        elif length > MAX_ANONYMOUS_BODY_BYTES and not self._is_known:
            self._is_known = await senders.is_known(self._scope)
            if not self._is_known:
                await self._answer(401)
        return self._is_refused

    def _remaining_s(self) -> float:
        due = self._began + MAX_BODY_GRACE_S + self._received / MIN_BODY_RATE
        return max(0.0, due - time.monotonic())

    async def _answer(self, status: int) -> None:
        self._is_refused = True
        if self._is_answered:
            return
        await refuse(self._scope, self._send, status, REFUSALS[status])


def max_bytes(path: str) -> int:
    """Upper bound of a body's bytes at `path`: forms that upload files have room for those."""
    if path.startswith(V1):
        return MAX_API_BODY_BYTES
    if path in (CASSETTES, API_CASSETTES):
        return max(MAX_BODY_BYTES, settings.CASSETTE_BYTES + MAX_FORM_BYTES)
    if path == SKILLS:
        return max(MAX_BODY_BYTES, settings.SKILL_BYTES + MAX_FOLDER_FORM_BYTES)
    if path == IMPORTS:
        return max(MAX_BODY_BYTES, MAX_IMPORT_BYTES + MAX_FORM_BYTES)
    if FILES.fullmatch(path):
        return max(MAX_BODY_BYTES, settings.WORKSPACE_UPLOAD_BYTES + MAX_FORM_BYTES)
    file_bytes = max(
        settings.ATTACHMENT_IMAGE_BYTES, settings.ATTACHMENT_TEXT_BYTES, MAX_DOCUMENT_BYTES
    )
    is_upload = path in (UPLOADS, API_UPLOADS) or PROJECT_FILES.fullmatch(path)
    return max(MAX_BODY_BYTES, file_bytes + MAX_FORM_BYTES) if is_upload else MAX_BODY_BYTES
