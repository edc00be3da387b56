"""The panel's parts: who sees them, what they list, what they take in and let out."""

import io
import os
import zipfile
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat.files import listing
from chat.files.names import quoted
from chat.models import Conversation
from chat.tests.builders import AConversation, a_user
from chat.tests.images import png
from limits.files import MAX_OPEN_FOLDERS
from tests.responses import body_of

pytestmark = [pytest.mark.django_db, pytest.mark.long]

READS = ["", "count", "preview?path=a.txt", "download?path=a.txt", "image?path=a.png", "zip"]


def _upload(browser: Client, url: str, name: str, content: bytes = b"1", **fields: str) -> Any:
    file = SimpleUploadedFile("file", content)
    return browser.post(f"{url}upload", {"file": file, "name": name, **fields})


# Rights


@pytest.mark.parametrize("path", READS)
def test_nobody_else_sees_files(client: Client, url: str, workspace: Path, path: str) -> None:
    (workspace / "a.txt").write_text("mine")
    client.force_login(a_user("outsider", is_staff=True, is_superuser=True))
    assert client.get(url + path).status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("path", ["upload", "remove?path=a.txt"])
def test_nobody_else_changes_files(client: Client, url: str, workspace: Path, path: str) -> None:
    (workspace / "a.txt").write_text("mine")
    client.force_login(a_user("outsider"))
    assert client.post(url + path).status_code == HTTPStatus.NOT_FOUND
    assert (workspace / "a.txt").read_text() == "mine"


def test_who_is_not_signed_in_is_sent_to_sign_in(client: Client, url: str) -> None:
    assert client.get(url).status_code == HTTPStatus.FOUND


@pytest.mark.parametrize("path", ["upload", "remove?path=a.txt"])
def test_files_are_changed_by_posts_of_our_own_pages_only(
    conversation: Conversation, url: str, path: str
) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(conversation.owner)
    assert browser.get(url + path).status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert browser.post(url + path).status_code == HTTPStatus.FORBIDDEN


# Listing


def test_a_workspace_that_nobody_wrote_to_says_so(page: Client, url: str) -> None:
    assert "No files yet." in page.get(url).content.decode()


def test_files_are_listed_with_their_folders(page: Client, url: str, workspace: Path) -> None:
    (workspace / "report.csv").write_text("a,b")
    (workspace / "数据").mkdir()
    (workspace / "数据" / "里面.txt").write_text("中")
    closed = page.get(url).content.decode()
    assert "report.csv" in closed and "数据" in closed and "里面.txt" not in closed
    opened = page.get(f"{url}?open=100:{quote('数据')}").content.decode()
    assert "里面.txt" in opened


def test_a_folder_is_shown_page_by_page(page: Client, url: str, workspace: Path) -> None:
    for number in range(450):
        (workspace / f"{number:04}.txt").touch()
    first = page.get(url).content.decode()
    assert "0099.txt" in first and "0100.txt" not in first and 'data-files-more="200"' in first
    whole = page.get(f"{url}?open=600:").content.decode()
    assert "0449.txt" in whole and "data-files-more" not in whole


def test_links_are_shown_and_not_followed_outside(page: Client, url: str, workspace: Path) -> None:
    (workspace / "passwords").symlink_to("/etc/passwd")
    (workspace / "nowhere").symlink_to("gone")
    listed = page.get(url).content.decode()
    assert "/etc/passwd" in listed and "nowhere" in listed
    preview = page.get(f"{url}preview?path=passwords").content.decode()
    assert "outside of the workspace" in preview and "root:" not in preview
    assert page.get(f"{url}download?path=passwords").status_code == HTTPStatus.NOT_FOUND


def test_names_are_text_whatever_they_are(page: Client, url: str, workspace: Path) -> None:
    name = '"><img src=x onerror=alert(1)>.html'
    (workspace / name).write_text("<script>alert(1)</script>")
    os.close(os.open(os.fsencode(workspace) + b"/\xff\xfe.bin", os.O_CREAT))
    listed = page.get(url).content.decode()
    assert "<img" not in listed and r"\xff\xfe.bin" in listed
    assert page.get(f"{url}preview?path=%FF%FE.bin").content.decode().count("is empty") == 1


def test_the_head_counts_files(page: Client, conversation: Conversation, workspace: Path) -> None:
    for number in range(3):
        (workspace / f"{number}.txt").touch()
    url = f"{conversation.get_absolute_url()}files/count"
    assert page.get(url).json() == {"count": "3"}
    assert "data-files-count>3<" in page.get(conversation.get_absolute_url()).content.decode()


