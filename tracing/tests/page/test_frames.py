"""Recorded frames as the page lists them."""

import json

from limits.trace_pages import MAX_FRAMES
from tracing.page.calls.mcp_frames import read_frames

CALL = {
    "direction": "sent",
    "at": 10.0,
    "message": {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "a"}},
}
ANSWER = {
    "direction": "received",
    "at": 10.25,
    "message": {"jsonrpc": "2.0", "id": 3, "result": {"content": []}},
}


def test_each_frame_says_who_what_and_when() -> None:
    frames = read_frames(json.dumps([CALL, ANSWER]).encode())
    assert frames is not None
    assert [(one.direction, one.title, one.after_ms) for one in frames.frames] == [
        ("sent", "tools/call #3", 0.0),
        ("received", "result #3", 250.0),
    ]


def test_a_flood_is_counted() -> None:
    frames = read_frames(json.dumps([CALL] * (MAX_FRAMES + 7)).encode())
    assert frames is not None
    assert frames.hidden == 7


def test_what_is_no_list_of_frames_is_shown_as_it_is() -> None:
    assert read_frames(b"[1]") is None
    assert read_frames(b"{") is None
    assert read_frames(b"{}") is None


def test_a_name_that_misleads_is_spelt_out() -> None:
    hostile = {**CALL, "message": {"method": "a\u202eb", "id": 1}}
    frames = read_frames(json.dumps([hostile]).encode())
    assert frames is not None
    assert "[U+202E]" in frames.frames[0].title
