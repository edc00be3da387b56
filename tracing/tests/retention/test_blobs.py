"""A sweep beside writers that refer to what it would delete, each with a connection of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from tracing.models import Archive, Blob, Payload, Span
from tracing.retention import blobs
from tracing.store import payloads
from tracing.tests.builders import a_span, an_archive, wire

pytestmark = pytest.mark.postgres

WRITERS = 3
NUMBERS = range(25)


def a_body(number: int) -> bytes:
    """Elements that come and go: each is in two bodies of five."""
    texts = [f"message {number % 5}", f"message {(number + 1) % 5}", "in all of them"]
    return wire({"messages": [{"role": "user", "content": text * 20} for text in texts]})


def write(archive: Archive, spans: list[Span]) -> None:
    """Each payload takes the place of the one before, which then refers to nothing."""
    try:
        for number, span in enumerate(spans):
            with transaction.atomic():
                payloads.store_all(archive, [(span, "input", a_body(number), {})])
            if number:
                Payload.objects.filter(span=spans[number - 1]).delete()
    finally:
        connection.close()


def sweep_until(archive: Archive, over: threading.Event) -> int:
    try:
        count = 0
        while not over.is_set():
            count += blobs.sweep(archive.pk)
        return count + blobs.sweep(archive.pk)
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_writer_never_loses_a_blob_that_it_refers_to() -> None:
    archive = an_archive()
    spans = [[a_span(archive) for _ in NUMBERS] for _ in range(WRITERS)]
    over = threading.Event()
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        sweeping = pool.submit(sweep_until, archive, over)
        try:
            for done in [pool.submit(write, archive, mine) for mine in spans]:
                done.result(timeout=30)
        finally:
            over.set()
        assert sweeping.result(timeout=30) > 0
    stored = list(Payload.objects.select_related("span__trace"))
    assert payloads.load_all(stored) == [a_body(NUMBERS[-1])] * WRITERS
    assert Blob.objects.count() == 3


@pytest.mark.django_db
def test_a_sweep_takes_as_many_queries_for_many_blobs_as_for_few(
    django_assert_num_queries: Callable[..., Any],
) -> None:
    archive = an_archive()
    for number in range(30):
        body = wire({"messages": [{"role": "user", "content": f"number {number} " * 30}]})
        payloads.store(a_span(archive), "input", body)
    Payload.objects.all().delete()
    with django_assert_num_queries(9):
        assert blobs.sweep(archive.pk) == 30
