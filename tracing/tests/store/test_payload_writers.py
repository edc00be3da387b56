"""Several writers of one archive at once, each with a connection of its own."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from tracing.models import Archive, Payload, Span
from tracing.store import payloads
from tracing.tests.builders import a_span, an_archive, wire

pytestmark = pytest.mark.postgres

WRITERS = 6
NUMBERS = range(1, 9)


def a_body(writer: int, number: int) -> bytes:
    shared = [{"role": "user", "content": f"All of them have message {n}"} for n in range(number)]
    return wire({"messages": [*shared, {"role": "user", "content": f"{writer} alone: {number}"}]})


def write(archive: Archive, spans: list[Span], writer: int) -> None:
    try:
        for number, span in enumerate(spans, 1):
            with transaction.atomic():
                payloads.store_all(archive, [(span, "input", a_body(writer, number), {})])
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_writers_at_once_lose_nothing_and_give_no_ordinal_twice() -> None:
    archive = an_archive()
    spans = [[a_span(archive) for _ in NUMBERS] for _ in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        for done in [pool.submit(write, archive, mine, n) for n, mine in enumerate(spans)]:
            done.result(timeout=30)
    bodies = [a_body(writer, number) for writer in range(WRITERS) for number in NUMBERS]
    rows = Payload.objects.select_related("span__trace").order_by("span_id")
    assert payloads.load_all(list(rows)) == bodies
    archive.refresh_from_db()
    assert archive.blobs == archive.blob_set.count() == len(NUMBERS) + WRITERS * len(NUMBERS)
