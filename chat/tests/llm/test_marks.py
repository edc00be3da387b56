import pytest

from chat.llm.marks import Marks
from chat.llm.recording import Recording


@pytest.mark.parametrize(
    "delta",
    [
        {"content": "a"},
        {"reasoning": "a"},
        {"tool_calls": [{"index": 0}]},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}},
    ],
)
def test_the_first_token_is_timed_in_every_protocol(delta: dict[str, object]) -> None:
    marks = Marks()
    marks.arrived({"role": "assistant", "content": ""})
    kept = Recording(sent_at=0.5)
    assert marks.timings(kept, 0.0, 1.0) == {"send_ms": 0.5}
    marks.arrived(delta)
    assert "first_token_ms" in marks.timings(kept, 0.0, 1.0)
