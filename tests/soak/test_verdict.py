"""A planted leak is found, whatever noise there is; noise, a peak and filling caches are not."""

import random
from pathlib import Path

import pytest

from tests.soak import samples
from tests.soak.plot import draw
from tests.soak.samples import Row
from tests.soak.verdict import judge, render

MINUTES, STEP = 30.0, 5 / 60
LEVELS: Row = {
    "web_mb": 90.0,
    "web_descriptors": 60.0,
    "web_threads": 20.0,
    "processes": 9.0,
    "redis_mb": 6.0,
    "redis_keys": 200.0,
    "redis_clients": 12.0,
    "wal_mb": 4.0,
}
# As much as somebody would have to notice.
LEAKS_AN_HOUR: Row = {
    "web_mb": 30.0,
    "web_descriptors": 60.0,
    "web_threads": 24.0,
    "processes": 12.0,
    "redis_mb": 30.0,
    "redis_keys": 600.0,
    "redis_clients": 24.0,
    "wal_mb": 40.0,
}


def series(**an_hour: float) -> list[Row]:
    """Half an hour of samples with noise, in which these figures grow by so much an hour."""
    chance = random.Random(5)
    rows: list[Row] = []
    for place in range(int(MINUTES / STEP)):
        minutes = place * STEP
        row = {"minutes": minutes, "turns": place * 3.0, "database_mb": place * 0.09}
        for name, level in LEVELS.items():
            noise = chance.gauss(0, level * 0.02)
            row[name] = level + noise + an_hour.get(name, 0) * minutes / 60
        rows.append(row)
    return rows


def growing(rows: list[Row]) -> list[str]:
    return [verdict.name for verdict in judge(rows) if not verdict.is_flat]


def test_a_flat_series_with_noise_grows_nowhere() -> None:
    assert growing(series()) == []


@pytest.mark.parametrize("name", LEAKS_AN_HOUR)
def test_a_leak_is_found_in_its_figure_alone(name: str) -> None:
    rows = series(**{name: LEAKS_AN_HOUR[name]})
    assert growing(rows) == [name]
    assert f"{name:22}" in next(
        line for line in render(judge(rows)).splitlines() if "GROWS" in line
    )


def test_a_database_whose_turns_grow_is_found() -> None:
    rows = series()
    for place, row in enumerate(rows):
        row["database_mb"] = (place**2) * 0.002
    assert growing(rows) == ["kb_a_turn"]


def test_warming_up_and_a_peak_are_no_leak() -> None:
    rows = series()
    for row in rows:
        row["web_mb"] += min(row["minutes"] * 5, 45)
    for row in rows[250:270]:
        row["web_mb"] += 80
        row["web_descriptors"] += 200
    assert growing(rows) == []


def test_too_few_samples_are_no_verdict() -> None:
    with pytest.raises(ValueError, match="too few"):
        judge(series()[:5])


def test_samples_come_back_from_their_file_and_are_drawn(tmp_path: Path) -> None:
    rows = series()
    samples.write(rows, tmp_path / "soak.csv")
    again = samples.read(tmp_path / "soak.csv")
    assert len(again) == len(rows)
    assert again[7]["web_mb"] == pytest.approx(rows[7]["web_mb"], abs=1e-3)
    draw(again, judge(again), tmp_path / "soak.svg")
    assert "</svg>" in (tmp_path / "soak.svg").read_text()
