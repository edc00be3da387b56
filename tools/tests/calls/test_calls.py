from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from tools.values.call import ToolResult, _capped


def block(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([block("text", text="a"), block("text", text="b")], "a\nb"),
        ([block("image", data="AAAA", mimeType="image/png")], "[image, image/png, 3 bytes]"),
        ([block("audio", data="AAAAAAAA")], "[audio, unknown type, 6 bytes]"),
        (
            [block("resource", resource={"uri": "file:///a", "text": "inside"})],
            "[resource file:///a]\ninside",
        ),
        (
            [block("resource", resource={"uri": "file:///a", "blob": "AAAA"})],
            "[resource file:///a, 3 bytes]",
        ),
        ([block("resource_link", uri="file:///a", description="A")], "[link file:///a] A"),
        ([block("future", x=1)], '{"type": "future", "x": 1}'),
        ([], "(no output)"),
    ],
)
def test_every_kind_of_content_can_be_read_as_text(
    content: list[dict[str, Any]], text: str
) -> None:
    assert ToolResult(content).text == text


def test_structured_content_stands_in_for_missing_content() -> None:
    assert ToolResult([], structured={"n": [1, None]}).text == '{"n":[1,null]}'


def test_a_short_result_is_shown_as_it_is() -> None:
    assert ToolResult.of_text("短い").shown == "短い"


def test_of_a_long_result_both_ends_are_shown_with_a_note(settings: Settings) -> None:
    settings.TOOL_RESULT_CHARACTERS = 1000
    result = ToolResult.of_text("a" * 5000 + "z" * 5000)
    assert len(result.shown) == 1000
    assert result.shown.startswith("aaa")
    assert result.shown.endswith("zzz")
    assert "10,000 characters in all; the middle was cut to fit 1,000" in result.shown
    assert len(result.text) == 10_000


@given(st.text(max_size=400), st.integers(100, 300))
def test_what_is_shown_never_exceeds_the_cap(text: str, cap: int) -> None:
    assert len(_capped(text, cap)) <= max(cap, 100)
