from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.browser import Browser
from tests.faults.ledger import Ledger
from tests.faults.product import Product, running_product

# Seeded text has Chinese, emoji and Markdown in it.
STEADY = "stub-s7-r60-n300"
LONG = "stub-s8-r60-n20000"
# Lasts until stories that are told beside it have begun too.
LASTING = "stub-s9-r60-n600"
QUICK = "stub-n5"
CALLS = "stub-ask-n5"
SILENT = "stub-fsilent"
STALLED = "stub-r60-n60-fstall-at9"
# Asks for a pause of 12 s at its first attempt; long enough for a worker to be replaced.
WAITS = "stub-n5-f429-w12-x1"
PAUSE_MS = 12_000
# Its preset has the tool `task`.
DELEGATES = "stub-r60-n90-ask"
DELEGATES_LONG = "stub-r90-n700-ask"
MODELS = (
    *(STEADY, LONG, LASTING, QUICK, CALLS, SILENT, STALLED, WAITS),
    *(DELEGATES, DELEGATES_LONG),
)

Open = Callable[..., Browser]


@pytest.fixture(scope="session")
def running(migrated: Path | None) -> Iterator[Product]:
    with running_product(MODELS, migrated) as product:
        yield product


@pytest.fixture
def product(running: Product) -> Product:
    """The product, whole again after what the test before did to it."""
    running.make_whole()
    return running


@pytest.fixture
def ledger(product: Product) -> Ledger:
    return Ledger(product.home)


@pytest.fixture
def browser(product: Product) -> Iterator[Open]:
    """Opens a tab of a user's."""
    with ExitStack() as stack:

        def open_tab(user: str = "owner") -> Browser:
            return stack.enter_context(Browser(product.url, product.cookies[user]))

        yield open_tab
