"""Evidence that was changed is found, and requests are counted as they were sent."""

from hashlib import sha256

import pytest

from tests.chaos.payloads import examine
from tracing.models import Payload
from tracing.store import payloads
from tracing.tests.builders import a_span, an_archive, wire

BODY = wire({"model": "m", "messages": [{"role": "user", "content": "How many?"}]})


def stored() -> Payload:
    (row,) = payloads.store_all(an := an_archive(), [(a_span(an), "request", BODY, {})])
    return row


@pytest.mark.django_db
def test_sound_payloads_are_counted_and_requests_named_by_the_hash_that_was_sent() -> None:
    stored()
    found = examine()
    assert (found["count"], found["corrupt"]) == (1, [])
    assert found["requests"] == {sha256(BODY).hexdigest(): 1}


@pytest.mark.django_db
def test_a_redacted_request_is_named_by_what_was_on_the_wire() -> None:
    Payload.objects.filter(pk=stored().pk).update(sha256_sent=sha256(b"sent").digest())
    assert examine()["requests"] == {sha256(b"sent").hexdigest(): 1}


@pytest.mark.django_db
def test_a_payload_that_is_not_what_its_hash_says_is_reported() -> None:
    row = stored()
    Payload.objects.filter(pk=row.pk).update(sha256=sha256(b"another").digest())
    (corrupt,) = examine()["corrupt"]
    assert corrupt["trace"] == str(row.span.trace.public_id)
    assert corrupt["stage"] == "request"
