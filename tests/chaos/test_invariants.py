"""Each kind of violation, planted into a ledger in which everything holds, is reported."""

from dataclasses import dataclass

import pytest

from tests.chaos.journal import Lines
from tests.chaos.report import checks, render
from tests.chaos.sound_ledger import GENERATION, TURN, also, planted, sound, without

KEY = "Every accepted key has one turn"
END = "Every turn is terminal"
RESULT = "Every tool call has one result"
EFFECT = "Each side effect at most once, and once where it succeeded"
ORPHAN = "No orphan: rows, leases, processes"
PAYLOAD = "Every payload re-assembles to its hash"
REQUEST = "Every request that the model received is in a trace"
FRAME = "No frame contradicts docs/protocol.md"
TEXT = "What a client shows is what is stored, byte for byte"
HELD = "No turn is held up longer than 15 s after a fault has ended"

OTHER_TURN = {"id": 2, "public_id": "a2", "key": "k1", "status": "done", "parent_call": None}
FREE = {"owner": "", "lease": None, "trace": None}
CORRUPT = {"span": "c1", "stage": "input", "trace": "b1", "error": "not its hash"}
RECEIVED = [{"number": 2, "at": 1.0, "sha256": "ee", "model": "stub"}]


@dataclass(frozen=True)
class Planted:
    name: str
    lines: Lines
    words: str


def shown(text: str) -> dict[str, object]:
    return {"1": {"generation": GENERATION, "text": text}}


CASES = [
    Planted(KEY, without("turn"), "key k1 has 0 turns"),
    Planted(KEY, also("turn", **OTHER_TURN, **FREE), "key k1 has 2 turns"),
    Planted(END, planted("turn", status="streaming"), "it is streaming"),
    Planted(END, also("unfinished", turn=TURN, doing="the end"), "in vain for the end"),
    Planted(RESULT, without("message", 1), "has 0 results"),
    Planted(RESULT, Lines([*sound(), sound()[-1]]), "has 2 results"),
    Planted(EFFECT, planted("effects", lines=["1-0", "1-0"]), "wrote 1-0 2 times"),
    Planted(EFFECT, planted("effects", lines=[]), "has not written 1-0"),
    Planted(EFFECT, planted("effects", 1, lines=["x"]), "which no stored call asked for"),
    Planted(EFFECT, planted("span", 1, status="denied"), "written although denied"),
    Planted(ORPHAN, planted("turn", owner="worker-1"), "still has an owner"),
    Planted(ORPHAN, planted("span", 1, lease="2026-01-01"), "still has an owner or a lease"),
    Planted(ORPHAN, planted("span", status="running"), "generation c1 is running"),
    Planted(ORPHAN, planted("trace", status="running"), "is running"),
    Planted(ORPHAN, planted("turn", parent_call=99), "has no call"),
    Planted(ORPHAN, also("process", pid=7, command="scribe.py"), "process 7 belongs to nobody"),
    Planted(PAYLOAD, planted("payloads", corrupt=[CORRUPT]), "not its hash"),
    Planted(REQUEST, planted("payloads", received=RECEIVED), "request 2 to stub is in no trace"),
    Planted(
        FRAME,
        also("frame", rule="text that does not fit", turn=TURN, tab="person-0.1", frame={}),
        "text that does not fit",
    ),
    Planted(TEXT, planted("shown", rounds=shown("There are")), "shows 9 of 16 characters"),
    Planted(TEXT, planted("shown", rounds=shown("There are threE.")), "differs at 14"),
    Planted(TEXT, planted("shown", rounds={}), "shows 0 of 16"),
    Planted(TEXT, planted("shown", state="streaming"), "it shows streaming"),
    Planted(TEXT, planted("shown", state="failed"), "stored is done"),
    Planted(TEXT, planted("shown", turn="a9"), "not stored"),
    Planted(HELD, planted("gap", ended=21.0), "silent for 16 s after kill-web"),
]


def test_a_sound_ledger_has_no_violation_and_everything_was_looked_at() -> None:
    results = checks(Lines(sound()))
    assert [one.name for one in results if one.violations] == []
    assert [one.name for one in results if not one.count] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words.replace(" ", "-"))
def test_what_is_planted_is_reported_under_its_invariant(case: Planted) -> None:
    (check,) = [check for check in checks(case.lines) if check.name == case.name]
    assert any(case.words in one.what for one in check.violations)
    assert case.words in render(case.lines)


def test_every_invariant_has_a_violation_that_is_planted() -> None:
    assert {case.name for case in CASES} == {check.name for check in checks(Lines(sound()))}


def test_a_violation_is_reported_with_what_is_needed_to_look_at_it() -> None:
    frame = {"type": "delta", "offset": 12}
    lines = also("frame", rule="text that does not fit", turn=TURN, tab="t", frame=frame)
    report = render(lines)
    assert f"turn {TURN}; at 9.0 s, after kill-web at 5.0" in report
    assert '"offset": 12' in report


def test_text_of_rounds_that_the_page_fetched_is_not_compared() -> None:
    lines = planted("shown", known=1, rounds={})
    assert [check.name for check in checks(lines) if check.violations] == []


def test_what_may_run_twice_may_be_written_twice() -> None:
    lines = planted("effects", lines=[])
    lines["effects"][1]["lines"] = ["1-0", "1-0"]
    body = lines["message"][0]["body"].replace("once-write", "again-write")
    lines["message"][0]["body"] = body
    assert [check.name for check in checks(lines) if check.violations] == []
