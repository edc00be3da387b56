"""What a file is taken for, by its bytes alone."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.attachments.sniffing import TEXT, sniff
from chat.errors import Rejected
from chat.files.image_headers import ImageHeader, read_header
from chat.tests.images import gif, jpeg, png, webp

IMAGES = {
    "image/png": png(3, 2),
    "image/gif": gif(3, 2),
    "image/jpeg": jpeg(3, 2),
    "image/webp": webp(3, 2),
}


@pytest.mark.parametrize("media_type", IMAGES)
def test_an_image_is_known_by_its_signature_and_kept_as_it_came(media_type: str) -> None:
    kept = sniff(IMAGES[media_type])
    assert (kept.media_type, kept.content) == (media_type, IMAGES[media_type])
    assert read_header(IMAGES[media_type]) == ImageHeader(media_type, 3, 2)


@pytest.mark.parametrize("form", ["VP8 ", "VP8L", "VP8X"])
def test_all_forms_of_webp_have_a_size(form: str) -> None:
    assert read_header(webp(4000, 3000, form)) == ImageHeader("image/webp", 4000, 3000)


@pytest.mark.parametrize(("media_type", "end"), [*zip(IMAGES, [24, 10, 18, 30], strict=True)])
def test_an_image_that_is_cut_off_in_its_header_is_refused(media_type: str, end: int) -> None:
    sniff(IMAGES[media_type][:end])
    with pytest.raises(Rejected):
        sniff(IMAGES[media_type][: end - 1])


def test_a_decompression_bomb_is_refused_by_what_its_header_says() -> None:
    with pytest.raises(Rejected, match=r"100,000 × 100,000 pixels; the limit is 8,000"):
        sniff(png(100_000, 100_000))


@pytest.mark.parametrize("image", [png(0, 1), gif(1, 0), b"\xff\xd8\xff" + b"\xff" * 9_000_000])
def test_an_image_without_a_size_is_damaged(image: bytes) -> None:
    with pytest.raises(Rejected, match="damaged"):
        sniff(image)


def test_an_image_of_too_many_bytes_is_refused_with_the_limit() -> None:
    with pytest.raises(Rejected, match=r"has 10.0 MB; the limit is 10.0 MB"):
        sniff(png() + b"\0" * 10_000_000)


@pytest.mark.parametrize(
    "text",
    [
        b"print(1)",
        "名".encode(),
        b"<svg onload=alert(1)>",
        b"<!doctype html>",
        b"%PDF-1.4\n",
        b"MZ",
    ],
)
def test_what_utf_8_can_read_is_text_whatever_it_looks_like(text: bytes) -> None:
    assert sniff(text).media_type == TEXT


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_text_with_a_mark_is_kept_as_utf_8_without_it(mark: bytes, encoding: str) -> None:
    assert sniff(mark + "数 🎈".encode(encoding)).content == "数 🎈".encode()


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF\x02\x01\x01\0",
        b"PK\x03\x04\x14\0",
        b"caf\xe9",
        b"a\0b",
        codecs.BOM_UTF16_LE + b"\x00\xd8a\0",
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
        b"\0\0\0\x18ftypheic",
        b"\x89PNG",
        b"RIFF\0\0\0\0WAVEfmt ",
    ],
)
def test_what_is_neither_is_refused_with_what_is_taken(content: bytes) -> None:
    with pytest.raises(
        Rejected, match="Supported: PNG, JPEG, GIF and WebP images, PDF, DOCX and text files"
    ):
        sniff(content)


@pytest.mark.parametrize("content", [b"", b" \n\t", codecs.BOM_UTF8])
def test_an_empty_file_is_refused(content: bytes) -> None:
    with pytest.raises(Rejected, match="empty"):
        sniff(content)


def test_a_long_text_is_refused_with_the_limit() -> None:
    with pytest.raises(Rejected, match=r"has 1.0 MB; the limit is 1.0 MB"):
        sniff(b"x" * 1_000_001)


@given(st.sampled_from([b"", *(image[:12] for image in IMAGES.values())]), st.binary(max_size=60))
def test_no_bytes_are_too_strange(head: bytes, tail: bytes) -> None:
    try:
        kept = sniff(head + tail)
    except Rejected as error:
        assert str(error).endswith(".")
    else:
        assert kept.media_type in {TEXT, *IMAGES}
