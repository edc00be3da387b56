"""POSTs that may be sent again, by the header `Idempotency-Key`: the first one is done, and those
after it get its answer.

The key is stored before the request is done, unique for its person; a request that fails, or that
is refused, leaves nothing, and may be corrected under the same key. One whose process died leaves
the key without an answer: after `MAX_IDEMPOTENT_RUN` whoever sends it again takes it over.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext

from api.models import IdempotencyKey
from api.problems import CONFLICT, KEY_REUSED, MALFORMED, Problem
from limits.api import (
    MAX_IDEMPOTENCY_AGE,
    MAX_IDEMPOTENCY_KEY,
    MAX_IDEMPOTENT_ANSWER,
    MAX_IDEMPOTENT_RUN,
)

HEADER = "Idempotency-Key"
# That this answer is one that was given before.
REPLAYED = "Idempotency-Replayed"


def answered(
    request: HttpRequest, user: User, answer: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """The answer to a request, or that to the same one before. Raises `Problem`."""
    key = key_of(request)
    if not key or request.method != "POST":
        return answer()
    request_hash = _hash(request)
    row = _begin(user, key, request_hash)
    if row is None:
        return _earlier(user, key, request_hash)
    response: HttpResponseBase | None = None
    try:
        response = answer()
        return response
    finally:
        _end(row, response)


def key_of(request: HttpRequest) -> str:
    """The request's key; "" without one. Raises `Problem`."""
    key = request.headers.get(HEADER, "").strip()
    if len(key) > MAX_IDEMPOTENCY_KEY or not key.isprintable():
        why = gettext("An idempotency key has 1 to %(most)s printable characters.")
        raise Problem(MALFORMED, why % {"most": MAX_IDEMPOTENCY_KEY})
    return key


def _begin(user: User, key: str, request_hash: str) -> IdempotencyKey | None:
    """None if the key was sent before. Forgets the keys of everybody that are over: by an index,
    and mostly there is none."""
    over = timezone.now() - MAX_IDEMPOTENCY_AGE
    IdempotencyKey.objects.filter(created__lt=over).delete()
    with suppress(IntegrityError), transaction.atomic():
        return IdempotencyKey.objects.create(user=user, key=key, request_hash=request_hash)
    return _taken_over(user, key, request_hash)


def _taken_over(user: User, key: str, request_hash: str) -> IdempotencyKey | None:
    """The same request that has been running for longer than any does, as this one's now. Of
    several that try at once one succeeds: `created` is compared and set."""
    now = timezone.now()
    left = {"created__lt": now - MAX_IDEMPOTENT_RUN, "status": None, "request_hash": request_hash}
    row = IdempotencyKey.objects.filter(user=user, key=key, **left).first()
    if row is None:
        return None
    unchanged = IdempotencyKey.objects.filter(pk=row.pk, status=None, created=row.created)
    if unchanged.update(created=now) != 1:
        return None
    row.created = now
    return row


def _earlier(user: User, key: str, request_hash: str) -> HttpResponse:
    row = IdempotencyKey.objects.filter(user=user, key=key).first()
    if row is not None and row.request_hash != request_hash:
        why = gettext("This idempotency key was sent before, with another request. Use a new one.")
        raise Problem(KEY_REUSED, why)
    if row is None or row.status is None:
        why = gettext("The request with this idempotency key is still being done. Ask again soon.")
        raise Problem(CONFLICT, why, headers={"Retry-After": "1"})
    content = bytes(row.content)
    headers = {REPLAYED: "true"}
    return HttpResponse(
        content, status=row.status, content_type=row.content_type or None, headers=headers
    )


def _end(row: IdempotencyKey, response: HttpResponseBase | None) -> None:
    """Keeps an answer of success; of anything else, that the key is free again. Neither, if the
    key was taken over meanwhile."""
    rows = IdempotencyKey.objects.filter(pk=row.pk, created=row.created)
    if isinstance(response, HttpResponse) and _is_kept(response):
        kind = response.headers.get("Content-Type", "")
        rows.update(status=response.status_code, content_type=kind, content=response.content)
    else:
        rows.delete()


def _is_kept(response: HttpResponse) -> bool:
    return response.status_code < 300 and len(response.content) <= MAX_IDEMPOTENT_ANSWER


def _hash(request: HttpRequest) -> str:
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()} ".encode())
    digest.update(request.body)
    return digest.hexdigest()
