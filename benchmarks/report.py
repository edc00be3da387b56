"""The results of `benchmarks.run`, as a table and as JSON."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.clients import Usage
from benchmarks.figures import Figures, Spread
from benchmarks.processes import Memory

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Machine:
    """The machine of the run; `load` is its load average of one minute before the run."""

    cores: int
    processor: str
    system: str
    python: str
    load: float


@dataclass(frozen=True)
class Point:
    """The results for one number of streams: the product, its usage, and the floor."""

    figures: Figures
    usage: Usage
    stub_cpu_ms: float
    floor: Figures | None

    @property
    def cpu_per_1000(self) -> float:
        return _per_1000(self.usage.cpu_ms, self.figures)

    @property
    def floor_cpu_per_1000(self) -> float | None:
        return _per_1000(self.floor.client_cpu_ms, self.floor) if self.floor else None


@dataclass(frozen=True)
class Report:
    machine: Machine
    rate: int
    seconds: float
    idle: Memory
    idle_cpu_ms_per_second: float
    processes: int
    points: list[Point]


def _per_1000(cpu_ms: float, figures: Figures) -> float:
    return cpu_ms / max(figures.received, 1) * 1000


def machine() -> Machine:
    """This machine."""
    info = Path("/proc/cpuinfo").read_text()
    names = [line.partition(":")[2].strip() for line in info.splitlines() if "model name" in line]
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=names[0] if names else platform.machine(),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        load=os.getloadavg()[0],
    )


# --- the aims


def missed(report: Report) -> list[str]:
    """A line for each aim of the project that the report misses."""
    checks = [check for point in report.points for check in _checks(point)]
    checks.append((f"idle memory {report.idle.pss:.0f} MB", report.idle.pss, 400))
    return [
        f"{what}: aim {'0' if limit == 0 else f'under {limit:g}'}"
        for what, value, limit in checks
        if value > limit
    ]


def _checks(point: Point) -> list[tuple[str, float, float]]:
    """Checks of one point: a description, the value, and its upper bound."""
    figures, streams = point.figures, point.figures.streams
    wrong = figures.lost + figures.duplicated + figures.reordered
    checks = [
        (f"{streams} streams, {wrong} tokens lost, doubled or out of order", float(wrong), 0.0),
        (f"{streams} streams, {figures.failed} turns failed", float(figures.failed), 0.0),
    ]
    if figures.latency:
        checks += _latency_checks(streams, figures.latency)
    if figures.first_token and streams <= 50:
        p50 = figures.first_token.p50
        checks.append((f"{streams} streams, first token p50 {p50:.1f} ms", p50, 8))
    if streams in CPU_AIMS:
        cpu = point.cpu_per_1000
        checks.append((f"{streams} streams, {cpu:.0f} ms of CPU", cpu, CPU_AIMS[streams]))
    return checks


CPU_AIMS = {50: 180.0, 200: 120.0}
P95_AIMS = ((50, 5.0), (100, 20.0), (200, 100.0))


def _latency_checks(streams: int, latency: Spread) -> list[tuple[str, float, float]]:
    aim = next((aim for most, aim in P95_AIMS if streams <= most), None)
    checks = (
        [] if aim is None else [(f"{streams} streams, p95 {latency.p95:.1f} ms", latency.p95, aim)]
    )
    if streams <= 50:
        checks.append((f"{streams} streams, p50 {latency.p50:.1f} ms", latency.p50, 2.0))
    return checks


# --- output


def as_json(report: Report) -> str:
    rows = asdict(report)
    for row, point in zip(rows["points"], report.points, strict=True):
        row["cpu_ms_per_1000_tokens"] = point.cpu_per_1000
        row["floor_cpu_ms_per_1000_tokens"] = point.floor_cpu_per_1000
    return json.dumps({**rows, "missed": missed(report)}, indent=2) + "\n"


HEADINGS = (
    *("streams", "first token p50 / p95", "token latency p50 / p95 / p99"),
    *("lost / doubled / reordered", "failed turns", "CPU per 1,000", "memory"),
    *("floor: first token p50 / p95", "floor: latency p50 / p95 / p99", "floor: CPU per 1,000"),
)


def as_markdown(report: Report) -> str:
    """The table, with the conditions of the measurement."""
    here = report.machine
    lines = [
        "# Roundtrip under load",
        "",
        f"{here.cores} cores ({here.processor}), {here.system}, Python {here.python}. The stub "
        "model endpoint, the product and the load client share them. Load average before: "
        f"{here.load:.1f}.",
        "",
        f"Streams of {report.rate} tokens a second for {report.seconds:g} s, all begun within one "
        "second, each over a websocket of its own user. Times are milliseconds. CPU is that of "
        "all processes of the product (the floor: of its one process), memory their PSS.",
        "",
        f"Idle: {report.processes} processes, {report.idle.pss:.0f} MB PSS "
        f"({report.idle.rss:.0f} MB RSS), {report.idle_cpu_ms_per_second:.0f} ms of CPU a second.",
        "",
        _row(HEADINGS),
        _row(["---"] * len(HEADINGS)),
        *(_row(_cells(point)) for point in report.points),
        "",
        "The floor is the openai client straight to the stub, typed streaming, nothing else.",
        "",
        *_shares(report.points[-1]),
        "",
        *(f"- Missed: {sentence}." for sentence in missed(report)),
        *(f"- Error: {error}" for point in report.points for error in point.figures.errors),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(point: Point) -> list[str]:
    figures, floor = point.figures, point.floor
    floor_cpu = point.floor_cpu_per_1000
    return [
        str(figures.streams),
        _first(figures.first_token),
        _latency(figures.latency),
        f"{figures.lost} / {figures.duplicated} / {figures.reordered}",
        f"{figures.failed} of {figures.turns}",
        f"{point.cpu_per_1000:.0f} ms",
        f"{point.usage.memory.pss:.0f} MB",
        _first(floor.first_token) if floor else "",
        _latency(floor.latency) if floor else "",
        f"{floor_cpu:.0f} ms" if floor_cpu is not None else "",
    ]


def _shares(point: Point) -> list[str]:
    """A table of the CPU of each process, the largest first."""
    used = sorted(point.usage.by_command.items(), key=lambda item: -item[1])
    rows = [_row([f"`{name[:60]}`", f"{_per_1000(ms, point.figures):.0f} ms"]) for name, ms in used]
    heading = f"process, at {point.figures.streams} streams"
    return [_row([heading, "CPU per 1,000"]), _row(["---", "---"]), *rows]


def _first(spread: Spread | None) -> str:
    return f"{spread.p50:.1f} / {spread.p95:.1f}" if spread else "-"


def _latency(spread: Spread | None) -> str:
    return f"{spread.p50:.2f} / {spread.p95:.2f} / {spread.p99:.2f}" if spread else "-"


def write(report: Report, folder: Path = RESULTS) -> None:
    """Write `load.json` and `load.md`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "load.json").write_text(as_json(report))
    (folder / "load.md").write_text(as_markdown(report))
