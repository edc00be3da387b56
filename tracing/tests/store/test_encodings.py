import gzip
import zlib

import pytest

from tracing.store.encodings import decode_content

TEXT = b"data: {}\n\n" * 100
MOST = 10_000


@pytest.mark.parametrize(
    ("name", "packed"), [("gzip", gzip.compress(TEXT, mtime=0)), ("deflate", zlib.compress(TEXT))]
)
def test_a_packed_body_is_unpacked(name: str, packed: bytes) -> None:
    assert decode_content(packed, [["content-encoding", name]], MOST) == TEXT


def test_of_a_body_that_was_cut_what_is_there_is_unpacked() -> None:
    packed = gzip.compress(bytes(range(256)) * 40)[:-20]
    assert bytes(range(256)) in decode_content(packed, [["Content-Encoding", "gzip"]], MOST)


def test_no_more_is_unpacked_than_is_wanted() -> None:
    assert (
        len(decode_content(gzip.compress(bytes(10**7)), [["content-encoding", "gzip"]], MOST))
        == MOST
    )


@pytest.mark.parametrize(
    "headers", [[], [["content-encoding", "gzip"]], [["content-encoding", "br"]]]
)
def test_any_other_body_is_given_as_it_is(headers: list[list[str]]) -> None:
    assert decode_content(TEXT, headers, MOST) is TEXT
