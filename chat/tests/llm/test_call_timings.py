import pytest

from chat.llm.call_timings import CallTimings
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
    timings = CallTimings()
    timings.delta_arrived({"role": "assistant", "content": ""})
    record = Recording(sent_at=0.5)
    assert timings.timings(record, 0.0, 1.0) == {"send_ms": 0.5}
    timings.delta_arrived(delta)
    assert "first_token_ms" in timings.timings(record, 0.0, 1.0)
