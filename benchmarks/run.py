"""`make bench`: the product under load beside the floor, on this machine.

    python -m benchmarks.run                    1, 10, 50, 100 and 200 streams
    python -m benchmarks.run --only 50 --seconds 10

Writes `benchmarks/results/load.json` and `load.md`; ends with 1 if a token was lost or a turn
failed, with 2 if the product did not start.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks.clients import Meter, run
from benchmarks.figures import Figures
from benchmarks.measuring import Plan
from benchmarks.processes import Memory, memory
from benchmarks.product import DidNotStart, Product, running_product
from benchmarks.report import Point, Report, as_json, as_markdown, machine, write
from benchmarks.stub import StubProcess, stub_process

STREAMS = (1, 10, 50, 100, 200)
# With fewer streams there are too few first tokens; they are measured by `PROBES` short turns.
FEW = 10
PROBES = 20
PROBE_TOKENS = 3
WARM_UP = Plan(streams=FEW, tokens=25)
IDLE_SECONDS = 3.0


@dataclass(frozen=True)
class Load:
    """The load of each stream: tokens a second, for so many seconds."""

    rate: int
    seconds: float

    @property
    def tokens(self) -> int:
        """Tokens of one turn."""
        return round(self.rate * self.seconds)

    def model(self, tokens: int) -> str:
        return f"stub-r{self.rate}-n{tokens}"

    @property
    def models(self) -> list[str]:
        return [self.model(tokens) for tokens in (PROBE_TOKENS, WARM_UP.tokens, self.tokens)]

    def measure(self, streams: int, client: Callable[[Plan], Figures]) -> Figures:
        """The figures of one run; with fewer than `FEW` streams, first tokens are from probes."""
        figures = client(Plan(streams, self.tokens))
        if streams >= FEW:
            return figures
        probes = client(Plan(streams, PROBE_TOKENS, turns=PROBES))
        return replace(figures, first_token=probes.first_token)


class UnderLoad:
    """A product with the users and models that the load client needs."""

    def __init__(self, product: Product, stub: StubProcess, load: Load, users: int) -> None:
        seeded = product.seed(stub.base_url, load.models, users)
        self._cookies = product.home / "cookies.txt"
        self._cookies.write_text("\n".join(seeded.cookies))
        self._models = seeded.models
        self._load = load
        self._product = product
        self._stub = stub

    def point(self, streams: int, floor: Figures | None) -> Point:
        say(f"product, {streams} streams")
        usages = []

        def client(plan: Plan) -> Figures:
            meters = [Meter(lambda: self._product.pids), Meter(lambda: [self._stub.pid])]
            figures = self.run(plan, meters)
            usages.append([meter.end() for meter in meters])
            return figures

        figures = self._load.measure(streams, client)
        usage, stub_usage = usages[0]
        return Point(figures, usage, stub_usage.cpu_ms, floor)

    def run(self, plan: Plan, meters: Sequence[Meter] = ()) -> Figures:
        options = [
            *("--url", self._product.url),
            *("--cookies", str(self._cookies)),
            *("--model", self._models[self._load.model(plan.tokens)]),
        ]
        return run("benchmarks.load", options, plan, meters)


def bench(load: Load, streams: Sequence[int], with_floor: bool) -> Report:
    """Measure the floor at each number of streams, then the product."""
    here = machine()
    with stub_process(log=False) as stub:
        floors = {count: floor(stub, load, count) for count in streams} if with_floor else {}
        say("product, start and warm-up")
        with running_product() as product:
            under_load = UnderLoad(product, stub, load, max(*streams, WARM_UP.streams))
            under_load.run(WARM_UP)
            idle, idle_cpu = idle_use(product)
            points = [under_load.point(count, floors.get(count)) for count in streams]
            processes = len(product.pids)
    return Report(here, load.rate, load.seconds, idle, idle_cpu, processes, points)


def floor(stub: StubProcess, load: Load, streams: int) -> Figures:
    """The figures of the floor: the openai client without the product."""
    say(f"floor, {streams} streams")

    def client(plan: Plan) -> Figures:
        options = ["--base-url", stub.base_url, "--model", load.model(plan.tokens)]
        return run("benchmarks.floor", options, plan, [])

    return load.measure(streams, client)


def idle_use(product: Product) -> tuple[Memory, float]:
    """Memory, and CPU milliseconds a second, of an idle product."""
    meter = Meter(lambda: product.pids)
    meter.begin()
    time.sleep(IDLE_SECONDS)
    return memory(product.pids), meter.end().cpu_ms / IDLE_SECONDS


def say(text: str) -> None:
    sys.stderr.write(f"bench: {text}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="The product under load, beside the floor.")
    parser.add_argument("--only", type=int, nargs="+", default=STREAMS, metavar="STREAMS")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each stream (default 5)")
    parser.add_argument("--rate", type=int, default=50, help="tokens a second (default 50)")
    parser.add_argument("--no-floor", action="store_true", help="the product alone")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    options = parser.parse_args()
    # SIGTERM raises SystemExit, so that the product and the stub are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        report = bench(Load(options.rate, options.seconds), options.only, not options.no_floor)
    except DidNotStart as error:
        say(f"the product did not start\n{error}")
        return 2
    write(report)
    sys.stdout.write(as_json(report) if options.json else as_markdown(report))
    return int(any(point.figures.lost or point.figures.failed for point in report.points))


if __name__ == "__main__":
    sys.exit(main())
