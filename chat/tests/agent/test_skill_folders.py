"""Where skills are found, which of two counts, and what the rows keep."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from chat.agent import skill_folders
from chat.agent.skill_folders import Kind
from chat.models import Skill

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(settings: Any, tmp_path: Path) -> Path:
    """The operator's folder, and a home without uploads."""
    settings.HOME, settings.SKILLS_DIR = tmp_path / "home", str(tmp_path / "own")
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def write(folder: Path, name: str, description: str = "Does it.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\nDo it.")
    return folder


def row(name: str) -> Skill:
    return Skill.objects.get(name=name)


def test_what_ships_is_found(own: Path) -> None:
    found = skill_folders.refresh()
    assert [one.kind for one in found.skills.values()] == [Kind.BUNDLED]
    assert skill_folders.kind_of(row("hello-world")) == Kind.BUNDLED
    assert (row("hello-world").problem, found.left_out) == ("", [])


def test_the_operator_s_folder_counts_before_uploads_and_both_before_what_ships(own: Path) -> None:
    write(own / "x", "mine")
    write(skill_folders.uploads() / "x", "mine")
    write(skill_folders.uploads() / "y", "hello-world")
    found = skill_folders.refresh()
    kinds = {name: one.kind for name, one in found.skills.items()}
    assert kinds == {"mine": Kind.FOLDER, "hello-world": Kind.UPLOADED}
    assert [one.name for one in found.left_out] == ["mine", "hello-world"]
    assert str(own / "x") in found.left_out[0].why


def test_of_two_in_one_folder_the_first_path_counts(own: Path) -> None:
    write(own / "b", "same", "Second.")
    write(own / "a", "same", "First.")
    skill_folders.refresh()
    assert row("same").description == "First."


def test_a_broken_one_does_not_stand_in_the_way_of_one_that_works(own: Path) -> None:
    write(own / "a", "same", "")
    write(own / "b", "same", "Works.")
    found = skill_folders.refresh()
    assert row("same").description == "Works."
    assert "No description" in found.left_out[0].why


def test_a_broken_one_is_kept_with_its_problem(own: Path) -> None:
    write(own / "broken", "broken", "")
    skill_folders.refresh()
    assert "No description" in row("broken").problem


def test_a_file_that_changed_is_read_again(own: Path) -> None:
    write(own / "a", "one", "Before.")
    skill_folders.refresh()
    write(own / "a", "one", "Afterwards.")
    skill_folders.refresh()
    assert row("one").description == "Afterwards."


def test_a_scan_without_news_writes_nothing(own: Path) -> None:
    skill_folders.refresh()
    found = row("hello-world").found
    skill_folders.refresh()
    assert row("hello-world").found == found


def test_what_is_gone_is_forgotten(own: Path) -> None:
    write(own / "a", "gone")
    skill_folders.refresh()
    shutil.rmtree(own / "a")
    skill_folders.refresh()
    assert not Skill.objects.filter(name="gone").exists()


def test_what_was_switched_off_is_off_when_its_folder_comes_back(own: Path) -> None:
    write(own / "a", "off")
    skill_folders.refresh()
    Skill.objects.filter(name="off").update(enabled=False)
    (own / "a").rename(own.parent / "a")
    skill_folders.refresh()
    assert row("off").problem == skill_folders.GONE
    (own.parent / "a").rename(own / "a")
    skill_folders.refresh()
    assert (row("off").enabled, row("off").problem) == (False, "")


def test_a_folder_that_is_not_there_is_reported(own: Path) -> None:
    own.rmdir()
    assert skill_folders.scan().left_out[0].why == "SKILLS_DIR is no folder."


def test_a_path_that_is_no_text_is_a_problem(own: Path) -> None:
    write(own / "ab\udcff", "")
    found = skill_folders.refresh()
    assert any("not UTF-8" in one.file.problem for one in found.skills.values())
