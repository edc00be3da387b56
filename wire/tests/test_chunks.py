"""Neighbouring chunks with nothing but text are one chunk."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wire.chunks import Chunk, Item, Problem, ProblemKind, joined

PROBLEM = Problem(ProblemKind.CUT, 0, b"")
DELTAS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda text: {"content": text}, st.text(max_size=4)),
    st.builds(lambda text: {"content": text}, st.sampled_from(["<think>", "</think>", "<", ""])),
    st.builds(lambda text: {"reasoning_content": text}, st.text(max_size=4)),
    st.sampled_from(
        [{}, {"content": None}, {"role": "assistant", "content": "a"}, {"tool_calls": 1}]
    ),
)
CHUNKS = st.builds(
    lambda delta, end: Chunk(delta, end), DELTAS, st.sampled_from([None, None, None, "stop"])
)


def test_neighbours_are_joined_and_nothing_else() -> None:
    items: list[Item] = [
        Chunk({"content": "a"}, model="m"),
        Chunk({"content": "b"}, model="m"),
        Chunk({"content": "c"}, model="another"),
        Chunk({"reasoning": "d"}, model="another"),
        Chunk({"content": "e"}, "stop"),
        PROBLEM,
    ]
    assert list(joined(items)) == [Chunk({"content": "ab"}, model="m"), *items[2:]]


@given(st.lists(CHUNKS))
def test_no_text_is_lost_or_moved(chunks: list[Chunk]) -> None:
    items = [item for item in joined(chunks) if isinstance(item, Chunk)]
    for key in ("content", "reasoning_content"):
        assert _text(items, key) == _text(chunks, key)


@given(st.lists(CHUNKS))
def test_what_ends_an_answer_stays_apart(chunks: list[Chunk]) -> None:
    ends = [chunk for chunk in chunks if chunk.finish_reason]
    assert [item for item in joined(chunks) if isinstance(item, Chunk) and item[1]] == ends


def _text(chunks: list[Chunk], key: str) -> str:
    return "".join(chunk.delta.get(key) or "" for chunk in chunks)
