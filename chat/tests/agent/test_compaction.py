"""What is sent in place of older messages, by the place of each on the path."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.agent.compaction import (
    PathMessage,
    older,
    place,
    shortened,
    summarised,
    summary_boundary,
    transcript,
)
from chat.llm.messages import Message


def said(pk: int, role: str, content: object = "words", **more: object) -> PathMessage:
    return PathMessage(pk, {"role": role, "content": content, **more})  # type: ignore[typeddict-item]


def call(pk: int, *names: str) -> PathMessage:
    calls = [
        {"id": f"{pk}-{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(names)
    ]
    return said(pk, "assistant", "", tool_calls=calls)


def result(pk: int, of: int, n: int = 0, text: object = "x" * 200) -> PathMessage:
    return said(pk, "tool", text, tool_call_id=f"{of}-{n}")


# A question that waited (3) was stored before the answer that it follows (4).
WAITED = [
    said(1, "system"),
    said(2, "user", "first"),
    said(4, "assistant"),
    said(3, "user", "next"),
]


def test_a_question_that_waited_stays_behind_the_summary_of_what_is_before_it() -> None:
    sent = summarised(WAITED, "a summary", 4)
    assert [kept.pk for kept in sent] == [1, 4, 3]
    assert sent[-1].body["content"] == "next"


def test_a_row_of_another_branch_stands_for_nothing() -> None:
    assert place(WAITED, 99) is None
    assert summarised(WAITED, "a summary", 99) == WAITED
    assert shortened([*WAITED, call(5, "echo"), result(6, 5)], 99, 100).replaced == []


def test_the_question_that_is_worked_on_is_told_with_the_summary() -> None:
    path = [said(1, "user", "do it"), call(2, "echo"), result(3, 2), call(4, "echo"), result(5, 4)]
    sent = summarised(path, "a summary", 3)
    assert "do it" in str(sent[0].body["content"])


def test_an_image_in_a_result_counts_and_leaves_with_it() -> None:
    picture = [{"type": "image_url", "image_url": {"url": "attachment:1"}}]
    short = shortened([call(1, "shot"), result(2, 1, text=picture)], 2, 100)
    assert [one.tool for one in short.replaced] == ["shot"]
    assert "shot" in str(short.messages[1].body["content"])


def test_a_placeholder_has_no_words_of_ours_left() -> None:
    long = said(2, "tool", "x" * 300, tool_call_id="1-0", reminder="r", is_cut=True)
    (_, short) = shortened([call(1, "echo"), long], 2, 100).messages
    assert not {"reminder", "is_cut"} & short.body.keys()


def test_the_placeholder_of_a_skill_says_that_it_can_be_loaded_again() -> None:
    (_, short) = shortened([call(1, "load_skill"), result(2, 1)], 2, 100).messages
    assert short.body["content"] == (
        "[Earlier result of load_skill, 200 characters: left out to save room; "
        "load it again to go on with it]"
    )


def test_a_skill_that_could_not_be_loaded_is_not_worth_another_try() -> None:
    failed = said(2, "tool", "x" * 200, tool_call_id="1-0", is_error=True)
    (_, short) = shortened([call(1, "load_skill"), failed], 2, 100).messages
    assert "again" not in str(short.body["content"])


def test_a_transcript_names_what_is_no_text() -> None:
    about = {"name": "plan.png", "media_type": "image/png", "size": 9}
    part = {"type": "image_url", "image_url": {"url": "attachment:1"}, "attachment": about}
    told = transcript([said(1, "user", [{"type": "text", "text": "see"}, part])], 1_000)
    assert told == "user: see\n[an image: plan.png]"


def test_a_transcript_cuts_only_what_is_long() -> None:
    told = transcript([said(1, "user", "short"), said(2, "tool", "y" * 9_000)], 2_000)
    assert "user: short" in told
    assert "[…]" in told
    assert len(told) <= 2_000


def test_a_transcript_without_room_keeps_the_first_and_the_latest() -> None:
    path = [said(n, "user", f"<{n}> " + "z" * 300) for n in range(50)]
    told = transcript(path, 2_000)
    assert "<0>" in told
    assert "<49>" in told
    assert "earlier messages have no room here" in told


UNHURRIED = settings(suppress_health_check=[HealthCheck.too_slow])


@st.composite
def paths(draw: st.DrawFn) -> list[PathMessage]:
    """A conversation of rounds, rows in any order."""
    shape = draw(st.lists(st.one_of(st.just(0), st.integers(1, 4)), min_size=1, max_size=8))
    rows = iter(draw(st.permutations(range(1, 100))))
    path = [said(next(rows), "system")] if draw(st.booleans()) else []
    for calls in shape:
        path.append(said(next(rows), "user"))
        asked = next(rows)
        path.append(call(asked, *["echo"] * calls) if calls else said(asked, "assistant"))
        path += [result(next(rows), asked, n) for n in range(calls)]
    return path


def is_whole(messages: list[Message]) -> bool:
    """Whether every result has its call, and every call its results."""
    asked = [call["id"] for one in messages for call in one.get("tool_calls") or ()]
    told = [one["tool_call_id"] for one in messages if one["role"] == "tool"]
    return asked == told


@UNHURRIED
@given(paths(), st.integers(1, 6))
def test_no_summary_parts_a_call_from_its_results(path: list[PathMessage], keeps: int) -> None:
    upto = summary_boundary(path, keeps)
    sent = summarised(path, "a summary", upto)
    assert is_whole([kept.body for kept in sent])
    if upto:
        assert len(older(path, upto)) > 1
        assert sent[-1] == path[-1]


@UNHURRIED
@given(paths(), st.integers(1, 6))
def test_a_summary_of_a_summary_makes_progress(path: list[PathMessage], keeps: int) -> None:
    upto = summary_boundary(path, keeps)
    once = summarised(path, "a summary", upto)
    again = summary_boundary(once, keeps)
    assert again == 0 or len(summarised(once, "another", again)) < len(once)


@UNHURRIED
@given(paths(), st.integers(200, 5_000))
def test_a_transcript_has_no_more_than_it_may(path: list[PathMessage], most: int) -> None:
    longest = max(len(str(kept.body.get("content"))) for kept in path)
    assert len(transcript(path, most)) <= most + 2 * (longest + 300)
