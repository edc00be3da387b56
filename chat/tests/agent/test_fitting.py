"""Cutting messages so that a request has room: no more than is needed, and all that helps."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chat.agent.alternation import alternating
from chat.agent.compaction import PathMessage
from chat.agent.fitting import cut_text, cuts, fitted
from chat.llm.history import complete_history
from chat.llm.messages import text_of
from chat.tests.engine.narrow import alternates
from tools.definitions.token_estimate import guess

LONG = "some words of a text that is long. " * 400
OF_A_FILE = 2_000  # tokens


def size(messages: Sequence[PathMessage]) -> int:
    files = json.dumps([kept.body for kept in messages]).count('"file_id"')
    return guess([kept.body for kept in messages]) + OF_A_FILE * files


def path(*bodies: Any) -> list[PathMessage]:
    return [PathMessage(pk, body) for pk, body in enumerate(bodies, 1)]


def user(text: Any) -> Any:
    return {"role": "user", "content": text}


def said(text: str, **more: Any) -> Any:
    return {"role": "assistant", "content": text, **more}


def called(name: str, arguments: str = "{}") -> Any:
    function = {"name": name, "arguments": arguments}
    return said("", tool_calls=[{"id": "c", "type": "function", "function": function}])


def result(text: str) -> Any:
    return {"role": "tool", "tool_call_id": "c", "content": text}


def with_file(text: str) -> Any:
    about = {"name": "a.txt", "media_type": "text/plain", "size": 9}
    part = {"type": "file", "file": {"file_id": "attachment:x"}, "attachment": about}
    return user([{"type": "text", "text": text}, part])


TURNS = st.lists(st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)), max_size=8)


@given(TURNS, st.integers(600, 4_000))
def test_it_fits_alternates_and_keeps_the_latest_question(turns: Any, room: int) -> None:
    bodies = [{"role": "system", "content": "Be short."}]
    for asked, told in turns:
        bodies += [user("q" * asked + "?"), called("read"), result("r" * told), said("So it is.")]
    found = fitted(path(*bodies, user("and now?")), room, size)
    assert found.fits
    assert size(found.messages) <= room
    assert found.messages[-1].body["content"] == "and now?"
    assert alternates(complete_history(alternating(kept.body for kept in found.messages)))


def test_what_is_long_is_cut_and_what_is_short_stays() -> None:
    before = path(user("short"), called("read"), result(LONG), said("Yes."), user("and now?"))
    after = fitted(before, 1_000, size).messages
    (cut,) = cuts(before, after)
    assert (cut.pk, cut.what, cut.characters) == (3, "read", len(LONG))
    assert f"{len(LONG):,} characters in all; the middle was cut" in str(after[2].body["content"])


def test_a_long_question_is_cut_after_all_else_and_not_to_nothing() -> None:
    after = fitted(path(user(LONG), said(LONG), user(LONG)), 1_500, size).messages
    lengths = [len(text_of(kept.body.get("content"))) for kept in after]
    assert lengths[2] > 2 * max(lengths[:2])


def test_long_arguments_stay_json() -> None:
    arguments = json.dumps({"path": "a.py", "content": LONG})
    before = path(user("write"), called("write", arguments), result("ok"), user("and now?"))
    after = fitted(before, 700, size).messages
    sent = json.loads(after[1].body["tool_calls"][0]["function"]["arguments"])
    assert sent["path"] == "a.py"
    assert len(sent["content"]) < len(LONG)


def test_an_attachment_without_room_is_named() -> None:
    after = fitted(path(with_file("look"), said("Yes."), user("and now?")), 500, size).messages
    assert "The file a.txt was left out" in text_of(after[0].body["content"])


def test_the_attachment_of_the_question_goes_last() -> None:
    before = path(with_file("first"), said("Yes."), with_file("second"))
    after = fitted(before, 2_500, size).messages
    assert "left out" in text_of(after[0].body["content"])
    assert after[-1].body == before[-1].body


def test_many_short_messages_are_left_out_from_the_oldest_with_a_note() -> None:
    bodies = [body for n in range(200) for body in (user(f"question {n}"), said("Yes."))]
    found = fitted(path(*bodies, user("and now?")), 500, size)
    assert found.fits
    assert found.omitted == 400
    assert "400 earlier messages were left out" in str(found.messages[0].body["content"])


def test_what_cannot_be_cut_does_not_fit() -> None:
    found = fitted(path({"role": "system", "content": LONG}, user("hello")), 500, size)
    assert not found.fits


def test_a_text_says_how_long_it_was() -> None:
    assert cut_text("x" * 10, 10) == "x" * 10
    assert "1,000 characters in all" in cut_text("x" * 1_000, 100)
