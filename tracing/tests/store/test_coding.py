"""Varints, compression, manifests and chunks: what is coded is decoded, and rubbish is refused."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracing.store import chunks, compression, manifests, typical_texts, varints
from tracing.store.elements import SECTIONS
from tracing.store.manifests import Manifest

entries = st.tuples(st.binary(max_size=6), st.integers(0, 10**12), st.sampled_from(["", *SECTIONS]))


@given(st.lists(st.integers(min_value=0)))
def test_numbers_are_the_same_after_coding(numbers: list[int]) -> None:
    assert list(varints.decode(varints.encode(numbers))) == numbers


@given(st.integers())
def test_signed_numbers_are_the_same_after_coding(number: int) -> None:
    coded = varints.encode_signed(number)
    assert coded >= 0
    assert varints.decode_signed(coded) == number


def test_a_number_that_is_cut_off_is_refused() -> None:
    with pytest.raises(ValueError, match="cut off"):
        list(varints.decode(b"\x80"))


@given(st.binary(max_size=400))
def test_bytes_are_the_same_after_packing_and_hardly_longer(content: bytes) -> None:
    packed = compression.pack(content)
    assert compression.unpack(packed) == content
    assert len(packed) <= len(content) + 1


@pytest.mark.parametrize("size", [16_384, 16_385, 1_000_000])
def test_long_bytes_are_the_same_after_packing_and_much_shorter(size: int) -> None:
    content = (b"The same again. " * size)[:size]
    packed = compression.pack(content)
    assert compression.unpack(packed) == content
    assert len(packed) < size / 50


def test_a_chat_message_is_packed_to_much_less_than_its_length() -> None:
    message = b'{"role":"tool","tool_call_id":"call_7Hk2","content":"[{\\"count\\": 42}]"}'
    assert len(compression.pack(message)) < 0.7 * len(message)


def test_what_was_packed_by_an_earlier_release_can_be_unpacked() -> None:
    message = b'{"role":"user","content":"How many tables are there?"}'
    for packed in (PACKED_BY_THE_FIRST_RELEASE, PACKED_WITH_THE_SECOND_TEXT):
        assert compression.unpack(bytes.fromhex(packed)) == message
    with_base = bytes.fromhex(PACKED_WITH_A_BASE)
    assert compression.unpack(with_base, b"tables are there? 42") == message


def test_the_typical_texts_are_those_that_stored_bytes_need() -> None:
    assert sha256(typical_texts.FIRST).hexdigest() == SHA256_OF_FIRST
    assert sha256(typical_texts.SECOND).hexdigest() == SHA256_OF_SECOND


@given(st.binary(max_size=60), st.integers(0, 4))
def test_rubbish_is_refused_when_unpacking(rubbish: bytes, kind: int) -> None:
    refuses_or_returns(compression.unpack, bytes([kind]) + rubbish)


@given(st.lists(entries), st.binary(max_size=6))
def test_a_manifest_is_the_same_after_coding(
    rows: list[tuple[bytes, int, str]], last_gap: bytes
) -> None:
    manifest = Manifest(
        gaps=[*(gap for gap, _, _ in rows), last_gap],
        ordinals=[ordinal for _, ordinal, _ in rows],
        sections=[section for _, _, section in rows],
    )
    assert manifests.decode(manifests.encode(manifest)) == manifest


@given(st.binary(max_size=80))
def test_rubbish_is_refused_as_a_manifest(rubbish: bytes) -> None:
    refuses_or_returns(manifests.decode, compression.pack(rubbish))


def test_a_manifest_of_a_thousand_messages_takes_few_bytes() -> None:
    steps = [number * 5 + number % 2 for number in range(1000)]
    manifest = Manifest([b"[", *[b","] * 999, b"]"], steps, ["messages"] * 1000)
    assert len(manifests.encode(manifest)) < 60


@given(st.lists(st.tuples(st.integers(0, 10**10), st.integers(0, 10**7))))
def test_chunks_are_the_same_after_coding_to_the_microsecond(pairs: list[tuple[int, int]]) -> None:
    times = [(micros / 1000, length) for micros, length in pairs]
    assert chunks.decode(chunks.encode(times)) == times


def test_no_chunks_take_no_bytes() -> None:
    assert chunks.encode([]) == b""


def refuses_or_returns(decode: Callable[[bytes], object], packed: bytes) -> None:
    try:
        decode(packed)
    except ValueError:
        return


PACKED_BY_THE_FIRST_RELEASE = (
    "02360000050100b8486f77206d616e79207461626c657374686572653f227d0200eb4b286fab35"
)
PACKED_WITH_THE_SECOND_TEXT = (
    "03360000ed000068486f77206d74736572653f227d0400fdaca690d9b16bdfca5289fd82"
)
PACKED_WITH_A_BASE = "043600009d000038486f77206d227d03005a0d5070c5aac97e41"
SHA256_OF_FIRST = "686b82e7a9b67c3fa3d68d57e473aef10015fa0274b9d0739bc36d7f74c09e39"
SHA256_OF_SECOND = "7e20606afdb7d02a4104bcedc4ab187ea8a467d9aa3191b4252ea0e0f1692093"
