import re
from datetime import date

from config import release
from tests.packaging.requirements import ROOT

HEADING = re.compile(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", re.MULTILINE)


def headings() -> list[tuple[str, str]]:
    return HEADING.findall((ROOT / "CHANGELOG.md").read_text())


def test_every_heading_of_the_changelog_is_a_version_with_its_day() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert len(headings()) == text.count("\n## ") >= 2


def test_the_newest_release_of_the_changelog_is_the_version_of_the_product() -> None:
    assert headings()[0][0] == release.version()


def test_releases_are_in_order() -> None:
    days = [date.fromisoformat(day) for _, day in headings()]
    numbers = [tuple(map(int, version.split("."))) for version, _ in headings()]

    assert days == sorted(days, reverse=True)
    assert numbers == sorted(numbers, reverse=True)
