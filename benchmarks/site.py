"""A running product under measurement: its users, the stub as its provider, its processes."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import garbage
from benchmarks.clients import Meter, Usage, run
from benchmarks.figures import Figures
from benchmarks.measuring import Plan
from benchmarks.product import ROOT, Product, running_product
from benchmarks.stub import StubProcess, stub_process
from tests.environment import clean_environment

OBSERVED = ROOT / "benchmarks" / "observed"
# Tokens a second of a stream, unless a part says otherwise.
RATE = 50


@dataclass(frozen=True)
class Run:
    """The figures of a load on the product, and what its processes used meanwhile."""

    figures: Figures
    usage: Usage

    @property
    def cpu_per_1000(self) -> dict[str, float]:
        """CPU milliseconds for 1,000 tokens that arrived, by process."""
        tokens = max(self.figures.received, 1)
        return {name: used / tokens * 1000 for name, used in self.usage.by_role.items()}


class Site:
    """A product and its provider, with as many users as streams: one connection each. `pauses`
    is the folder in which it writes those of its garbage collectors."""

    def __init__(self, product: Product, stub: StubProcess, users: int, pauses: Path) -> None:
        self.product = product
        self.pauses = pauses
        self.stub = stub
        self.peak_rss = 0.0
        seeded = product.seed(stub.base_url, [], users)
        self._models: dict[str, str] = {}
        self.cookies = product.home / "cookies.txt"
        self.cookies.write_text("\n".join(seeded.cookies))

    def run(self, plan: Plan, rate: int = RATE, options: str = "") -> Run:
        """Runs the plan with tokens at this rate, and measures. `options` of the stub's model are
        added to its name."""
        meter = Meter(lambda: self.product.pids)
        arguments = [
            *("--url", self.product.url),
            *("--cookies", str(self.cookies)),
            *("--model", self.model(_model_name(plan, rate) + options)),
        ]
        figures = run("benchmarks.load", arguments, plan, [meter])
        usage = meter.end()
        self.peak_rss = max(self.peak_rss, usage.peak_rss)
        return Run(figures, usage)

    def floor(self, plan: Plan, rate: int = RATE) -> Figures:
        """The figures of the same plan with the openai client alone."""
        options = ["--base-url", self.stub.base_url, "--model", _model_name(plan, rate)]
        return run("benchmarks.floor", options, plan, [])

    def model(self, name: str) -> str:
        """The UUID of the stub's model in the product."""
        if name not in self._models:
            self._models |= self.product.seed(self.stub.base_url, [name], 0).models
        return self._models[name]


def _model_name(plan: Plan, rate: int) -> str:
    return f"stub-r{rate}-n{plan.tokens}"


@contextmanager
def running_site(
    users: int,
    folder: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    database: Path | None = None,
) -> Iterator[Site]:
    """The product in `folder` on a fresh home, with a provider; `environment` adds variables. The
    home begins with `database`, if there is one, which is migrated."""
    with (
        TemporaryDirectory(prefix="bench-pauses-") as pauses,
        stub_process(log=False) as stub,
        running_product(
            product_environment({garbage.VARIABLE: pauses, **(environment or {})}), database, folder
        ) as product,
    ):
        yield Site(product, stub, users, Path(pauses))


def product_environment(added: Mapping[str, str]) -> dict[str, str]:
    """This process's environment for a product that is observed. It keeps compiled files: the code
    of a commit in a new folder has none. Requests for titles would be among those of turns."""
    kept = clean_environment()
    path = os.pathsep.join(filter(None, [str(OBSERVED), kept.get("PYTHONPATH", "")]))
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "", "TITLES": "0", **added}
