"""Archives, traces and spans for the tests, built as the engine builds them."""

import json
import uuid
from typing import Any

from django.contrib.auth.models import User

from tracing.models import Archive, Span, Trace


def a_user(**fields: Any) -> User:
    return User.objects.create_user(username=f"user-{uuid.uuid4().hex[:8]}", **fields)


def an_archive(owner: User | None = None) -> Archive:
    return Archive.objects.create(owner=owner or a_user())


def a_span(archive: Archive, kind: str = "generation", number: int = 1) -> Span:
    trace = Trace.objects.create(archive=archive, name="A question")
    return Span.objects.create(trace=trace, kind=kind, name="A step", number=number)


def wire(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
