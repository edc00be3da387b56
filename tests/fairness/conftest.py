from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.product import Product, running_product
from benchmarks.stub import StubProcess, stub_process
from tests.environment import clean_environment
from tests.fairness.loads import CALLS, COMMANDING, MODELS, QUICK, Busy
from tests.fairness.newcomer import Figures, Newcomer

# Threads of the workers; a user alone gets half of them.
TURNS, TOOLS = 20, 8


@pytest.fixture(scope="module")
def stub() -> Iterator[StubProcess]:
    with stub_process() as running:
        yield running


@pytest.fixture(scope="module")
def product(migrated: Path | None) -> Iterator[Product]:
    threads = {"ROUNDTRIP_TURNS_THREADS": f"{TURNS}", "ROUNDTRIP_TOOLS_THREADS": f"{TOOLS}"}
    with running_product(clean_environment() | threads, migrated) as running:
        yield running


@dataclass
class Users:
    """`quiet`: the newcomer's last figures while the busy user did nothing."""

    busy: Busy
    newcomer: Newcomer
    quiet: Figures


@pytest.fixture(scope="module")
def users(product: Product, stub: StubProcess) -> Iterator[Users]:
    wanted = {"base_url": stub.base_url, "models": MODELS, "commanding": COMMANDING}
    seeded = product.run("tests.fairness.seeding", wanted)
    cookies, models = seeded["cookies"], seeded["models"]
    busy = Busy(product.url, cookies["busy"], models, seeded["servers"], product.home, stub)
    newcomer = Newcomer(product.url, cookies["newcomer"], models[QUICK], models[CALLS])
    with closing(newcomer):
        newcomer.measured()  # what is imported and opened at first
        yield Users(busy, newcomer, newcomer.measured())
