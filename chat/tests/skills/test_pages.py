"""The admin's pages of skills: the list, a skill, what is added, switched and removed."""

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from chat.agent import skill_folders
from chat.models import Skill
from chat.tests.builders import a_user

pytestmark = pytest.mark.django_db

HEAD = "---\nname: {}\ndescription: {}\n---\n"


@pytest.fixture(autouse=True)
def own(settings: Any, tmp_path: Path) -> Path:
    settings.HOME, settings.SKILLS_DIR = tmp_path / "home", str(tmp_path / "own")
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(a_user("admin", is_staff=True, is_superuser=True))
    return client


def write(folder: Path, name: str, description: str = "Does it.", body: str = "Do it.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(HEAD.format(name, description) + body)
    return folder


def packed(files: dict[str, str]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writing:
        for name, content in files.items():
            writing.writestr(name, content)
    return archive.getvalue()


def upload(client: Client, content: bytes, name: str = "skill.zip") -> Any:
    return client.post(reverse("skills:add"), {"archive": SimpleUploadedFile(name, content)})


def page(client: Client, name: str, query: str = "") -> str:
    skill = Skill.objects.get(name=name)
    return client.get(reverse("skills:skill", args=[skill.public_id]) + query).content.decode()


def row(name: str) -> Skill:
    return Skill.objects.get(name=name)


def test_the_list_shows_where_each_comes_from_and_what_is_wrong(admin: Client, own: Path) -> None:
    write(own / "a", "mine", "Writes <b>reports</b>.")
    write(own / "b", "broken", "")
    shown = admin.get(reverse("skills:index")).content.decode()
    assert "Writes &lt;b&gt;reports&lt;/b&gt;." in shown
    assert "No description. A model needs one" in shown
    assert "ships with Roundtrip" in shown and "folder" in shown


def test_the_list_names_what_was_left_out(admin: Client, own: Path) -> None:
    write(own / "a", "same")
    write(own / "b", "same")
    shown = admin.get(reverse("skills:index")).content.decode()
    assert "Left out" in shown and str(own / "b") in shown


def test_a_page_that_is_looked_at_again_asks_no_more(
    admin: Client, own: Path, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        write(own / str(number), f"skill {number}")
    admin.get(reverse("skills:index"))
    with django_assert_max_num_queries(14):
        admin.get(reverse("skills:index"))


@pytest.mark.parametrize("name", ["index", "add"])
def test_only_admins_see_skills(client: Client, name: str) -> None:
    client.force_login(a_user("somebody"))
    assert client.get(reverse(f"skills:{name}")).status_code == 403


@pytest.mark.parametrize("name", ["switch", "remove"])
def test_only_admins_change_skills(client: Client, name: str) -> None:
    skill_folders.refresh()
    address = reverse(f"skills:{name}", args=[row("hello-world").public_id])
    client.force_login(a_user("somebody"))
    assert client.post(address).status_code == 403
    client.logout()
    assert "login" in client.post(address)["Location"]
    assert row("hello-world").enabled


def test_a_skill_is_switched_off_and_on(admin: Client) -> None:
    skill_folders.refresh()
    address = reverse("skills:switch", args=[row("hello-world").public_id])
    admin.post(address, {"on": "0"})
    assert not row("hello-world").enabled
    admin.post(address, {"on": "1"})
    assert row("hello-world").enabled


def test_a_page_shows_the_instructions_rendered_and_raw(admin: Client, own: Path) -> None:
    write(own / "a", "mine", body="# How\n\n<script>alert(1)</script> *well*")
    admin.get(reverse("skills:index"))
    shown = page(admin, "mine")
    assert "<em>well</em>" in shown and "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; *well*" in shown


def test_a_file_of_a_skill_is_shown(admin: Client, own: Path) -> None:
    folder = write(own / "a", "mine")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "run it.sh").write_text("echo 你好 <b>")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\xff")
    admin.get(reverse("skills:index"))
    assert "echo 你好 &lt;b&gt;" in page(admin, "mine", "?file=scripts/run%20it.sh")
    assert "This is not a text file." in page(admin, "mine", "?file=picture.png")


def test_nothing_beside_a_skill_is_shown_or_given_out(admin: Client, own: Path) -> None:
    (own / "secret.txt").write_text("the secret")
    folder = write(own / "a", "mine")
    (folder / "link.txt").symlink_to(own / "secret.txt")
    admin.get(reverse("skills:index"))
    for name in ("../secret.txt", str(own / "secret.txt"), "link.txt"):
        assert "does not have this file" in page(admin, "mine", f"?file={name}")
        address = reverse("skills:download", args=[row("mine").public_id])
        assert admin.get(address, {"file": name}).status_code == 404


def test_a_file_is_downloaded_as_it_is_and_never_run_as_a_page(admin: Client, own: Path) -> None:
    (write(own / "a", "mine") / "page.html").write_text("<script>1</script>")
    skill_folders.refresh()
    address = reverse("skills:download", args=[row("mine").public_id])
    answer: Any = admin.get(address, {"file": "page.html"})
    assert b"".join(answer.streaming_content) == b"<script>1</script>"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == 'attachment; filename="page.html"'


def test_an_archive_becomes_a_skill(admin: Client) -> None:
    files = {"mine/SKILL.md": HEAD.format("my skill", "Does it."), "mine/scripts/run": "#!/bin/sh"}
    answer = upload(admin, packed(files))
    assert answer.status_code == 302
    kept = skill_folders.uploads() / "my skill"
    assert row("my skill").uploaded and row("my skill").source == str(kept)
    assert [(kept / name).stat().st_mode & 0o777 for name in ("SKILL.md", "scripts/run")] == [
        0o644,
        0o755,
    ]


def test_the_sandbox_may_read_what_a_careful_server_wrote(admin: Client) -> None:
    before = os.umask(0o077)
    try:
        upload(admin, packed({"SKILL.md": HEAD.format("mine", "Does it."), "a/b/c": "x"}))
    finally:
        os.umask(before)
    folder = skill_folders.uploads() / "mine"
    places = [folder, folder / "a", folder / "a/b", folder / "a/b/c"]
    assert [path.stat().st_mode & 0o777 for path in places] == [0o755, 0o755, 0o755, 0o644]


def test_an_archive_without_a_folder_is_named_after_its_file(admin: Client) -> None:
    upload(admin, packed({"SKILL.md": "---\ndescription: Does it.\n---\n"}), "报表.zip")
    assert row("报表").problem == ""


def test_a_folder_s_files_become_a_skill(admin: Client) -> None:
    text = HEAD.format("mine", "Does it.")
    files = [SimpleUploadedFile("SKILL.md", text.encode()), SimpleUploadedFile("a.md", b"a")]
    paths = ["folder/SKILL.md", "folder/references/a.md"]
    given = {"folder": "1", "files": files, "path": paths}
    assert admin.post(reverse("skills:add"), given).status_code == 302
    assert (skill_folders.uploads() / "mine" / "references" / "a.md").read_text() == "a"


def test_front_matter_that_is_no_yaml_is_told_and_taken(admin: Client) -> None:
    text = "---\nname: mine\ndescription: Does: it\n---\n"
    answer = upload(admin, packed({"SKILL.md": text}))
    assert row("mine").description == "Does: it"
    shown = admin.get(answer["Location"]).content.decode()
    assert "split at the first colon" in shown


@pytest.mark.parametrize("name", ["hello-world", "mine"])
def test_a_name_that_is_taken_is_refused(admin: Client, own: Path, name: str) -> None:
    write(own / "a", "mine")
    answer = upload(admin, packed({"SKILL.md": HEAD.format(name, "Other.")}))
    assert answer.status_code == 422
    assert f"There is a skill “{name}” already" in answer.content.decode()
    assert list(skill_folders.uploads().iterdir()) == []


def test_a_skill_that_could_not_be_offered_is_refused_and_nothing_is_kept(admin: Client) -> None:
    answer = upload(admin, packed({"SKILL.md": "---\nname: mine\n---\n"}))
    assert "No description. A model needs one" in answer.content.decode()
    assert list(skill_folders.uploads().iterdir()) == []


def test_nothing_chosen_is_told(admin: Client) -> None:
    for given in ({}, {"folder": "1"}):
        answer = admin.post(reverse("skills:add"), given)
        assert (
            answer.status_code,
            "Choose a zip archive or a folder" in answer.content.decode(),
        ) == (422, True)


def test_an_uploaded_skill_is_removed_with_its_files(admin: Client) -> None:
    upload(admin, packed({"SKILL.md": HEAD.format("mine", "Does it.")}))
    admin.post(reverse("skills:remove", args=[row("mine").public_id]))
    assert not Skill.objects.filter(name="mine").exists()
    assert list(skill_folders.uploads().iterdir()) == []


def test_what_ships_and_the_operator_s_own_cannot_be_removed(admin: Client, own: Path) -> None:
    write(own / "a", "mine")
    skill_folders.refresh()
    for name in ("hello-world", "mine"):
        admin.post(reverse("skills:remove", args=[row(name).public_id]))
        assert Path(row(name).source, "SKILL.md").exists()


def test_a_skill_whose_folder_is_gone_has_a_page_that_says_so(admin: Client, own: Path) -> None:
    write(own / "a", "mine")
    skill_folders.refresh()
    Skill.objects.filter(name="mine").update(enabled=False)
    (own / "a").rename(own.parent / "away")
    assert skill_folders.GONE in page(admin, "mine", "?file=SKILL.md")


def test_scanning_again_finds_what_is_new(admin: Client, own: Path) -> None:
    write(own / "a", "mine")
    answer = admin.post(reverse("skills:scan"), follow=True)
    assert "2 skills found." in answer.content.decode()
