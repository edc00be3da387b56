"""Two versions of a text as one."""

from hypothesis import given
from hypothesis import strategies as st

from tracing.diff.text_diff import TextChange, diff_texts

TEXTS = st.text("ab 数据\n.", max_size=60)


def marked(before: str, after: str) -> str:
    signs = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}
    return "".join(signs[c.change].format(c.text) for c in diff_texts(before, after) or [])


def test_changed_words_are_marked() -> None:
    shown = marked("There are two tables.", "There are three tables.")
    assert shown == "There are [-two-][+three+] tables."


def test_a_chinese_character_is_a_word() -> None:
    assert marked("数据库有两张表", "数据库有三张表") == "数据库有[-两-][+三+]张表"


def test_words_that_changed_side_by_side_are_one_change() -> None:
    shown = marked("Keep this, old words, and end.", "Keep this, new text, and end.")
    assert shown == "Keep this, [-old words-][+new text+], and end."


def test_texts_with_nothing_in_common_are_not_compared() -> None:
    assert diff_texts("apples pears plums", "一二三四五六七") is None


def test_what_is_unchanged_is_left_out_but_for_what_is_beside_a_change() -> None:
    long = "".join(f"line {number}\n" for number in range(10_000))
    changes = diff_texts(long + "old", long + "new") or []
    assert sum(len(change.text) for change in changes) < 200
    assert changes[0].hidden == len(long) - 120


@given(TEXTS, TEXTS)
def test_both_versions_can_be_read_from_it(before: str, after: str) -> None:
    changes = diff_texts(before, after)
    if changes is not None:
        assert of(changes, "removed") == before
        assert of(changes, "added") == after


def test_huge_texts_that_differ_everywhere_are_given_up_early() -> None:
    before = "".join(f"a{number} same\n" for number in range(100_000))
    after = "".join(f"b{number} same\n" for number in range(100_000))
    assert diff_texts(before, after) is None


def of(changes: list[TextChange], version: str) -> str:
    return "".join(change.text for change in changes if change.change in ("same", version))
