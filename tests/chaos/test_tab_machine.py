"""Turns inside of turns against docs/protocol.md."""

from tests.chaos.state_machine import Frame
from tests.chaos.tab_machine import violations

TURN = {"type": "turn", "turn": "inner", "epoch": 1, "state": "streaming"}
BEGIN = {"type": "generation", "turn": "inner", "epoch": 1, "generation": "g", "state": "running"}
TEXT = {"type": "delta", "turn": "inner", "epoch": 1, "generation": "g", "part": "content"}
HELLO = {**TEXT, "offset": 0, "text": "Hello"}
DONE = {**TURN, "state": "done"}


def nested(*frames: Frame, first: int = 1) -> Frame:
    numbered = [{"id": f"7-{n}", **frame} for n, frame in enumerate(frames, first)]
    return {"type": "nested", "conversation": "c", "frames": numbered}


def told(n: int, state: str) -> Frame:
    return {
        "id": f"1-{n}",
        "type": "subagent",
        "turn": "outer",
        "subagent": "inner",
        "state": state,
    }


def test_a_subagent_in_order_breaks_nothing() -> None:
    frames = [told(1, "streaming"), nested(TURN, BEGIN, HELLO), nested(DONE, first=4)]
    assert violations([*frames, told(2, "streaming"), told(3, "done")]) == []


def test_text_before_its_generation_is_named_inside_too() -> None:
    assert "text of a generation that has not begun" in violations([nested(TURN, HELLO)])[0]


def test_nested_frames_have_numbers_of_their_own() -> None:
    frames = [told(1, "streaming"), nested(TURN), told(2, "streaming"), nested(BEGIN, first=2)]
    assert violations(frames) == []
    assert "a gap" in violations([nested(TURN), nested(BEGIN, first=3)])[0]


def test_a_subagent_that_has_ended_does_not_run_again() -> None:
    broken = violations([told(1, "done"), told(2, "streaming")])
    assert "a subagent that was done is streaming" in broken[0]


def test_a_subagent_ends_the_same_way_in_both_views() -> None:
    broken = violations([nested(TURN, DONE), told(1, "stopped")])
    assert "ends as stopped here and as done there" in broken[0]
