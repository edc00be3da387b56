from hypothesis import given
from hypothesis import strategies as st

from chat.trace_views.prompt.marking import MarkedPrompt, mark_prompt

lines = st.lists(st.sampled_from(["a\n", "b\n", "<|im_end|>\n", "\n"]), max_size=12).map("".join)


def texts(marked: MarkedPrompt) -> list[tuple[bool, str]]:
    return [(b.is_new, "".join(piece.text for piece in b.pieces)) for b in marked.blocks]


def test_what_follows_the_prompt_of_the_round_before_is_new() -> None:
    assert texts(mark_prompt("a\nb\nc\n", "a\nb\n")) == [(False, "a\nb\n"), (True, "c\n")]


def test_what_changed_in_the_middle_is_new_and_what_it_replaced_is_counted() -> None:
    marked = mark_prompt("a\nX\nc\n", "a\nb1\nb2\nc\n")
    assert texts(marked) == [(False, "a\n"), (True, "X\n"), (False, "c\n")]
    assert (marked.new, marked.gone) == (2, 2)


def test_without_a_round_before_nothing_is_new() -> None:
    assert texts(mark_prompt("a\n" * 50, None)) == [(False, "a\n" * 50)]


def test_many_lines_that_stayed_are_folded() -> None:
    kept, new = mark_prompt("a\n" * 50 + "b\n", "a\n" * 50).blocks
    assert (kept.folded, kept.lines, new.folded) == (True, 50, False)


def test_special_tokens_are_told_apart() -> None:
    marked = mark_prompt("<|im_start|>user\n<｜begin▁of▁sentence｜>[INST] a < b | c", None)
    special = [piece.text for piece in marked.blocks[0].pieces if piece.is_special]
    assert special == ["<|im_start|>", "<｜begin▁of▁sentence｜>", "[INST]"]


def test_a_huge_prompt_is_cut_and_says_by_how_much() -> None:
    [block] = mark_prompt("x" * 5_000_000, None).blocks
    assert block.hidden == 5_000_000 - sum(len(piece.text) for piece in block.pieces)
    assert block.hidden > 4_000_000


def test_two_huge_prompts_are_compared_in_a_moment() -> None:
    before, now = (f"{letter}{n}\n" for letter in "ab" for n in range(1))
    marked = mark_prompt(now * 100_000, before * 100_000)
    assert marked.new == len(now * 100_000)


@given(lines, lines)
def test_no_text_is_lost(before: str, text: str) -> None:
    assert "".join(piece for _, piece in texts(mark_prompt(text, before))) == text
