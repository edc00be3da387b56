"""The text of PDF and Word files, and files that want to do harm."""

import io
import zipfile

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from chat.attachments import documents, uploads
from chat.attachments.documents import read
from chat.errors import Rejected
from chat.tests.attachments.files import a_docx, a_pdf, a_zip
from chat.tests.builders import a_user
from limits.files import MAX_DOCUMENT_BYTES
from tools.documents import reading

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BODY = f"<w:document {W}><w:body>%s</w:body></w:document>"


@pytest.fixture
def owner(db: None) -> User:
    return a_user()


def test_a_pdf_is_its_text_page_by_page() -> None:
    document = read("pdf", a_pdf("Hello", "World"))
    assert document.text == "[Page 1 of 2]\nHello\n\n[Page 2 of 2]\nWorld\n\n"
    assert document.note == "text of 2 pages"


def test_a_word_file_is_its_paragraphs() -> None:
    paragraphs = (
        '<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>标题</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>Hello </w:t></w:r><w:r><w:t>world</w:t><w:tab/><w:t>!</w:t></w:r></w:p>"
        "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>"
    )
    document = read("docx", a_docx(BODY % paragraphs))
    assert document.text == "## 标题\nHello world\t!\n- item\n"


def test_cells_of_a_table_stand_beside_each_other() -> None:
    cell = "<w:tc><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:tc>"
    rows = "".join(f"<w:tr>{cell % a}{cell % b}</w:tr>" for a, b in (("a", "b"), ("c", "d")))
    lines = read("docx", a_docx(BODY % f"<w:tbl>{rows}</w:tbl>")).text.splitlines()
    assert [line.split() for line in lines] == [["a", "|", "b", "|"], ["c", "|", "d", "|"]]


def test_what_is_shown_to_older_programs_is_not_read_twice() -> None:
    alternate = (
        '<mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice><w:p><w:r><w:t>new</w:t></w:r></w:p>'
        "</mc:Choice><mc:Fallback><w:p><w:r><w:t>old</w:t></w:r></w:p></mc:Fallback>"
        "</mc:AlternateContent>"
    )
    assert read("docx", a_docx(BODY % alternate)).text == "new\n"


def test_an_upload_keeps_the_text_which_is_what_a_model_reads(owner: User) -> None:
    attachment, note = uploads.upload_file(owner, "report.pdf", a_pdf("Hello"))
    assert (attachment.name, attachment.media_type) == ("report.pdf", "text/plain")
    assert bytes(attachment.content) == b"[Page 1 of 1]\nHello\n\n"
    assert note == "text of 1 page"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"%PDF-1.7 garbage", "This PDF file is damaged and cannot be read."),
        (a_pdf(""), "its pages are pictures. Attach pictures of the pages"),
        (a_zip({"a.txt": b"x"}), "Unsupported file type."),
        (b"PK\x03\x04 garbage", "This DOCX file is damaged and cannot be read."),
        (a_docx("<w:document"), "This DOCX file is damaged and cannot be read."),
        (a_docx(BODY % ""), "There is no text in this file."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Save it as .docx without a password."),
        (
            a_docx(f'<!DOCTYPE x [<!ENTITY a "b">]>{BODY % "<w:p>&a;</w:p>"}'),
            "This DOCX file is damaged and cannot be read.",
        ),
    ],
)
def test_what_cannot_be_read_says_what_is_wrong(owner: User, content: bytes, problem: str) -> None:
    with pytest.raises(Rejected, match=problem):
        uploads.upload(owner, "x", content)


def test_an_encrypted_word_part_says_so() -> None:
    content = bytearray(a_docx(BODY % "<w:p/>"))
    content[content.rindex(b"PK\x01\x02") + 8] |= 1  # its flag in the central directory
    with pytest.raises(Rejected, match="encrypted"):
        read("docx", bytes(content))


def test_a_zip_bomb_is_ended_by_what_it_unpacks_to() -> None:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w") as part,
    ):
        part.write((BODY % "").split("</w:body>")[0].encode())
        for _ in range(60):
            part.write(b" " * 1_000_000)
    with pytest.raises(Rejected, match="unpacks to too much"):
        read("docx", packed.getvalue())


def test_a_long_text_is_cut_and_says_so(settings: Settings) -> None:
    settings.ATTACHMENT_TEXT_BYTES = 2_000
    document = read("pdf", a_pdf(*(["word " * 20] * 30)))
    assert document.text.endswith(f"{documents.LEFT_OUT}\n")
    assert len(document.text) < 2_000
    assert document.note.endswith("of 30 pages")


def test_a_file_that_is_too_large_is_not_read() -> None:
    with pytest.raises(Rejected, match=r"The file has 20.0 MB; the limit is 20.0 MB."):
        read("pdf", b"x" * (MAX_DOCUMENT_BYTES + 1))


def test_a_file_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_DOCUMENT_S", 0.01)
    with pytest.raises(Rejected, match="limits of time and memory"):
        read("pdf", a_pdf("x"))
