import pytest

from limits import page, words
from limits.table import Entry, Limit, Value


def test_the_docs_have_the_limits_of_the_code() -> None:
    text = page.FILE.read_text()
    assert page.updated(text) == text, "run `python -m limits` to update docs/operations.md"


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (8 * 1024 * 1024, "bytes", "8 MiB"),
        (10_000_000, "bytes", "10 MB"),
        (1_025, "bytes", "1,025 bytes"),
        (1024 * 1024, "bytes a second", "1 MiB a second"),
        (300.0, "seconds", "5 minutes"),
        (3_600, "seconds", "1 hour"),
        (90.0, "seconds", "90 seconds"),
        (0.25, "seconds", "0.25 seconds"),
        (1_000, "rows", "1,000 rows"),
        (1, "requests a second", "1 request a second"),
        (10**15, "", "1,000,000,000,000,000"),
    ],
)
def test_a_value_is_written_for_people(value: Value, unit: str, expected: str) -> None:
    assert words.value(Entry("MAX_X", value, Limit(unit, "", ""))) == expected
