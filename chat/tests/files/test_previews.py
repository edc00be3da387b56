"""What is shown of a file: never as what it could do, always as what it says."""

from pathlib import Path

import pytest

from chat.files.layouts import laid_out
from chat.files.previews import Preview, preview
from chat.tests.images import png
from limits.files import MAX_PREVIEW
from tools.errors import NotThere, ToolError


def _shown(folder: Path, name: str, content: bytes | str, *, as_source: bool = False) -> Preview:
    body = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(body)
    return preview(folder, name, as_source=as_source)


def test_code_has_its_colours(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.py", "def f(): return 1")
    assert (found.kind, found.size) == ("text", 17)
    assert '<span class="k">def</span>' in found.html


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.xml", "a.md", "a.csv", "a.txt"])
def test_markup_is_text(tmp_path: Path, name: str) -> None:
    found = _shown(tmp_path, name, "<script>alert(1)</script>\n<img src=x onerror=alert(1)>")
    assert "<script" not in found.html and "<img" not in found.html


def test_markdown_is_laid_out_and_its_source_is_there(tmp_path: Path) -> None:
    assert "<h3" in _shown(tmp_path, "a.md", "# 标题").html
    source = _shown(tmp_path, "a.md", "# 标题", as_source=True)
    assert (source.kind, source.other) == ("text", "rendered")


def test_csv_is_a_table(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.csv", '姓名;年龄\n"韩;梅";18\n').table
    assert found is not None
    assert (found.head, found.rows) == (["姓名", "年龄"], [["韩;梅", "18"]])


def test_a_long_table_says_what_is_missing(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.csv", "a,b\n" + "1,2\n" * 500)
    assert found.table is not None and len(found.table.rows) == 200
    assert found.note == "Only the first 200 rows are shown."


def test_json_on_one_line_is_laid_out_with_its_tokens_as_they_are() -> None:
    assert laid_out('{"a":[1.10,{"b":"x, {y}"}],"c":{}}') == (
        '{\n  "a": [\n    1.10,\n    {\n      "b": "x, {y}"\n    }\n  ],\n  "c": {}\n}'
    )
    assert laid_out("{broken") is None
    assert laid_out("[" * 100_000) is None


def test_a_long_text_is_shown_by_its_beginning(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.txt", "字" * 1_000_000)
    assert found.html.count("字") == MAX_PREVIEW
    assert found.note == "Only the first 100,000 characters are shown."


def test_chinese_of_windows_is_read(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.txt", "数据库有几张表".encode("gb18030"))
    assert (found.html.strip(), found.note) == ("数据库有几张表", "Read as GB 18030.")


def test_an_image_is_known_by_its_bytes(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.txt", png(3, 2))
    assert found.image is not None
    assert (found.kind, found.image.width, found.image.height) == ("image", 3, 2)


def test_bytes_are_shown_as_bytes(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.bin", bytes(range(256)) * 4)
    assert found.kind == "binary" and "000010  10 11" in found.html
    assert found.note == "Only the first 512 bytes are shown."


@pytest.mark.parametrize(
    ("start", "about"), [(b"%PDF-1.7\n\0", "a PDF document"), (b"PK\x03\x04\0", "a zip archive")]
)
def test_what_is_no_text_is_named(tmp_path: Path, start: bytes, about: str) -> None:
    found = _shown(tmp_path, "a", start)
    assert (found.kind, found.html) == ("binary", "") and found.about.startswith(about)


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    assert _shown(tmp_path, "a.txt", "").kind == "empty"


def test_what_misleads_the_eye_is_named(tmp_path: Path) -> None:
    assert "[U+202E]" in _shown(tmp_path, "a.txt", "evil\u202egpj").html


def test_what_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NotThere):
        preview(tmp_path, "gone.txt")
    with pytest.raises(ToolError):
        preview(tmp_path, "../outside.txt")


def test_json_that_would_grow_too_long_is_left_as_it_is() -> None:
    assert laid_out("[" * 50 + "1," * 20_000 + "1" + "]" * 50) is None


def test_a_long_program_has_no_colours(tmp_path: Path) -> None:
    found = _shown(tmp_path, "a.py", "def f(): pass\n" * 3_000)
    assert found.kind == "text" and "<span" not in found.html
