from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tracing.page.stages.output_origins import read_marks
from wire.response_parts import ResponsePart

CALL = '<tool_call>{"name": "a"}</tool_call>'
numbers = st.none() | st.integers(-2, 30)
origins = st.fixed_dictionaries(
    {
        "path": st.sampled_from(["content", "reasoning", "tool_calls[0]", "x"]),
        "became": st.sampled_from(["content", "reasoning", "tool_call"]),
        "start": numbers,
        "end": numbers,
        "call_id": st.none() | st.text(max_size=2),
    }
)


def origin(became: str, start: int | None, end: int | None, call: str = "") -> dict[str, Any]:
    return {"path": "content", "became": became, "start": start, "end": end, "call_id": call}


def stretches(text: str, output: dict[str, Any]) -> list[tuple[str, int, int]]:
    part = ResponsePart("content", "content", text)
    marks = read_marks(output, [part])
    return [(s.text, s.number, s.problem) for s in marks.origin_texts(part, 1000)]


def test_a_text_is_cut_where_its_origins_begin_and_end() -> None:
    noted = [origin("tool_call", 7, 7 + len(CALL), "call_1"), origin("content", 0, 6)]
    assert stretches(f"I look {CALL} ", {"origins": noted}) == [
        ("I look", 1, 0),
        (" ", 0, 0),
        (CALL, 2, 0),
        (" ", 0, 0),
    ]


def test_a_text_that_became_the_content_and_nothing_else_needs_no_marks() -> None:
    assert stretches("Three.", {"origins": [origin("content", 0, 6)]}) == [("Three.", 0, 0)]


def test_what_became_the_same_has_the_same_number() -> None:
    noted = [origin("content", 0, 1), origin("tool_call", 1, 2, "c"), origin("content", 2, 3)]
    assert [number for _, number, _ in stretches("abc", {"origins": noted})] == [1, 2, 1]


def test_a_malformed_block_is_marked_from_its_tag_to_its_end() -> None:
    noted = [origin("content", 0, 1), origin("content", 12, 15), origin("content", 27, 28)]
    text = "a<tool_call>{no</tool_call>b"
    error = "The tool call at character 1 is malformed: it is not a JSON object."
    assert stretches(text, {"origins": noted, "errors": [error]}) == [
        ("a", 1, 0),
        ("<tool_call>", 0, 1),
        ("{no", 1, 1),
        ("</tool_call>", 0, 1),
        ("b", 1, 0),
    ]


def test_an_empty_malformed_block_ends_with_its_tag() -> None:
    noted = [origin("content", 0, 1), origin("content", 24, 25)]
    error = "The tool call at character 1 is malformed: it is not a JSON object."
    shown = stretches("a<tool_call></tool_call>b", {"origins": noted, "errors": [error]})
    assert [problem for _, _, problem in shown] == [0, 1, 0]


def test_a_problem_is_marked_at_its_place_and_only_in_its_part() -> None:
    places = [{"kind": "malformed_call", "path": "content", "start": 1, "end": None}]
    output = {"errors": ["Any sentence, even at character 2."], "error_places": places}
    parts = [
        ResponsePart("reasoning", "reasoning", "abc"),
        ResponsePart("content", "content", "abc"),
    ]
    marks = read_marks(output, parts)
    marked = [[(s.text, s.problem) for s in marks.origin_texts(part, 1000)] for part in parts]
    assert marked == [[("abc", 0)], [("a", 0), ("bc", 1)]]


def test_a_path_may_lead_into_a_part() -> None:
    part = ResponsePart("content[1]", "call", "{}", "a", "toolu_1")
    noted = {"path": "content[1].input", "became": "tool_call", "call_id": "toolu_1"}
    marks = read_marks({"origins": [noted]}, [part])
    assert marks.number("call toolu_1") == 1
    assert [text.number for text in marks.origin_texts(part, 1000)] == [1]


@given(st.text("ab <>/数😀", max_size=20), st.lists(origins, max_size=5))
def test_no_origins_are_too_strange_and_no_text_is_lost(text: str, noted: Any) -> None:
    output = {"origins": noted, "errors": ["The tool call at character 3 is malformed: no."]}
    assert "".join(piece for piece, _, _ in stretches(text, output)) == text


@given(st.recursive(st.none() | st.text(max_size=3), lambda inner: st.lists(inner)))
def test_no_output_is_too_strange(value: object) -> None:
    read_marks(value, [ResponsePart("content", "content", "x")])
    output = {"origins": value, "errors": value, "error_places": value}
    read_marks(output, [ResponsePart("content", "content", "x")])
