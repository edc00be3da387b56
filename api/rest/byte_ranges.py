"""Parts of a content by `Range: bytes=…` (RFC 9110, 14): one range at a time, since nothing asks
for more; several are answered with the whole, as that allows."""

import re
from collections.abc import Iterator
from typing import Protocol

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified
from django.utils.http import parse_etags

from api.problems import RANGE, Problem
from limits.trace_pages import MAX_WHOLE_DOWNLOAD_BYTES
from tracing import streaming

_ONE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
KIND = "application/octet-stream"


class Content(Protocol):
    """`tracing.store.ranges.Body`."""

    size: int

    def read(self, start: int, end: int) -> bytes: ...

    def stream(self, start: int = 0, end: int | None = None) -> Iterator[bytes]: ...


def ranged(request: HttpRequest, content: Content, sha256: str) -> HttpResponseBase:
    """The content, or the range that is asked for; 304 for who has it. Raises `Problem`."""
    etag = f'"{sha256}"'
    headers = {
        "ETag": etag,
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    known = parse_etags(request.headers.get("If-None-Match", ""))
    if "*" in known or etag in known:
        return HttpResponseNotModified(headers=headers)
    part = _range(request, content.size, etag)
    start, end = part or (0, content.size)
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{content.size}"
    status = 200 if part is None else 206
    if end - start <= MAX_WHOLE_DOWNLOAD_BYTES:
        return HttpResponse(content.read(start, end), KIND, status, headers=headers)
    response = streaming.respond(content.stream(start, end), KIND, headers)
    response.status_code = status
    response["Content-Length"] = str(end - start)
    return response


def _range(request: HttpRequest, size: int, etag: str) -> tuple[int, int] | None:
    """First byte, and the one after the last; None for all of it."""
    match = _ONE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    condition = request.headers.get("If-Range")
    if match is None or match[0] == "bytes=-" or (condition is not None and condition != etag):
        return None
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if start >= size or (last and first and int(last) < start) or (not first and int(last) == 0):
        headers = {"Content-Range": f"bytes */{size}"}
        raise Problem(RANGE, members={"size": size}, headers=headers)
    return start, end
