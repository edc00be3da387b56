"""Images and files in contents."""

import base64
from typing import Any

import pytest

from chat.llm import parts


def file(name: str | None, body: bytes, media_type: str = "text/plain") -> dict[str, Any]:
    url = f"data:{media_type};base64,{base64.b64encode(body).decode()}"
    return {"type": "file", "file": {"filename": name, "file_data": url}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_text_parts_follow_each_other_without_a_separator() -> None:
    assert parts.as_text([text("a"), text(""), text("b")]) == "ab"


def test_a_text_file_stands_apart_under_its_name() -> None:
    content = [text("Sum up"), file("a.csv", b"x,y\n", "text/csv"), text("please")]

    assert parts.as_text(content) == 'Sum up\n\n<file name="a.csv">\nx,y\n</file>\n\nplease'


def test_a_name_cannot_end_the_tag() -> None:
    named = parts.as_text([file('a">\n<b', b"x")])

    assert named == '<file name="a b">\nx\n</file>'


def test_a_file_without_a_name_is_a_file() -> None:
    assert parts.as_text([file(None, b"x")]) == '<file name="file">\nx\n</file>'


@pytest.mark.parametrize(
    "url",
    ["data:;base64,5YyX", "data:text/plain;charset=utf-8;base64,5YyX", "data:,%E5%8C%97",
     "DATA:text/plain;BASE64,5YyX"],
)  # fmt: skip
def test_data_urls_are_read_in_all_their_forms(url: str) -> None:
    content = parts.embedded(url)

    assert content and content.text() == "北"


@pytest.mark.parametrize(
    "part",
    [
        file("a.pdf", b"%PDF", "application/pdf"),
        file("a.bin", b"\xff\xfe", "application/octet-stream"),
        file("a.bin", b"a\0b"),
        {"type": "file", "file": {"filename": "a", "file_data": "data:text/plain;base64,~"}},
        {"type": "file", "file": {"file_id": "f"}},
        {"type": "file", "file": "a"},
        {"type": "file"},
        {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
        {"type": "input_audio", "text": 1},
        {},
    ],
    ids=str,
)
def test_what_is_no_text_is_left_out_and_named(part: dict[str, Any]) -> None:
    message: Any = {"role": "user", "content": [text("a"), part]}

    assert parts.as_text(message["content"]) == "a"
    assert list(parts.without_text([message])) == [(0, str(part.get("type")))]


@pytest.mark.parametrize("image", [{"url": "u", "detail": "low"}, "u"])
def test_the_url_of_an_image_may_stand_alone(image: Any) -> None:
    assert parts.image_url({"type": "image_url", "image_url": image}) == "u"


@pytest.mark.parametrize("image", [None, {}, {"url": ""}, {"url": 1}, 1])
def test_an_image_without_a_url_is_none(image: Any) -> None:
    assert parts.image_url({"type": "image_url", "image_url": image}) is None
