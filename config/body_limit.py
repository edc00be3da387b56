"""No request body is longer than any page of ours sends; Django would write it to disk first."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

MOST_BYTES = 4 * 1024 * 1024
UPLOADS = "/attachments/"
# Into the workspace of a conversation.
FILES = re.compile(r"/c/[0-9a-f-]{36}/files/upload")
CASSETTES = "/providers/cassettes/new"
SKILLS = "/skills/add"
# Names, a token and the separators of a form around an uploaded file; around those of a folder.
FORM_BYTES = 64 * 1024
FOLDER_BYTES = 256 * 1024
TOO_LARGE = "This is more than the server takes in one request.\n"

Application = Callable[..., Awaitable[Any]]


class BodyLimit:
    """Answers 413 to a length that is announced; who sends on without one is cut off."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        most = most_bytes(scope.get("path", ""))
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced[:20]) > most:
            await _refuse(send)
            return
        received = 0

        async def counted() -> Any:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message if received <= most else {"type": "http.disconnect"}

        await self._application(scope, counted, send)


def most_bytes(path: str) -> int:
    """What a request to this path may have: the form that uploads a file has room for one."""
    if path == CASSETTES:
        return max(MOST_BYTES, settings.CASSETTE_BYTES + FORM_BYTES)
    if path == SKILLS:
        return max(MOST_BYTES, settings.SKILL_BYTES + FOLDER_BYTES)
    if FILES.fullmatch(path):
        return max(MOST_BYTES, settings.WORKSPACE_UPLOAD_BYTES + FORM_BYTES)
    file_bytes = max(settings.ATTACHMENT_IMAGE_BYTES, settings.ATTACHMENT_TEXT_BYTES)
    return max(MOST_BYTES, file_bytes + FORM_BYTES) if path == UPLOADS else MOST_BYTES


async def _refuse(send: Any) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": TOO_LARGE.encode()})
