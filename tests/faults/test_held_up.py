"""How long people wait when several parts fail at once, or the database does: 15 s at most."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from benchmarks.stub import stub_process
from tests.faults.browser import Browser
from tests.faults.conftest import CALLS, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for
from tests.faults.test_workers import call
from tests.ports import free_port
from tests.postgres import PostgresServer
from tests.redis_server import RedisServer

Open = Callable[..., Browser]
Note = Callable[[str, object], None]
MOST_SECONDS = 15.0


def test_both_workers_killed_hold_an_answer_up_for_seconds(
    product: Product, browser: Open, ledger: Ledger, record_property: Note
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 200)
    for worker in ("turns", "tools"):
        os.kill(product.pid(worker), signal.SIGKILL)
    killed = tab.until(lambda: True)
    back = tab.until(lambda: tab.shown(key).epoch == 2)
    record_property("recovery_s", round(back - killed, 1))
    assert back - killed < MOST_SECONDS
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert tab.shown(key).texts == ledger.texts(key)


def test_a_stop_and_a_start_hold_an_answer_up_for_seconds(
    product: Product, browser: Open, ledger: Ledger, record_property: Note
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 200)
    stopped = tab.until(lambda: True)
    product.stop()
    product.launch()
    back = tab.until(lambda: tab.shown(key).epoch >= 2)
    record_property("recovery_s", round(back - stopped, 1))
    assert back - stopped < MOST_SECONDS
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert tab.shown(key).texts == ledger.texts(key)


@pytest.fixture(scope="module")
def on_postgres() -> Iterator[tuple[Product, PostgresServer]]:
    """A product of its own, on a PostgreSQL that may be killed."""
    with (
        TemporaryDirectory(prefix="roundtrip-fault-", ignore_cleanup_errors=True) as home,
        RedisServer(f"redis://127.0.0.1:{free_port()}/0") as redis_server,
        PostgresServer() as postgres,
        stub_process() as stub,
    ):
        product = Product(Path(home), redis_server, stub, postgres.create_database())
        try:
            product.start()
            product.seed((STEADY, CALLS))
            yield product, postgres
        finally:
            product.stop()


def crash(product: Product, postgres: PostgresServer) -> None:
    postgres.crash()
    postgres.start()


def cut(product: Product, postgres: PostgresServer) -> None:
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with psycopg.connect(product.database, autocommit=True) as connection:
        connection.execute(f"{others} AND datname = current_database()")


@pytest.mark.parametrize("fail", [crash, cut])
def test_a_database_that_fails_in_mid_text_holds_nothing_up(
    on_postgres: tuple[Product, PostgresServer],
    fail: Callable[[Product, PostgresServer], None],
    record_property: Note,
) -> None:
    product, postgres = on_postgres
    with Browser(product.url, product.cookies["owner"]) as tab:
        key = tab.send(product.models[STEADY])
        tab.until_text(key, 200)
        failed = tab.until(lambda: True)
        fail(product, postgres)
        over = tab.until_over(key)
        later = tab.send(product.models[CALLS], call("once", f"after {fail.__name__}", 0))
        tab.until_over(later)
        record_property("recovery_s", round(over - failed, 1))
        ledger = Ledger(product.home, product.database)
        for one in (key, later):
            assert ledger.assert_sound(one).status == "done"
            assert tab.shown(one).texts[-1:] == ledger.texts(one)[-1:]


@pytest.mark.parametrize("fail", [crash, cut])
def test_the_result_of_a_call_is_kept_while_the_database_fails(
    on_postgres: tuple[Product, PostgresServer],
    fail: Callable[[Product, PostgresServer], None],
    record_property: Note,
) -> None:
    product, postgres = on_postgres
    line = f"written before {fail.__name__}"
    with Browser(product.url, product.cookies["owner"]) as tab:
        key = tab.send(product.models[CALLS], call("once", line, 1))
        wait_for(lambda: line in product.written("once"))
        failed = tab.until(lambda: True)
        fail(product, postgres)
        over = tab.until_over(key)
        record_property("recovery_s", round(over - failed, 1))
        assert over - failed < MOST_SECONDS
        ledger = Ledger(product.home, product.database)
        assert ledger.assert_sound(key).status == "done"
        assert ledger.statuses(key, "tool") == ["succeeded"]
        assert product.written("once").count(line) == 1
