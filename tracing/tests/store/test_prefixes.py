"""Of a body that continues the one before only the end is cut and looked up, with the same result
as if all of it were."""

import json
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import example, given
from hypothesis import strategies as st

from tracing.models import Archive, Payload, Span
from tracing.retention import blobs
from tracing.store import manifests, payloads, prefixes
from tracing.store.drafts import draft
from tracing.store.elements import cut
from tracing.store.manifests import Manifest
from tracing.store.prefixes import Known
from tracing.tests.builders import a_span, an_archive, wire

pytestmark = pytest.mark.postgres

LONG = "x" * 90
TOOLS = [{"type": "function", "function": {"name": name, "about": LONG}} for name in "ab"]

messages = st.fixed_dictionaries({"role": st.just("user"), "content": st.text(max_size=90)})
histories = st.lists(messages | st.integers() | st.text(max_size=90), max_size=9)


def body_of(history: list[Any], key: str = "messages", spacing: str = ",") -> bytes:
    whole = {"model": "m", key: history, "tools": TOOLS}
    return json.dumps(whole, ensure_ascii=False, separators=(spacing, ":")).encode()


def stored_one_after_the_other(bodies: list[bytes]) -> list[Payload]:
    """The rows; ordinals are given out as the archive does."""
    ordinals: dict[bytes, int] = {}
    known, rows = Known(), []
    for body in bodies:
        one = draft((Span(), "request", body, {}), known)
        for digest, _ in one.contents():
            ordinals.setdefault(digest, len(ordinals))
        row, known = one.finish(ordinals)
        assert bytes(row.manifest) == manifests.encode(whole_manifest(body, ordinals))
        assert row.sha256 == sha256(body).digest()
        rows.append(row)
    return rows


def whole_manifest(body: bytes, ordinals: dict[bytes, int]) -> Manifest:
    gaps, elements = cut(body)
    hashes = [sha256(element.content).digest() for element in elements]
    return Manifest(gaps, [ordinals[one] for one in hashes], [one.section for one in elements])


@given(histories, st.sampled_from(["messages", "input", "other"]), st.sampled_from([",", " ,\n"]))
def test_a_history_that_grows_is_stored_as_if_it_were_new(
    history: list[Any], key: str, spacing: str
) -> None:
    grown = [body_of(history[:count], key, spacing) for count in range(len(history) + 1)]
    stored_one_after_the_other(grown)


@given(st.lists(histories, max_size=5), st.integers(0, 400), st.binary(max_size=30))
@example([[{"role": "user", "content": LONG}] * 3], 150, b"\xff")
def test_any_bodies_after_each_other_are_stored_as_if_they_were_new(
    parts: list[list[Any]], at: int, rubbish: bytes
) -> None:
    wholes = [body_of([one for part in parts[:count] for one in part]) for count in range(6)]
    damaged = [body[:at] + rubbish + body[at:] for body in wholes]
    stored_one_after_the_other([*wholes, *damaged, *reversed(wholes)])


@given(histories, histories)
def test_the_last_messages_may_change(history: list[Any], others: list[Any]) -> None:
    stored_one_after_the_other([body_of(history), body_of(history[:-2] + others)])


def test_only_what_is_new_is_cut() -> None:
    history = [{"role": "user", "content": f"{number} {LONG}"} for number in range(50)]
    first = draft((Span(), "request", body_of(history[:48]), {}), Known())
    numbers = {digest: place for place, (digest, _) in enumerate(first.contents())}
    _, known = first.finish(numbers)
    second = draft((Span(), "request", body_of(history), {}), known)
    assert [element.section for element in second.cut.elements] == ["messages"] * 2 + ["tools"] * 2


def requests_of(count: int) -> bytes:
    asked = [{"role": "user", "content": f"Question {number} {LONG}"} for number in range(count)]
    return wire({"messages": asked, "tools": TOOLS})


def store(archive: Archive, body: bytes) -> Payload:
    with transaction.atomic():
        return payloads.store_all(archive, [(a_span(archive), "request", body, {})])[0]


@pytest.mark.django_db(transaction=True)
def test_a_round_asks_for_no_more_hashes_at_400_messages_than_at_4() -> None:
    archive = an_archive()

    def parameters(count: int) -> int:
        store(archive, requests_of(count))
        span = a_span(archive)
        with transaction.atomic(), CaptureQueriesContext(connection) as queries:
            payloads.store_all(archive, [(span, "request", requests_of(count + 2), {})])
        return max(query["sql"].count(",") for query in queries if "SELECT" in query["sql"])

    assert parameters(400) == parameters(4)


@pytest.mark.django_db(transaction=True)
def test_what_was_swept_is_stored_again() -> None:
    archive = an_archive()
    for count in (6, 7):
        store(archive, requests_of(count))
    Payload.objects.all().delete()
    assert blobs.sweep(archive.pk) == 9
    again = store(archive, requests_of(8))
    assert payloads.load(Payload.objects.get(pk=again.pk)) == requests_of(8)


@pytest.mark.django_db(transaction=True)
def test_what_another_process_swept_is_stored_again() -> None:
    archive = an_archive()
    store(archive, requests_of(6))
    memory = prefixes.recall(archive.public_id)
    archive.blob_set.all().delete()
    prefixes.remember(archive.public_id, memory.swept, memory.stages)
    again = store(archive, requests_of(8))
    assert payloads.load(Payload.objects.get(pk=again.pk)) == requests_of(8)


@pytest.mark.django_db(transaction=True)
def test_nothing_is_remembered_of_what_was_taken_back() -> None:
    archive = an_archive()
    with pytest.raises(RuntimeError), transaction.atomic():
        payloads.store_all(archive, [(a_span(archive), "request", requests_of(3), {})])
        raise RuntimeError
    assert prefixes.recall(archive.public_id) is prefixes.NOTHING


def test_the_archives_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefixes, "MAX_REMEMBERED_ARCHIVES", 2)
    archives = [Archive() for _ in range(3)]
    for archive in archives:
        prefixes.remember(archive.public_id, None, {"request": Known()})
    held = [prefixes.recall(archive.public_id) is not prefixes.NOTHING for archive in archives]
    assert held == [False, True, True]
