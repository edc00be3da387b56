"""What goes on to the provider and back: the same bytes."""

import gzip

import pytest

from api.tests.gateway.conftest import KEY, Person, Served
from api.tests.gateway.upstream import ANSWER, Upstream, event
from tracing.models import Payload, Trace
from tracing.store import payloads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def test_a_request_arrives_as_it_was_sent(anna: Person, upstream: Upstream) -> None:
    body = bytes(range(256)) * 10
    answer = anna.client.post("/any/path?x=1&y=%20a", content=body, headers={"X-Own": "yes"})
    (seen,) = upstream.seen
    assert (seen.line, seen.body) == ("POST /api/any/path?x=1&y=%20a HTTP/1.1", body)
    assert answer.content == body and seen.header("x-own") == ["yes"]


def test_the_provider_gets_its_key_and_nothing_of_ours(anna: Person, upstream: Upstream) -> None:
    anna.client.post(
        "/x", content=b"x", headers={"Cookie": "a=b", "X-Roundtrip-Session": "s", "X-Api-Key": "k"}
    )
    (seen,) = upstream.seen
    assert seen.header("authorization") == [f"Bearer {KEY}"]
    assert not seen.header("cookie") and not seen.header("x-roundtrip-session")
    assert anna.secret not in str(seen.headers)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("do=stream&n=50", b"".join(map(event, range(50)))),
        ("do=big&n=20971520", bytes(range(256)) * 81920),
        ("do=early-hints", b"after hints"),
        ("do=trailers", b"abc"),
        ("do=until-close", b"to the end"),
        ("do=zip", ANSWER),
    ],
)
def test_an_answer_arrives_whatever_its_form(anna: Person, query: str, expected: bytes) -> None:
    assert anna.client.get(f"/x?{query}").content == expected


def test_a_compressed_answer_is_passed_on_compressed(anna: Person, served: Served) -> None:
    with anna.client.stream("GET", "/x?do=zip") as answer:
        raw = b"".join(answer.iter_raw())
    assert gzip.decompress(raw) == ANSWER and answer.headers["content-encoding"] == "gzip"
    assert served.recorder.flush()
    assert payloads.load(Payload.objects.get(stage="response")) == raw


def test_a_chunked_request_of_20_mb_is_streamed(anna: Person, upstream: Upstream) -> None:
    pieces = [bytes([number]) * 65536 for number in range(200)] * 2
    answer = anna.client.post("/x", content=iter(pieces))
    assert answer.content == b"".join(pieces) == upstream.seen[0].body
    assert upstream.seen[0].header("transfer-encoding") == ["chunked"]


def test_headers_of_one_connection_stay_there(anna: Person) -> None:
    answer = anna.client.get("/x?do=headers")
    assert answer.headers["x-kept"] == "1"
    assert not {"set-cookie", "x-dropped", "keep-alive"} & set(answer.headers)


def test_a_call_is_a_trace_with_the_exact_bytes(anna: Person, served: Served) -> None:
    body = b'{"model":"m",  "messages":[{"role":"user","content":"hi"}]}'
    anna.client.post(
        "/chat/completions?do=answer",
        content=body,
        headers={"Content-Type": "application/json", "User-Agent": "agent/1"},
    )
    assert served.recorder.flush()
    trace = Trace.objects.get()
    assert (trace.kind, trace.status, trace.name) == ("gateway", "succeeded", "hi")
    assert trace.attributes["client"] == "agent/1"
    stages = {
        one.stage: payloads.load(one) for one in Payload.objects.select_related("span__trace")
    }
    assert stages["request"] == body and stages["response"] == ANSWER
    assert {"input", "output"} <= stages.keys()
