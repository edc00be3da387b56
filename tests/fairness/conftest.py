import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.product import Product, running_product
from benchmarks.stub import StubProcess, stub_process
from tests.fairness.loads import CALLS, COMMANDING, MODELS, QUICK, Busy
from tests.fairness.newcomer import Figures, Newcomer
from tests.faults.product import NOT_OURS

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("fault")


@pytest.fixture(scope="module")
def stub() -> Iterator[StubProcess]:
    with stub_process() as running:
        yield running


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    ours = {*NOT_OURS, "DJANGO_SETTINGS_MODULE", "REDIS_URL"}
    with running_product({k: v for k, v in os.environ.items() if k not in ours}) as running:
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
