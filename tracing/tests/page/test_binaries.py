import json

import pytest

from tracing.formatting.binaries import described, shorten, shorten_text

BASE64 = "iVBORw0K" * 1_000  # 8,000 letters, 6,000 bytes
URL = f"data:image/png;base64,{BASE64}"
PLACEHOLDER = "▣ image/png · 6.0 KB"


def test_a_data_url_in_a_body_becomes_a_placeholder() -> None:
    body = json.dumps({"image_url": {"url": URL}}).encode()
    assert json.loads(shorten(body)) == {"image_url": {"url": PLACEHOLDER}}


def test_a_long_base64_string_becomes_a_placeholder() -> None:
    assert json.loads(shorten(json.dumps({"data": BASE64 + "=="}).encode())) == {
        "data": "▣ base64 · 6.0 KB"
    }


@pytest.mark.parametrize("text", ["x" * 5_000 + " ", "数" * 5_000, '{"query": "SELECT 1"}'])
def test_other_text_stays_what_it_is(text: str) -> None:
    body = json.dumps({"text": text}).encode()
    assert shorten(body) is body


def test_a_data_url_within_a_text_becomes_a_placeholder() -> None:
    assert shorten_text(f"![plan]({URL}) 数") == f"![plan]({PLACEHOLDER}) 数"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"type": "image_url", "image_url": {"url": URL}}, PLACEHOLDER),
        ({"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}, "a.example/b.png"),
        (
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": BASE64},
            },
            PLACEHOLDER,
        ),
        ({"type": "image", "mimeType": "image/png", "data": BASE64}, PLACEHOLDER),
        ({"type": "input_audio", "input_audio": {"format": "wav", "data": BASE64}}, "wav · 6.0 KB"),
        ({"type": "file", "file": {"file_data": URL}}, PLACEHOLDER),
        ({"type": "text", "text": "a"}, ""),
        ({"type": "image"}, ""),
    ],
)
def test_parts_say_what_they_are(part: dict[str, object], words: str) -> None:
    assert words in described(part)
    assert bool(described(part)) == bool(words)
