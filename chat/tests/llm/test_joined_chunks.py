"""Chunks that are joined before a dialect reads them give the same answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import DIALECTS
from wire.chunks import Chunk, joined

TEXTS = st.one_of(st.text(max_size=4), st.sampled_from(["<think>", "</think>", "<thi", "nk>", ""]))
DELTAS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda text: {"content": text}, TEXTS),
    st.builds(lambda text: {"reasoning_content": text}, TEXTS),
    st.sampled_from([{}, {"content": None}, {"role": "assistant", "content": "a"}]),
)


@pytest.mark.parametrize("dialect", ["native", "nous", "functions"])
@given(deltas=st.lists(DELTAS))
def test_an_answer_is_the_same(dialect: str, deltas: list[dict[str, Any]]) -> None:
    apart, together = DIALECTS[dialect].stream(), DIALECTS[dialect].stream()
    for delta in deltas:
        apart.feed(delta)
    for item in joined([Chunk(delta) for delta in deltas]):
        assert isinstance(item, Chunk)
        together.feed(item.delta)
    assert apart.finish()[1] == together.finish()[1]
