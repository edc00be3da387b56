"""Archives that attack: each is refused with what it was, and nothing is written."""

import io
import stat
import zipfile
from pathlib import PurePosixPath
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given
from hypothesis import strategies as st

from chat.errors import Rejected
from chat.skills import archives

MOST = 100_000
SKILL = "---\nname: mine\ndescription: Does it.\n---\n"


def packed(files: dict[str, Any], mode: int = 0, packing: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    """An archive of these files; all but `SKILL.md` have this mode."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", packing) as writing:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = packing
            entry.external_attr = (mode if name != "SKILL.md" else 0o644) << 16
            writing.writestr(entry, content)
    archive.seek(0)
    return archive


def refused(archive: io.BytesIO, most: int = MOST) -> str:
    with pytest.raises(Rejected) as caught:
        archives.from_zip(archive, most)
    return str(caught.value)


def with_skill(**files: Any) -> dict[str, Any]:
    return {"SKILL.md": SKILL, **files}


@pytest.mark.parametrize(
    "name",
    ["../outside", "a/../../outside", "/etc/passwd", "..\\outside", "C:\\outside", "C:outside"],
)
def test_a_path_that_leads_outside_is_refused(name: str) -> None:
    assert "is outside of the skill's folder" in refused(packed(with_skill(**{name: "x"})))


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31mb", "a\u202eb"])
def test_a_name_that_hides_something_is_refused(name: str) -> None:
    assert "not a valid file name" in refused(packed(with_skill(**{name: "x"})))


def test_a_link_is_refused() -> None:
    archive = packed(with_skill(link="/etc/passwd"), mode=stat.S_IFLNK | 0o777)
    assert "is a link" in refused(archive)


def test_a_device_is_refused() -> None:
    archive = packed(with_skill(pipe=""), mode=stat.S_IFIFO | 0o777)
    assert "not a regular file" in refused(archive)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    archive = packed(with_skill(zeros=b"\0" * 50_000_000))
    assert len(archive.getvalue()) < MOST
    assert "100.0 KB, the most" in refused(archive)


def test_files_that_are_small_each_count_together() -> None:
    many = {f"part{number}": b"\0" * 30_000 for number in range(4)}
    assert "100.0 KB, the most" in refused(packed(with_skill(**many)))


def test_what_is_packed_so_that_it_may_burst_at_once_is_refused() -> None:
    archive = packed({"SKILL.md": SKILL}, packing=zipfile.ZIP_BZIP2)
    assert "not packed by deflate" in refused(archive)


def test_an_archive_that_lies_about_sizes_is_refused() -> None:
    archive = packed(with_skill(zeros=b"\0" * 1_000_000))
    lying = archive.getvalue().replace((1_000_000).to_bytes(4, "little"), b"\x01\0\0\0")
    refused(io.BytesIO(lying))


def test_too_many_files_are_refused() -> None:
    many = {f"part{number}": "" for number in range(500)}
    assert "at most 500 files" in refused(packed(with_skill(**many)))


def test_too_many_entries_are_refused_before_they_are_read() -> None:
    many = {f"folder{number}/": "" for number in range(5_001)}
    assert "more than 5,000 entries" in refused(packed(many))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "SKILL.md is missing"),
        ({"a/readme.md": "x"}, "SKILL.md is missing"),
        ({"a/SKILL.md": SKILL, "b/SKILL.md": SKILL}, "2 files SKILL.md"),
        ({"a/SKILL.md": SKILL, "a/b/SKILL.md": SKILL}, "2 files SKILL.md"),
        ({"a/SKILL.md": SKILL, "b/c": "x"}, "beside the skill's folder"),
        ({"SKILL.md": SKILL, "a": "x", "a/b": "x"}, "there twice"),
        ({"SKILL.md": SKILL, "/".join("abcdefghijkl"): "x"}, "too long"),
        ({"SKILL.md": SKILL, "é" * 101: "x"}, "too long"),
    ],
)
def test_what_is_no_skill_is_refused(files: dict[str, str], said: str) -> None:
    assert said in refused(packed(files))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writing:
        for name in ("SKILL.md", "a", "a"):
            writing.writestr(name, SKILL)
    archive.seek(0)
    assert "there twice" in refused(archive)


def test_an_encrypted_archive_is_refused() -> None:
    archive = bytearray(packed({"SKILL.md": SKILL}).getvalue())
    archive[archive.rindex(b"PK\x01\x02") + 8] |= 1
    archive[6] |= 1
    assert "encrypted" in refused(io.BytesIO(bytes(archive)))


def test_what_is_no_archive_is_refused() -> None:
    assert "no zip archive" in refused(io.BytesIO(b"nothing of that kind"))


def test_what_systems_leave_in_archives_is_left_out() -> None:
    noise = {"a/.DS_Store": "x", "__MACOSX/a/._SKILL.md": "x"}
    bundle = archives.from_zip(packed({"a/SKILL.md": SKILL, **noise}), MOST)
    assert (bundle.folder, [str(one.path) for one in bundle.entries]) == ("a", ["SKILL.md"])


def test_a_skill_may_lie_deep_in_an_archive() -> None:
    bundle = archives.from_zip(packed({"a/b/SKILL.md": SKILL, "a/b/c/d": "x"}), MOST)
    assert bundle.folder == "b"
    assert [one.path for one in bundle.entries] == [PurePosixPath("SKILL.md"), PurePosixPath("c/d")]


@given(st.data())
def test_no_damage_to_an_archive_makes_reading_fail(data: st.DataObject) -> None:
    whole = bytearray(packed(with_skill(a="x" * 100)).getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        archives.from_zip(io.BytesIO(bytes(whole)), MOST)
    except Rejected as error:
        assert str(error)


@pytest.mark.parametrize("name", ["../SKILL.md", "/SKILL.md", "a\0/SKILL.md"])
def test_paths_of_a_folder_are_no_better(name: str) -> None:
    files = [SimpleUploadedFile("SKILL.md", SKILL.encode())]
    with pytest.raises(Rejected):
        archives.from_files(files, [name], MOST)


def test_files_without_their_paths_are_refused() -> None:
    files = [SimpleUploadedFile("SKILL.md", SKILL.encode())]
    with pytest.raises(Rejected, match="Choose the folder again"):
        archives.from_files(files, [], MOST)


def test_a_folder_that_is_too_large_is_refused() -> None:
    files = [SimpleUploadedFile("SKILL.md", b"x" * (MOST + 1))]
    with pytest.raises(Rejected, match="the most that a skill may have"):
        archives.from_files(files, ["a/SKILL.md"], MOST)
