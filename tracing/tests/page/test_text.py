from datetime import timedelta

import pytest
from django.utils.html import strip_tags
from hypothesis import given
from hypothesis import strategies as st

from tracing.formatting.figures import duration, size
from tracing.formatting.json_text import is_json, pretty
from tracing.formatting.text import clip, decode, visible, with_full_stop


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a[U+202E]b"),
        ("\x1b[31m", "[U+001B][31m"),
        ("\x00", "[U+0000]"),
        ("\ud800", "[U+D800]"),
        ("\U000e0041", "[U+E0041]"),
        ("line\r\nline\tend", "line\nline\tend"),
    ],
)
def test_characters_that_mislead_are_named(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["三张表", "مرحبا", "👩‍👩‍👧", "क्‍ष", "a\tb\n"])
def test_every_language_is_left_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_shown_can_always_be_sent(text: str) -> None:
    visible(text).encode()


def test_a_long_text_says_how_much_is_not_shown() -> None:
    shown = clip("x" * 100, 30)
    assert (shown.text, shown.hidden) == ("x" * 30, 70)


def test_bytes_that_are_no_text_are_shown_as_far_as_they_are() -> None:
    assert decode(b"ok \xff", 10).text == "ok \ufffd"


def test_json_is_indented_and_every_token_kept() -> None:
    shown = strip_tags(pretty('{"a":[1.0,{"b":"x"}],"a":[],"c":{}}'))
    assert shown == (
        "{\n  &quot;a&quot;: [\n    1.0,\n    {\n      &quot;b&quot;: &quot;x&quot;\n    }\n  ],\n"
        "  &quot;a&quot;: [],\n  &quot;c&quot;: {}\n}"
    )


def test_keys_strings_and_numbers_are_told_apart() -> None:
    shown = pretty('{"a":"x","b":1}')
    assert '<span class="json-key">&quot;a&quot;</span>' in shown
    assert '<span class="json-string">&quot;x&quot;</span>' in shown
    assert '<span class="json-number">1</span>' in shown


@given(st.text(alphabet="<>&\"\\[]{}:,'ab1 \n"))
def test_no_markup_comes_out_of_a_text(text: str) -> None:
    shown = str(pretty(text))
    for own in ("json-key", "json-string", "json-number"):
        shown = shown.replace(f'<span class="{own}">', "").replace("</span>", "")
    assert "<" not in shown


@pytest.mark.parametrize("text", ["[{'name': 'log'}]", "[note] a text", "3", "", "[" * 9999])
def test_what_is_no_json_object_or_list_is_not_taken_for_one(text: str) -> None:
    assert not is_json(text)


@pytest.mark.parametrize(
    ("length", "shown"),
    [(41.4, "41 ms"), (1240, "1.2 s"), (timedelta(minutes=1, seconds=5), "1 min 5 s"), (None, "")],
)
def test_durations_have_units(length: timedelta | float | None, shown: str) -> None:
    assert duration(length) == shown


def test_a_duration_of_hours_has_no_seconds() -> None:
    assert duration(timedelta(hours=2, minutes=3, seconds=4)) == "2 h 3 min"


@pytest.mark.parametrize(
    ("count", "shown"),
    [(999, "999 B"), (1500, "1.5 KB"), (20_000_000, "20.0 MB"), (10**10, "10.0 GB")],
)
def test_sizes_are_in_bytes_kilobytes_and_megabytes(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("It is full", "It is full."),
        ("Use UTC.", "Use UTC."),
        ("Why? ", "Why?"),
        ("满了。", "满了。"),
    ],
)
def test_a_sentence_ends_with_one_full_stop(text: str, ended: str) -> None:
    assert with_full_stop(text) == ended
