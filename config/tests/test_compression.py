"""What a client gets that accepts compressed answers, and what it gets as it is."""

import asyncio
import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from config.compression import PADDING, Compression, best_encoding
from host import zstd

PAGE = b"<p>The same words again and again.</p>" * 200
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "": lambda body: body,
    "gzip": lambda body: zlib.decompress(body, 31),
    "zstd": lambda body: zstd.ZstdDecompressor().decompress(body),
}


class Answer:
    """What leaves when an application answers with these pieces."""

    def __init__(self, *pieces: bytes, accept: str = "gzip", status: int = 200, **headers: Any):
        self._pieces, self._status = pieces, status
        # As Django writes them.
        self._own = [(n.replace("_", "-").title().encode(), v.encode()) for n, v in headers.items()]
        request_headers = {"accept_encoding": accept}
        scope = {
            "type": "http",
            "method": "GET",
            "headers": [
                (n.replace("_", "-").encode(), v.encode()) for n, v in request_headers.items()
            ],
        }
        self.sent: list[dict[str, Any]] = []
        asyncio.run(Compression(self._answer)(scope, None, self._send))

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        headers = self._own or [(b"Content-Type", b"text/html; charset=utf-8")]
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        for place, piece in enumerate(self._pieces, 1):
            more = place < len(self._pieces)
            await send({"type": "http.response.body", "body": piece, "more_body": more})

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    @property
    def headers(self) -> dict[bytes, bytes]:
        return {name.lower(): value for name, value in self.sent[0]["headers"]}

    @property
    def encoding(self) -> str:
        return self.headers.get(b"content-encoding", b"").decode()

    @property
    def wire(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])

    @property
    def body(self) -> bytes:
        return UNPACK[self.encoding](self.wire)


@pytest.mark.parametrize("accept", ["gzip", "zstd"])
@pytest.mark.parametrize("pieces", [[PAGE], [PAGE, PAGE, b""], [b"", PAGE], [PAGE * 20, PAGE]])
def test_what_is_unpacked_is_what_was_answered(accept: str, pieces: list[bytes]) -> None:
    answer = Answer(*pieces, accept=accept)
    assert (answer.encoding, answer.body) == (accept, b"".join(pieces))
    assert len(answer.wire) < len(answer.body) / 10
    assert answer.headers[b"vary"] == b"Accept-Encoding"


def test_its_length_is_that_of_what_leaves() -> None:
    answer = Answer(PAGE, content_type="text/html", content_length=str(len(PAGE)))
    assert int(answer.headers[b"content-length"]) == len(answer.wire)
    pieces = Answer(PAGE, PAGE, content_type="text/html", content_length=str(2 * len(PAGE)))
    assert b"content-length" not in pieces.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": "text/event-stream"},
        {"content_type": "image/png"},
        {"content_type": "application/octet-stream"},
        {"content_type": "text/css", "content_encoding": "br"},
        {"content_type": "text/css", "content_range": "bytes 0-1/9"},
        {"content_type": "text/css", "cache_control": "no-transform"},
    ],
)
def test_what_must_not_be_compressed_leaves_as_it_is(headers: dict[str, Any]) -> None:
    answer = Answer(PAGE, **headers)
    assert answer.wire == PAGE
    assert set(answer.headers) == {name.replace("_", "-").encode() for name in headers}


@pytest.mark.parametrize("status", [204, 206, 304])
def test_nor_does_what_has_no_body_or_a_part_of_one(status: int) -> None:
    assert Answer(PAGE, status=status).wire == PAGE


def test_what_is_short_is_not_worth_it_but_could_have_been() -> None:
    answer = Answer(b"short")
    assert (answer.encoding, answer.wire) == ("", b"short")
    assert answer.headers[b"vary"] == b"Accept-Encoding"


def test_an_etag_is_of_the_content_and_no_more_of_the_bytes() -> None:
    assert Answer(PAGE, content_type="text/html", etag='"a"').headers[b"etag"] == b'W/"a"'


def test_the_length_of_an_answer_tells_nobody_what_is_in_it() -> None:
    lengths = {len(Answer(PAGE).headers[PADDING]) for _ in range(40)}
    assert len(lengths) > 5


@pytest.mark.parametrize(
    ("accepted", "best"),
    [
        (b"gzip, deflate, br, zstd", "zstd"),
        (b"gzip, deflate, br", "gzip"),
        (b"gzip;q=1, zstd;q=0.5", "gzip"),
        (b"*", "zstd"),
        (b"*, zstd;q=0", "gzip"),
        (b"gzip;q=0", ""),
        (b"gzip;q=x, identity", ""),
        (b"", ""),
    ],
)
def test_the_encoding_is_the_one_that_is_accepted(accepted: bytes, best: str) -> None:
    assert best_encoding(accepted) == best


def test_pieces_that_repeat_what_came_long_before_are_short() -> None:
    rounds = [
        json.dumps({"n": n, "text": f"{n * 7919 % 10007} " * 9}).encode() for n in range(9000)
    ]
    history = b"".join(rounds)
    answer = Answer(history, history, accept="zstd", content_type="application/json")
    once = Answer(history, accept="zstd", content_type="application/json")
    assert len(answer.wire) < 1.05 * len(once.wire)
