"""ETags (RFC 9110, 8.8.3 and 13.1): a client that polls hears in a few bytes that nothing changed,
and one that changes something overwrites no change that it has not seen."""

import hashlib
from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags, quote_etag

from api.problems import PRECONDITION, Problem


def conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """A GET's answer with its ETag; 304 if the client has it."""
    if request.method not in ("GET", "HEAD") or response.status_code != 200:
        return response
    if not response.has_header("ETag"):
        response["ETag"] = etag_of(response.content)
    response["Cache-Control"] = "private, no-cache"
    answer = get_conditional_response(request, etag=response["ETag"], response=response)
    assert isinstance(answer, HttpResponse)
    return answer


def etag_of(content: bytes) -> str:
    return quote_etag(hashlib.sha256(content).hexdigest()[:32])


def require_match(request: HttpRequest, current: bytes) -> None:
    """Raises `Problem` if the request has an If-Match that does not name the ETag of `current`,
    which is what a GET would answer now. A compressed answer has the weak form of its ETag."""
    header = request.headers.get("If-Match", "")
    if header and not _names(parse_etags(header), etag_of(current)):
        raise Problem(PRECONDITION)


def _names(etags: Iterable[str], etag: str) -> bool:
    return any(one == "*" or one.removeprefix("W/") == etag for one in etags)
