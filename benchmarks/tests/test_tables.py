from benchmarks import summary, tables
from benchmarks.bench import faults

FIGURES = {
    "first.new_p50_ms": 12.345,
    "burst.10.cpu_per_1000_ms": 399.0,
    "burst.50.cpu_per_1000_ms": 1724.4,
    "burst.50.cpu_per_1000_ms.web": 251.0,
    "burst.50.lost_tokens": 0,
}


def test_a_part_is_a_table_of_figures_by_points() -> None:
    text = tables.matrices(FIGURES)
    assert "## burst\n\n|  | 10 | 50 |\n" in text
    assert "| cpu_per_1000_ms | 399 | 1,724 |\n" in text
    assert "| cpu_per_1000_ms.web |  | 251 |\n" in text
    assert "| new_p50_ms | 12.3 |" in text


def test_a_figure_has_three_digits() -> None:
    assert [tables.figure(one) for one in (0.123, 1.0, 12.34, 1234.5, None)] == [
        *["0.12", "1", "12.3", "1,234", ""]
    ]


def test_the_summary_has_what_was_measured_its_aim_and_what_misses_it() -> None:
    text = summary.as_markdown(FIGURES)
    assert "| 399 / 1,724 / – | 400 / 250 / 150 | burst.50.cpu_per_1000_ms |" in text
    assert "1,000 messages" not in text


def test_what_was_lost_or_failed_is_a_fault() -> None:
    lost: dict[str, float] = {
        "burst.1.wrong_tokens": 2,
        "burst.1.failed_turns": 0,
        "burst.1.floor.failed_turns": 9,
    }
    assert faults(lost) == ["burst.1.wrong_tokens: 2"]
