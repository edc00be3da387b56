from hypothesis import given
from hypothesis import strategies as st

from tracing.formatting.text import Clip
from tracing.page.stages.dialect_text import annotate
from tracing.page.stages.messages import MessageView
from tracing.page.stages.request import Fold

lines = st.lists(st.sampled_from(["a", "b", "<tag>", ""]), max_size=8).map("\n".join)


def entry(text: str) -> MessageView:
    return MessageView(1, "user", Clip(text))


def written(text: str, *meant: str) -> list[tuple[str, bool]]:
    [marked] = annotate([entry(text)], [entry(each) for each in meant])
    return [(piece.text, piece.is_dialect) for piece in marked.annotated]


def test_what_follows_the_meant_system_text_is_the_dialects() -> None:
    assert written("Be brief.\n\n# Tools", "Be brief.") == [
        ("Be brief.", False),
        ("\n\n# Tools", True),
    ]


def test_results_are_told_from_what_wraps_them() -> None:
    text = "<tool_response>\n3\n</tool_response>\n<tool_response>\n5\n</tool_response>"
    assert [piece for piece, is_dialect in written(text, "3", "5") if not is_dialect] == [
        "3",
        "5",
    ]


def test_a_text_within_a_line_is_not_taken_for_the_meant_one() -> None:
    assert written("There are 3 of them.", "3") == []


def test_what_was_sent_as_it_was_meant_needs_no_marks() -> None:
    assert written("How many?", "How many?") == []


def test_what_nothing_is_known_of_needs_no_marks() -> None:
    assert written("<tool_call>…</tool_call>", "How many?", "") == []


def test_folds_stay() -> None:
    assert annotate([Fold(3)], [entry("a")]) == [Fold(3)]


@given(lines, st.lists(lines, max_size=4))
def test_no_text_is_lost(text: str, meant: list[str]) -> None:
    pieces = written(text, *meant)
    assert not pieces or "".join(piece for piece, _ in pieces) == text
