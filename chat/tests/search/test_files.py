"""The index of files: passages with their place, ranked, of the right files only."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from chat.attachments import uploads
from chat.commands import project_files
from chat.models import Attachment, Passage, Project, ProjectFile, SearchedFile, UnindexedFile
from chat.search.files import index
from chat.search.files.indexing import index_noted_files
from chat.search.files.passages import passages
from chat.search.files.ranking import query_terms, ranked
from chat.tests.builders import a_user
from chat.tests.images import png
from db.threads import in_database
from limits.search import MAX_PASSAGE
from tools.tests.pdfs import a_pdf

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

CONTRACT = """# Lease

The flat is let to the tenant.

## Notice

Either party may end the lease with three months' notice, in writing.

## 违约

承租人逾期支付租金超过三十日的，出租人有权解除合同。
"""


@pytest.fixture
def owner() -> User:
    return a_user()


def an_attachment(owner: User, text: str, name: str = "lease.md") -> Attachment:
    attachment = uploads.upload(owner, name, text.encode())
    index_noted_files()
    return attachment


def found(query: str, owner: User) -> list[str]:
    keys = index.candidates(query_terms(query), owner.pk, None)
    texts = dict(Passage.objects.filter(pk__in=keys).values_list("pk", "text"))
    return [texts[pk] for pk in ranked(texts, query_terms(query))]


def count_words() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM chat_passagewords")
        return int(cursor.fetchone()[0])


def test_passages_know_line_and_heading() -> None:
    long = "\n\n".join(f"Paragraph {number} " + "word " * 100 for number in range(6))
    cut = list(passages(f"# One\n\n{long}\n\n# Two\n\nThe end."))
    assert [one.heading for one in (cut[0], cut[-1])] == ["One", "Two"]
    assert cut[-1].text == "# Two\n\nThe end."
    assert cut[-1].line == 15
    assert all(len(one.text) <= MAX_PASSAGE for one in cut)


def test_passages_of_a_pdf_know_their_page() -> None:
    cut = list(passages("[Page 1 of 2]\nFirst.\n\n[Page 2 of 2]\nSecond.\n\n"))
    assert [(one.page, one.text) for one in cut] == [(1, "First."), (2, "Second.")]


@pytest.mark.parametrize("text", ["x" * 10_000, "字" * 10_000, "a b " * 5_000, "\n" * 9_000, ""])
def test_nothing_is_lost_in_long_lines(text: str) -> None:
    cut = list(passages(text))
    assert "".join(one.text for one in cut).replace(" ", "") == text.replace(" ", "").strip("\n")
    assert all(len(one.text) <= MAX_PASSAGE for one in cut)


def test_an_uploaded_file_is_found_in_english_and_chinese(owner: User) -> None:
    an_attachment(owner, CONTRACT)
    assert "three months" in found("notice periods to end leases", owner)[0]
    assert "出租人有权解除合同" in found("什么时候可以解除合同", owner)[0]
    assert found("nothing of the kind", owner) == []


def test_the_passage_that_says_most_comes_first(owner: User) -> None:
    an_attachment(owner, "Apples and pears.", "a.txt")
    an_attachment(owner, "The quokka eats apples. The quokka sleeps.", "b.txt")
    assert found("apples of the quokka", owner)[0].startswith("The quokka")


def test_a_pdf_is_found_with_its_page(owner: User) -> None:
    uploads.upload(owner, "two.pdf", a_pdf("About wombats", "About quokkas"))
    index_noted_files()
    assert list(Passage.objects.values_list("page", "text")) == [
        (1, "About wombats"),
        (2, "About quokkas"),
    ]


def test_nobody_finds_the_files_of_others(owner: User) -> None:
    an_attachment(a_user("other"), CONTRACT)
    assert found("notice", owner) == []


def test_words_go_with_the_file_and_with_the_account(owner: User) -> None:
    attachment = an_attachment(owner, CONTRACT)
    an_attachment(owner, "More", "b.txt")
    assert count_words() > 1
    attachment.delete()
    assert found("notice", owner) == []
    owner.delete()
    assert (count_words(), Passage.objects.count(), SearchedFile.objects.count()) == (0, 0, 0)


def test_a_project_file_that_is_replaced_is_indexed_again(owner: User) -> None:
    project = Project.objects.create(owner=owner, name="Flat")
    file = ProjectFile.objects.create(
        project=project, name="a.md", media_type="text/plain", size=1, content=CONTRACT.encode()
    )
    index_noted_files()
    assert found("notice", owner)
    ProjectFile.objects.filter(pk=file.pk).update(content=b"Nothing but wombats.")
    index_noted_files()
    assert found("notice", owner) == []
    assert found("wombat", owner) == ["Nothing but wombats."]


def test_nothing_is_left_of_a_text_in_whose_place_an_image_is(owner: User) -> None:
    project = Project.objects.create(owner=owner, name="Flat")
    file = project_files.add(owner, project, "a.md", CONTRACT.encode()).file
    index_noted_files()
    project_files.replace(owner, file, png())
    index_noted_files()
    assert found("notice", owner) == []
    assert not SearchedFile.objects.exists()


def test_images_and_what_is_gone_are_not_indexed(owner: User) -> None:
    Attachment.objects.create(
        owner=owner, name="a.png", media_type="image/png", size=1, content=b"x"
    )
    assert not UnindexedFile.objects.exists()
    uploads.upload(owner, "a.txt", b"words").delete()
    assert not UnindexedFile.objects.exists()


@pytest.mark.parametrize(
    "query", ["", "!!!", '" OR *', "a' & | !", "NEAR(", "的", "\x00", "x" * 900]
)
def test_any_query_is_a_query(owner: User, query: str) -> None:
    an_attachment(owner, CONTRACT)
    assert isinstance(found(query, owner), list)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_files_that_are_swept_while_they_are_indexed_leave_nothing(owner: User) -> None:
    for number in range(20):
        uploads.upload(owner, f"{number}.md", CONTRACT.encode())
    Attachment.objects.update(created=timezone.now() - timedelta(days=2))
    with ThreadPoolExecutor(2) as pool:
        indexing = pool.submit(in_database, index_noted_files)
        sweeping = pool.submit(in_database, uploads.sweep)
        assert sweeping.result() == 20
        indexing.result()
    index_noted_files()
    assert not Attachment.objects.exists() and not SearchedFile.objects.exists()
    assert not Passage.objects.exists() and not UnindexedFile.objects.exists()
