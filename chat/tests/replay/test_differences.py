"""What differs between two texts: exact on both sides, smallest, and bounded."""

from hypothesis import given
from hypothesis import strategies as st

from chat.playground.differences import DiffPiece, TextDifference, difference
from limits.replay import MAX_DIFFERENCE_STEPS

TEXTS = st.text(alphabet="ab \n数据", max_size=60)


def joined(pieces: list[DiffPiece]) -> str:
    return "".join(piece.text for piece in pieces)


def kept(pieces: list[DiffPiece]) -> str:
    return "".join(piece.text for piece in pieces if not piece.changed)


@given(TEXTS, TEXTS)
def test_both_texts_are_whole_and_what_is_kept_is_the_same(left: str, right: str) -> None:
    found = difference(left, right)
    assert (joined(found.left), joined(found.right)) == (left, right)
    assert kept(found.left) == kept(found.right)


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert difference(text, text).is_none


def test_words_and_ideographs_are_compared_one_by_one() -> None:
    assert difference("two tables, 三张表", "three tables, 两张表") == TextDifference(
        [DiffPiece("two", True), DiffPiece(" tables, "), DiffPiece("三", True), DiffPiece("张表")],
        [
            DiffPiece("three", True),
            DiffPiece(" tables, "),
            DiffPiece("两", True),
            DiffPiece("张表"),
        ],
    )


def test_what_takes_too_long_by_words_is_told_by_lines(monkeypatch: object) -> None:
    left = "".join(f"{n} a{n} b{n}\n" for n in range(30_000))
    right = left.replace("77 a77 b77\n", "new\n")
    found = difference(left, right)
    changed = [piece.text for piece in found.right if piece.changed]
    assert "new\n" in changed
    assert len(changed) < 30


def test_what_takes_too_long_by_lines_counts_as_different() -> None:
    left = "".join(f"{n}\n" for n in range(20_000))
    right = "".join(f"{n}\n" for n in range(20_000, 0, -1))
    assert difference(left, right) == TextDifference(
        [DiffPiece(left, True)], [DiffPiece(right, True)]
    )
    assert MAX_DIFFERENCE_STEPS < 1_000_000
