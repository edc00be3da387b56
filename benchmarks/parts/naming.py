"""Names of figures that several parts measure."""

from benchmarks.figures import Figures, Spread
from benchmarks.site import Run


def spread(name: str, values: Spread | None, *percentiles: str) -> dict[str, float]:
    """The percentiles as `NAME_p50_ms` …; none without values."""
    chosen = percentiles or ("p50", "p95", "p99")
    return {f"{name}_{one}_ms": getattr(values, one) for one in chosen} if values else {}


def shares(name: str, by_process: dict[str, float]) -> dict[str, float]:
    """The sum as NAME, and the share of each process that has one as `NAME.PROCESS`."""
    used = {f"{name}.{process}": value for process, value in by_process.items() if value}
    return {name: sum(by_process.values()), **used} if by_process else {}


def faults(name: str, figures: Figures) -> dict[str, float]:
    """Turns that failed, and tokens that were lost, doubled or out of order."""
    wrong = figures.lost + figures.duplicated + figures.reordered
    return {f"{name}.failed_turns": figures.failed, f"{name}.wrong_tokens": wrong}


def cpu_per_1000(name: str, run: Run) -> dict[str, float]:
    return shares(f"{name}.cpu_per_1000_ms", run.cpu_per_1000)
