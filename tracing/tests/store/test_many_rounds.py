"""A turn of 200 rounds: what it takes to store, and to look at."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from django.db import connection
from django.db.models import Sum
from django.db.models.functions import Length
from django.test import TestCase
from django.test.utils import CaptureQueriesContext

from tracing.export import trace_json
from tracing.journal import trace_rounds
from tracing.models import Archive, Payload
from tracing.store import payloads
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = pytest.mark.long

ROUNDS = 200
TOOL = {"type": "function", "function": {"name": "read_query", "description": "Runs a SELECT."}}


class ManyRounds(TestCase):
    turn: ClassVar[ATurn]
    last_body: ClassVar[bytes]
    distinct: ClassVar[set[bytes]]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.turn = ATurn(a_user())
        thread: list[dict[str, Any]] = [{"role": "user", "content": "Go through the whole list."}]
        cls.distinct = {wire(TOOL), wire(thread[0])}
        for number in range(1, ROUNDS + 1):
            answer, results = a_round(number)
            streamed = a_stream(answer)
            body = wire({"model": "m", "messages": thread, "tools": [TOOL]})
            output = wire({"message": answer, "errors": [], "origins": origins_of(answer)})
            stages = {"input": body, "request": body, "response": streamed, "output": output}
            at = (number * 100, number * 100 + 90)
            cls.turn.a_round(number, at)
            cls.turn.a_generation(stages, at)
            cls.turn.a_call({"shown": wire(results[0])}, at, 1)
            thread = [*thread, answer, *results]
            origins = wire(origins_of(answer))
            cls.distinct |= {streamed, origins, wire(answer), *map(wire, results)}
        cls.turn.end(ROUNDS * 100 + 100)
        cls.last_body = body

    def setUp(self) -> None:
        self.client.force_login(self.turn.archive.owner)

    def test_they_take_little_more_than_their_distinct_elements(self) -> None:
        distinct = sum(map(len, self.distinct))
        assert stored_bytes(self.turn.archive) <= 1.15 * distinct

    def test_the_last_request_is_exact(self) -> None:
        stored = Payload.objects.get(
            span__trace=self.turn.trace, span__parent__number=ROUNDS, stage="request"
        )
        assert payloads.load(stored) == self.last_body

    def test_the_page_takes_as_many_queries_as_one_of_a_short_turn(self) -> None:
        short = ATurn(self.turn.archive.owner)
        short.a_round(1, (0, 90))
        short.a_generation({"input": self.last_body, "request": self.last_body}, (0, 90))
        short.end(100)
        assert self.queries(self.turn, ROUNDS) <= self.queries(short, 1) + 8

    def test_the_page_shows_what_is_new_and_folds_the_rest(self) -> None:
        page = self.client.get(self.turn.trace.get_absolute_url(), {"round": ROUNDS})
        self.assertContains(page, f"WHERE id &gt; {(ROUNDS - 1) * 7}")
        self.assertNotContains(page, f"WHERE id &gt; {(ROUNDS - 2) * 7}<")
        self.assertContains(page, "unchanged")
        self.assertContains(page, 'href="#became-1"')
        assert len(page.content) < 1_000_000

    def test_a_step_reads_only_its_own_round(self) -> None:
        address = f"/traces/{self.turn.trace.public_id}/rounds/{ROUNDS}"
        with CaptureQueriesContext(connection) as queries:
            page = self.client.get(address)
        assert len(queries) < 25
        assert len(page.content) < 44_000

    def test_its_compact_json_grows_with_what_is_new(self) -> None:
        numbers = trace_rounds.round_numbers(self.turn.trace)
        pieces = trace_json.document(self.turn.trace, numbers, is_compact=True)
        # In full it has 24 MB.
        assert sum(map(len, pieces)) < 1_200_000

    def queries(self, turn: ATurn, number: int) -> int:
        with CaptureQueriesContext(connection) as queries:
            page = self.client.get(turn.trace.get_absolute_url(), {"round": number})
        assert page.status_code == 200
        return len(queries)


def a_round(number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """An assistant message and the results of its calls, of which there are one to four."""
    ids = [f"call_{number}_{place}" for place in range(number * number % 7 % 4 + 1)]
    query = json.dumps({"query": f"SELECT COUNT(*) FROM table_{number} WHERE id > {number * 7}"})
    calls = [
        {"id": id_, "type": "function", "function": {"name": "read_query", "arguments": query}}
        for id_ in ids
    ]
    results = [
        {"role": "tool", "tool_call_id": id_, "content": json.dumps([{"count": number * 31}] * 3)}
        for id_ in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}, results


def a_stream(answer: dict[str, Any]) -> bytes:
    """The calls of an answer, their arguments in pieces."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    events = [
        wire({**head, "choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]})
        for place, call in enumerate(answer["tool_calls"])
        for piece in pieces_of(place, call)
    ]
    return b"".join(b"data: " + event + b"\n\n" for event in events)


def pieces_of(place: int, call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    function = call["function"]
    yield {"index": place, **call, "function": {**function, "arguments": ""}}
    for start in range(0, len(function["arguments"]), 12):
        written = function["arguments"][start : start + 12]
        yield {"index": place, "function": {"arguments": written}}


def origins_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"path": f"tool_calls[{place}]", "became": "tool_call", "call_id": call["id"]}
        for place, call in enumerate(answer["tool_calls"])
    ]


def stored_bytes(archive: Archive) -> int:
    """Before the compression of the blobs; manifests as they are."""
    blobs = archive.blob_set.aggregate(bytes=Sum("size"))["bytes"]
    rows = Payload.objects.filter(span__trace__archive=archive)
    return int(blobs + rows.aggregate(bytes=Sum(Length("manifest")))["bytes"])
