"""Many calls with faults among them: the bytes of both sides, and those that are recorded.

A part of it runs with every test; `GATEWAY_CALLS=500` runs that many calls.
"""

import gzip
import os
import random
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import httpx2 as httpx
import pytest

from api.tests.gateway.conftest import Person, Served
from api.tests.gateway.upstream import ANSWER, Upstream, event
from tracing.models import Payload, Span, Trace

CALLS = int(os.environ.get("GATEWAY_CALLS") or 80)
WHOLE = {
    "stream&n=30": b"".join(map(event, range(30))),
    "big&n=1048576": bytes(range(256)) * 4096,
    "zip": gzip.compress(ANSWER, mtime=0),
    "trailers": b"abc",
    "early-hints": b"after hints",
    "until-close": b"to the end",
    "headers": b"ok",
}
KINDS = ["echo", "echo-chunked", *WHOLE, "close", "reset", "nothing", "rubbish", "leave", "key"]

pytestmark = pytest.mark.django_db(transaction=True)


def one(anna: Person, number: int) -> tuple[str, bytes, bytes]:
    """Makes a call of a kind that its number gives: the kind, what was sent, what was received."""
    random_ = random.Random(number)
    kind = KINDS[number % len(KINDS)]
    body = f"{number}:".encode() + random_.randbytes(random_.choice([0, 10, 70_000, 300_000]))
    do = {"echo-chunked": "echo", "leave": "begin"}.get(kind, kind)
    content = (
        iter([body[at : at + 9_000] for at in range(0, len(body), 9_000)])
        if kind == "echo-chunked"
        else body
    )
    received = b""
    try:
        with anna.client.stream("POST", f"/x?do={do}&i={number}", content=content) as answer:
            for piece in answer.iter_raw():
                received += piece
                if kind == "leave":
                    break
    except httpx.HTTPError:
        assert kind in ("close", "reset"), kind
    return kind, body, received


@pytest.mark.long
def test_what_is_sent_received_and_recorded_is_the_same(
    anna: Person, served: Served, upstream: Upstream
) -> None:
    with ThreadPoolExecutor(8) as threads:
        calls = list(threads.map(lambda number: one(anna, number), range(CALLS)))
    assert served.recorder.flush(120)
    assert not served.recorder.counts.lost and Trace.objects.count() == CALLS
    arrived = {number_of(seen.line): seen.body for seen in upstream.seen}
    recorded: dict[int, dict[str, Payload]] = {}
    for payload in Payload.objects.select_related("span"):
        number = number_of(
            Payload.objects.get(span=payload.span, stage="request").attributes["url"]
        )
        recorded.setdefault(number, {})[payload.stage] = payload
    for number, (kind, sent, received) in enumerate(calls):
        rows = recorded[number]
        assert arrived[number] == sent
        assert bytes(rows["request"].sha256) == sha256(sent).digest()
        check(kind, sent, received, rows.get("response"))
    assert not Span.objects.filter(status="running").exists()


def number_of(address: str) -> int:
    return int(address.partition("i=")[2].split(" ")[0])


def check(kind: str, sent: bytes, received: bytes, response: Payload | None) -> None:
    if kind.startswith("echo"):
        assert received == sent
    elif kind == "zip":
        assert gzip.decompress(received) == ANSWER
    elif kind in WHOLE:
        assert received == WHOLE[kind]
    if kind in ("nothing", "rubbish"):
        assert response is None and b"error" in received
        return
    assert response is not None
    if kind == "key":
        assert response.redacted
    elif kind in ("close", "reset"):
        assert received in b"half" and response.size <= len(b"half")
    else:
        assert bytes(response.sha256) == sha256(received).digest()
