"""How arguments and results of tools are shown."""

import pytest

from chat.presentation.calls import brief, outcome
from chat.presentation.text import one_line, well_formed
from chat.presentation.values import summary, value
from limits.files import MAX_VALUE


@pytest.mark.parametrize(
    "text", ['[{"name": "log", "rows": 2}]', "[{'name': 'log', 'rows': 2}]"], ids=["json", "python"]
)
def test_a_list_of_objects_is_a_table(text: str) -> None:
    shown = value(text)
    assert (shown.columns, shown.rows) == (["name", "rows"], [["log", "2"]])


@pytest.mark.parametrize("number", ["{}", "[{{'a': {}}}]", "{{'a': {}}}", "{{{}: 1}}"])
def test_a_number_that_python_does_not_print_is_text(number: str) -> None:
    text = number.format("0x" + "f" * 5_000)
    assert value(text).text == text
    assert summary(text) == text


def test_rows_with_other_columns_leave_cells_empty() -> None:
    shown = value('[{"a": 1}, {"b": null}]')
    assert shown.rows == [["1", ""], ["", "null"]]


def test_a_long_table_says_what_is_missing() -> None:
    shown = value(str([{f"c{column}": row for column in range(20)} for row in range(80)]))
    assert (len(shown.rows), len(shown.columns)) == (50, 12)
    assert shown.note == "50 of 80 rows, 12 of 20 columns"


def test_an_object_is_a_tree_in_its_own_order() -> None:
    nodes = value('{"b": 1, "a": [true, {"c": "x"}]}').nodes
    assert [node.key for node in nodes] == ["b", "a"]
    assert nodes[1].children[1].children[0].text == "x"


def test_a_query_is_highlighted() -> None:
    (node,) = value('{"query": "SELECT 1 < 2"}').nodes
    assert '<span class="k">SELECT</span>' in node.html
    assert "&lt;" in node.html


@pytest.mark.parametrize("text", ["plain", "{'a': unquoted}", "[1, 2", "3.5", "null"])
def test_everything_else_is_text(text: str) -> None:
    assert (value(text).kind, value(text).text) == ("text", text)


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, "[" * 150, "{'a':" * 5_000, "[" + "-" * 15_000 + "1]", "[" * 90 + "]" * 90],
    ids=["json", "literal", "objects", "signs", "balanced"],
)
def test_what_is_deep_is_text(text: str) -> None:
    assert value(text).kind == "text"


def test_a_tree_too_large_for_a_page_is_text() -> None:
    assert value(str([[n] for n in range(1000)])).kind == "text"


def test_a_huge_result_is_cut_with_a_note_and_not_copied() -> None:
    shown = value("x" * 1_000_000)
    assert len(shown.text) == MAX_VALUE
    assert shown.note == "the first 20,000 of 1,000,000 characters"
    assert shown.raw == ""


def test_nothing_is_empty() -> None:
    assert value("  ").kind == "empty"


def test_a_literal_is_never_evaluated() -> None:
    assert value("[__import__('os').getcwd()]").kind == "text"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("[{'count': 6}]", "6"),
        ("[{'a': 1}, {'a': 2}]", "2 rows"),
        ('{"rows": 6}', "6"),
        ('{"a": 1, "b": 2}', "2 fields"),
        ("[1, 2, 3]", "3 items"),
        ("[]", "nothing"),
        ('"text"', "text"),
        ("42", "42"),
    ],
)
def test_a_result_in_short(text: str, short: str) -> None:
    assert summary(text) == short


def test_an_error_in_short_is_how_it_begins() -> None:
    assert outcome("no such table:\n  studnets", is_error=True) == "no such table: studnets"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"limit": 5, "query": "SELECT\\n  1"}', "SELECT 1"),
        ('{"city": "Nanjing"}', "Nanjing"),
        ('{"n": {"a": 1}}', '{"a": 1}'),
        ('{"items": [{"id": "1"}, {"id": "2"}]}', "2 items"),
        ("{}", ""),
        ("", ""),
        ('{"query": "SEL', '{"query": "SEL'),
        ("[1]", "[1]"),
    ],
)
def test_the_argument_that_matters(arguments: str, shown: str) -> None:
    assert brief(arguments) == shown


def test_text_is_mended_without_changing_its_length_in_utf_16() -> None:
    assert well_formed("a\ud83d\ude00\udc00b") == "a😀\ufffdb"


def test_one_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("a\n  b " + "c" * 100, 10) == "a b ccccc…"
