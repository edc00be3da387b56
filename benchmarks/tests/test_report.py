import json
from dataclasses import replace

from benchmarks.clients import Usage
from benchmarks.figures import Figures, Spread
from benchmarks.processes import Memory
from benchmarks.report import Machine, Point, Report, as_json, as_markdown, missed

FAST = Spread(p50=1.0, p95=2.0, p99=3.0, max=4.0)
FIGURES = Figures(
    streams=50,
    turns=50,
    failed=0,
    expected=10_000,
    lost=0,
    duplicated=0,
    reordered=0,
    seconds=6.0,
    client_cpu_ms=500.0,
    first_token=FAST,
    latency=FAST,
)
POINT = Point(
    FIGURES,
    Usage(1_500.0, Memory(350.0, 500.0), {"redis": 100.0, "python": 1_400.0}),
    100.0,
    FIGURES,
)
REPORT = Report(
    machine=Machine(2, "a processor", "Linux 6", "3.11", 0.1),
    rate=50,
    seconds=5.0,
    idle=Memory(300.0, 450.0),
    idle_cpu_ms_per_second=5.0,
    processes=5,
    points=[POINT],
)


def with_figures(**changes: object) -> Report:
    return replace(REPORT, points=[replace(POINT, figures=replace(FIGURES, **changes))])  # type: ignore[arg-type]  # fields of Figures


def test_cpu_is_a_thousand_tokens_that_arrived() -> None:
    assert POINT.cpu_per_1000 == 150.0
    assert POINT.floor_cpu_per_1000 == 50.0


def test_the_table_says_machine_product_and_floor() -> None:
    text = as_markdown(REPORT)
    assert "2 cores (a processor), Linux 6, Python 3.11" in text
    row = "| 50 | 1.0 / 2.0 | 1.00 / 2.00 / 3.00 | 0 / 0 / 0 | 0 of 50 | 150 ms | 350 MB |"
    assert f"{row} 1.0 / 2.0 | 1.00 / 2.00 / 3.00 | 50 ms |" in text


def test_the_share_of_each_process_is_told_most_first() -> None:
    assert "| `python` | 140 ms |\n| `redis` | 10 ms |" in as_markdown(REPORT)


def test_json_has_the_derived_figures_too() -> None:
    (row,) = json.loads(as_json(REPORT))["points"]
    assert (row["cpu_ms_per_1000_tokens"], row["floor_cpu_ms_per_1000_tokens"]) == (150.0, 50.0)


def test_a_good_report_misses_nothing() -> None:
    assert missed(REPORT) == []


def test_every_miss_has_a_sentence() -> None:
    slow = Spread(p50=9.0, p95=9.0, p99=9.0, max=9.0)
    assert missed(with_figures(lost=1, failed=2, first_token=slow, latency=slow)) == [
        "50 streams, 1 tokens lost, doubled or out of order: aim 0",
        "50 streams, 2 turns failed: aim 0",
        "50 streams, p95 9.0 ms: aim under 5",
        "50 streams, p50 9.0 ms: aim under 2",
        "50 streams, first token p50 9.0 ms: aim under 8",
    ]


def test_memory_and_cpu_have_aims() -> None:
    hungry = replace(POINT, usage=Usage(2_000.0, Memory(0, 0)))
    report = replace(REPORT, idle=Memory(401.0, 500.0), points=[hungry])
    assert missed(report) == [
        "50 streams, 200 ms of CPU: aim under 180",
        "idle memory 401 MB: aim under 400",
    ]


def test_a_report_without_floor_or_first_token_still_prints() -> None:
    point = replace(POINT, floor=None, figures=replace(FIGURES, first_token=None))
    assert "| 50 | - |" in as_markdown(replace(REPORT, points=[point]))