# Downloads


@pytest.mark.parametrize("name", ["page.html", "drawing.svg", "a.xml", "a.js", "图.png"])
def test_a_download_is_kept_and_runs_nothing(
    page: Client, url: str, workspace: Path, name: str
) -> None:
    (workspace / name).write_text("<script>alert(1)</script>")
    answer = page.get(f"{url}download?path={quote(name)}")
    body = body_of(answer)
    assert body == b"<script>alert(1)</script>"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_an_image_is_one_by_its_bytes(page: Client, url: str, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(png(3, 2))
    (workspace / "b.png").write_text("<svg onload=alert(1)>")
    answer = page.get(f"{url}image?path=a.txt")
    body = body_of(answer)
    assert (answer["Content-Type"], body) == ("image/png", png(3, 2))
    assert "sandbox" in answer["Content-Security-Policy"]
    assert page.get(f"{url}image?path=b.png").status_code == HTTPStatus.NOT_FOUND


def test_a_zip_has_all_but_the_links(page: Client, url: str, workspace: Path) -> None:
    (workspace / "子").mkdir()
    (workspace / "子" / "a.txt").write_text("中" * 200_000)
    (workspace / "empty").mkdir()
    (workspace / "out").symlink_to("/etc/passwd")
    answer = page.get(f"{url}zip")
    body = body_of(answer)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["empty/", "子/", "子/a.txt"]
        assert archive.read("子/a.txt").decode() == "中" * 200_000
    assert 'filename="files.zip"' in answer["Content-Disposition"]


def test_a_zip_that_would_be_too_large_is_refused(
    page: Client, url: str, workspace: Path, settings: Any
) -> None:
    settings.SANDBOX_LIMITS = {"workspace_bytes": 10}
    (workspace / "a.txt").write_text("x" * 11)
    answer = page.get(f"{url}zip")
    assert answer.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert "10 B; this folder has more" in answer.content.decode()


# Uploads


def test_an_upload_is_a_file_of_the_workspace(
    page: Client, url: str, conversation: Conversation, settings: Any
) -> None:
    answer = _upload(page, url, "数据 1.csv", "甲,乙".encode())
    assert (answer.status_code, answer.json()["name"]) == (HTTPStatus.CREATED, "数据 1.csv")
    kept = settings.WORKSPACES / str(conversation.public_id) / "数据 1.csv"
    assert kept.read_text() == "甲,乙"


@pytest.mark.parametrize("name", ["../../evil.txt", "C:\\x\\evil.txt", "/etc/evil.txt", "evil.txt"])
def test_an_upload_stays_in_its_folder(page: Client, url: str, workspace: Path, name: str) -> None:
    _upload(page, url, name)
    assert [one.name for one in workspace.iterdir()] == ["evil.txt"]


@pytest.mark.parametrize("name", ["..", ".", "  ", "a/", "\x00"])
def test_a_file_without_a_name_is_refused(page: Client, url: str, name: str) -> None:
    assert "no name" in _upload(page, url, name).json()["error"]


def test_a_name_that_is_taken_is_the_persons_choice(
    page: Client, url: str, workspace: Path
) -> None:
    (workspace / "a.tar.gz").write_text("old")
    asked = _upload(page, url, "a.tar.gz", b"new")
    assert asked.status_code == HTTPStatus.CONFLICT
    assert asked.json() == {
        "error": "There is a file a.tar.gz already.",
        "name": "a.tar.gz",
        "free": "a.tar (2).gz",
        "replace": True,
    }
    assert (workspace / "a.tar.gz").read_text() == "old"
    assert _upload(page, url, "a.tar.gz", b"new", taken="both").json()["name"] == "a.tar (2).gz"
    assert _upload(page, url, "a.tar.gz", b"new", taken="replace").json()["name"] == "a.tar.gz"
    assert (workspace / "a.tar.gz").read_text() == "new"


def test_an_upload_never_replaces_a_folder(page: Client, url: str, workspace: Path) -> None:
    (workspace / "src").mkdir()
    assert _upload(page, url, "src").json()["replace"] is False
    assert "not kept" in _upload(page, url, "src", taken="replace").json()["error"]


def test_what_is_too_large_is_refused(
    page: Client, url: str, workspace: Path, settings: Any
) -> None:
    settings.WORKSPACE_UPLOAD_BYTES = 10
    assert "the limit is 10 B" in _upload(page, url, "a.txt", b"x" * 11).json()["error"]


def test_all_files_together_have_the_limit_of_commands(
    page: Client, url: str, workspace: Path, settings: Any
) -> None:
    settings.SANDBOX_LIMITS = {"workspace_bytes": 10_000}
    assert _upload(page, url, "a.txt", b"x" * 9_000).status_code == HTTPStatus.CREATED
    assert "the limit is 10.0 KB" in _upload(page, url, "b.txt", b"x" * 9_000).json()["error"]


def test_too_many_files_are_refused(page: Client, url: str, workspace: Path, settings: Any) -> None:
    settings.SANDBOX_LIMITS = {"workspace_files": 1}
    _upload(page, url, "a.txt")
    assert "the limit is 1" in _upload(page, url, "b.txt").json()["error"]


def test_an_upload_through_a_link_stays_inside(page: Client, url: str, workspace: Path) -> None:
    (workspace / "out").symlink_to(workspace.parent)
    answer = page.post(f"{url}upload?path=out", {"file": SimpleUploadedFile("a.txt", b"1")})
    assert "outside of the workspace" in answer.json()["error"]
    assert not (workspace.parent / "a.txt").exists()


# Deleting


def test_a_file_is_deleted_and_what_is_gone_is_no_error(
    page: Client, url: str, workspace: Path
) -> None:
    (workspace / "中.txt").touch()
    for _ in range(2):
        answer = page.post(f"{url}remove?path={quoted('中.txt')}")
        assert answer.status_code == HTTPStatus.NO_CONTENT
    assert list(workspace.iterdir()) == []


def test_a_link_is_deleted_and_not_what_it_leads_to(
    page: Client, url: str, workspace: Path
) -> None:
    (workspace.parent / "kept").mkdir()
    (workspace / "out").symlink_to(workspace.parent / "kept")
    page.post(f"{url}remove?path=out")
    assert (workspace.parent / "kept").is_dir() and not (workspace / "out").is_symlink()


@pytest.mark.parametrize("path", ["", ".", "..", "../other", "/", "a/.."])
def test_the_workspace_itself_is_not_deleted(
    page: Client, url: str, workspace: Path, path: str
) -> None:
    (workspace / "a.txt").touch()
    page.post(f"{url}remove?path={path}")
    assert (workspace / "a.txt").exists()


# A server that runs as root


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_upload_belongs_to_whom_the_folder_belongs(
    page: Client, url: str, workspace: Path
) -> None:
    os.chown(workspace, 12_345, 12_345)
    _upload(page, url, "a.txt")
    status = (workspace / "a.txt").stat()
    assert (status.st_uid, status.st_gid) == (12_345, 12_345)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_a_sandboxs_user_keeps_to_itself_can_be_downloaded(
    page: Client, url: str, workspace: Path
) -> None:
    (workspace / "a.txt").write_text("kept")
    (workspace / "a.txt").chmod(0o600)
    os.chown(workspace / "a.txt", 12_345, 12_345)
    assert body_of(page.get(f"{url}download?path=a.txt")) == b"kept"


# Subagents


def test_a_subagents_conversation_has_no_files_of_its_own(
    page: Client, conversation: Conversation
) -> None:
    turn = AConversation(conversation.owner).turn("Go", "Going")
    nested = AConversation(conversation.owner, parent_call=turn.trace.spans.first())
    assert page.get(f"{nested.url}files/").status_code == HTTPStatus.NOT_FOUND


# Bounds


def test_however_much_is_asked_for_a_page_stays_a_page() -> None:
    asked = [f"99999:{number}" for number in range(200)]
    opened = listing.read_opened(asked)
    assert len(opened) == MAX_OPEN_FOLDERS
    assert sum(opened.values()) < 10_000


@pytest.mark.parametrize("value", ["", "a", "x:a", "-1:a", "100000:a", "1e3:a"])
def test_what_is_no_open_folder_is_passed_over(value: str) -> None:
    assert listing.read_opened([value]) == {}


def test_the_panel_takes_the_same_queries_for_any_number_of_files(
    page: Client, url: str, workspace: Path
) -> None:
    with CaptureQueriesContext(connection) as few:
        page.get(url)
    for number in range(50):
        (workspace / f"{number}.txt").touch()
    with CaptureQueriesContext(connection) as many:
        page.get(url)
    assert len(few) == len(many) <= 4
