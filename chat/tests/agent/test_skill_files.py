"""Front matter and the files of a skill's folder: what is read, what is a problem."""

import os
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.agent import skill_files
from chat.agent.skill_files import Part, SkillFile
from tests.slowness import slowness

GOOD = "---\nname: sums\ndescription: Adds numbers.\n---\n\n# How\n\nAdd them.\n"


def read(folder: Path, text: str | bytes) -> SkillFile:
    folder.mkdir(exist_ok=True)
    (folder / "SKILL.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return skill_files.read(folder)


def test_a_skill_is_its_front_matter_and_its_body(tmp_path: Path) -> None:
    found = read(tmp_path / "a", GOOD)
    assert (found.name, found.description) == ("sums", "Adds numbers.")
    assert (found.body, found.problem, found.warning) == ("# How\n\nAdd them.", "", "")


def test_without_a_name_it_has_its_folder_s(tmp_path: Path) -> None:
    assert read(tmp_path / "adding", "---\ndescription: Adds.\n---\n").name == "adding"


def test_an_unquoted_colon_is_read_all_the_same_and_reported(tmp_path: Path) -> None:
    found = read(tmp_path / "a", "---\nname: sums\ndescription: Adds: numbers, say\n---\nbody")
    assert (found.name, found.description, found.problem) == ("sums", "Adds: numbers, say", "")
    assert "split at the first colon" in found.warning


def test_a_byte_order_mark_and_windows_lines_are_read(tmp_path: Path) -> None:
    found = read(tmp_path / "a", b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert (found.name, found.body) == ("sums", "# How\n\nAdd them.")


def test_chinese_names_and_descriptions_are_as_good_as_any(tmp_path: Path) -> None:
    found = read(tmp_path / "a", "---\nname: 报表\ndescription: 生成每月的报表。\n---\n内容")
    assert (found.name, found.description, found.problem) == ("报表", "生成每月的报表。", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# Only a body", "does not begin with front matter"),
        ("---\nname: sums\n", "does not begin with front matter"),
        ("---\nname: sums\n---\nbody", "No description"),
        ("---\nname: ../../etc\ndescription: d\n---\n", "cannot be used"),
        ('---\nname: "a\\"b"\ndescription: d\n---\n', "cannot be used"),
        (f"---\nname: {'n' * 65}\ndescription: d\n---\n", "cannot be used"),
        (b"---\nname: \xff\n---\n", "no text in UTF-8"),
        (b"a" * 500_001, "more than 500,000 bytes"),
    ],
)
def test_what_cannot_be_used_is_a_problem(tmp_path: Path, text: str | bytes, problem: str) -> None:
    assert problem in read(tmp_path / "a", text).problem


@pytest.mark.parametrize(
    "value", ["[" * 15_000, "{" * 15_000, "- " * 9_000, "? " * 9_000, "[" * 150 + "]" * 150]
)
def test_front_matter_that_goes_deep_is_not_parsed_for_minutes(tmp_path: Path, value: str) -> None:
    started = time.process_time()
    found = read(tmp_path / "a", f"---\nname: sums\ndescription: d\nmore: {value}\n---\nbody")
    assert (found.name, found.description) == ("sums", "d")
    assert time.process_time() - started < 2 * slowness()


def test_a_long_description_is_cut_and_that_is_reported(tmp_path: Path) -> None:
    found = read(tmp_path / "a", f"---\nname: sums\ndescription: {'d' * 2_000}\n---\n")
    assert (len(found.description), found.problem) == (1_024, "")
    assert "was cut" in found.warning


def test_a_value_that_refers_to_itself_again_and_again_is_no_text(tmp_path: Path) -> None:
    bomb = "".join(f"{a}: &{a} [*{b},*{b},*{b}]\n" for b, a in pairwise("abcdefghijk"))
    found = read(tmp_path / "a", f"---\na: &a [x,x]\n{bomb}name: *k\ndescription: *k\n---\n")
    assert (found.name, "No description" in found.problem) == ("a", True)


def test_a_skill_file_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(GOOD)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").symlink_to(tmp_path / "secret")
    assert "it is a link" in skill_files.read(tmp_path / "a").problem


@given(head=st.text(), body=st.text())
def test_no_front_matter_makes_reading_fail(
    tmp_path_factory: pytest.TempPathFactory, head: str, body: str
) -> None:
    text = f"---\n{head}\n---\n{body}".encode(errors="surrogatepass")
    found = read(tmp_path_factory.mktemp("skill") / "a", text)
    assert found.problem or (found.name and found.description)
    found.description.encode()  # can be stored


@given(st.binary(max_size=300))
def test_no_bytes_make_reading_fail(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    assert isinstance(read(tmp_path_factory.mktemp("skill") / "a", content), SkillFile)


def test_folders_are_found_recursively_and_a_skill_in_a_skill_is_its_part(tmp_path: Path) -> None:
    for name in ("b/c", "a", "a/inner", ".git/x"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "SKILL.md").write_text(GOOD)
    found = skill_files.find(tmp_path, 100)
    assert (found.folders, found.closed) == ([tmp_path / "a", tmp_path / "b" / "c"], [])


def test_no_more_folders_are_looked_at_than_was_said(tmp_path: Path) -> None:
    for name in "abc":
        read(tmp_path / name, GOOD)
    found = skill_files.find(tmp_path, 3)
    assert found.folders == [tmp_path / "a", tmp_path / "b"]
    assert found.closed == [(str(tmp_path), "Only the first 3 folders in it were looked at.")]


def test_a_folder_that_cannot_be_looked_at_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    (closed,) = skill_files.find(missing, 3).closed
    assert closed == (str(missing), "It cannot be read: No such file or directory.")


def test_the_files_beside_it_are_listed_without_links(tmp_path: Path) -> None:
    read(tmp_path, GOOD)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "run.sh").write_text("echo")
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert skill_files.parts(tmp_path) == [Part("scripts/run.sh", 4)]


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "link", "out/secret", "", "a\0b", "."]
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("secret")
    read(tmp_path / "a", GOOD)
    (tmp_path / "a" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "a" / "out").symlink_to(tmp_path)
    with pytest.raises(FileNotFoundError):
        skill_files.part_bytes(tmp_path / "a", name, 100)


def test_a_named_pipe_is_no_file_and_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError):
        skill_files.part_bytes(tmp_path, "pipe", 100)
