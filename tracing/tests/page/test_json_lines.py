"""Strings of several lines in JSON, shown as text."""

import re
from html import unescape

import pytest

from tracing.formatting.json_text import pretty, with_lines
from tracing.formatting.json_tree import tree

RESULT = '{"stdout": "one\\ntwo\\t\\"2\\"", "path": "C:\\\\new"}'


def seen(html: str) -> str:
    """What a reader sees."""
    shown = re.sub(r'<i class="json-escape">.*?</i>', "", html)
    return unescape(re.sub(r"<[^>]+>", "", shown.replace("<br>", "\n")))


def written(html: str) -> str:
    """What a script reads: the text of all elements."""
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_a_string_with_line_breaks_is_seen_as_text_and_stays_what_was_written() -> None:
    html = str(with_lines(RESULT))
    assert seen(html) == '{"stdout": "one\ntwo"2"", "path": "C:\\\\new"}'
    assert written(html) == RESULT


@pytest.mark.parametrize("show", [pretty, tree])
def test_trees_and_coloured_json_break_lines_too(show: object) -> None:
    assert callable(show)
    html = str(show(RESULT))
    assert "one\ntwo" in seen(html)
    assert r'"one\ntwo\t\"2\""' in written(html)


def test_a_result_that_is_one_string_breaks_lines() -> None:
    assert seen(str(with_lines('"a\\nb"'))) == '"a\nb"'


@pytest.mark.parametrize("text", [r"grep \n file", r"say 'a\nb'", r'{"a": "x\ny"', r'["\\n"] x'])
def test_what_is_no_json_is_left_alone(text: str) -> None:
    assert with_lines(text) == text


def test_the_beginning_of_a_long_json_breaks_lines_too() -> None:
    assert seen(str(with_lines(r'{"a": "x\ny', is_cut=True))) == '{"a": "x\ny'


def test_a_text_in_it_can_do_nothing() -> None:
    assert "<b>" not in str(with_lines(r'["<b>\n<b>"]'))
