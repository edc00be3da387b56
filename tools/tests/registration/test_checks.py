"""The web process asks, the worker looks, once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

import jobs
from limits.tools import MAX_CHECKS_AT_ONCE, MAX_SERVER_CHECK_SILENCE
from tests import patience
from tests.brokers import MEMORY, ringing
from tools.errors import OUR_FAULT, Failure, FailureKind
from tools.health import checks
from tools.mcp.findings import Finding, store
from tools.models import Server
from tools.tasks import refresh
from tools.tests.calling import Caller, odd
from tools.tests.mcp.test_stdio_servers import wait_until

pytestmark = [pytest.mark.process, pytest.mark.django_db(transaction=True)]

Check = Server.Check


@pytest.fixture
def server() -> Server:
    program = odd()
    return Server.objects.create(name="odd", command=program.command, args=list(program.args))


@pytest.fixture
def broker(request: pytest.FixtureRequest) -> Iterator[Celery]:
    """Stands in for the product's Celery application; the parameter is the broker's URL."""
    with ringing(getattr(request, "param", MEMORY)) as app:
        app.conf.broker_connection_timeout = 0.2
        yield app


def state(server: Server) -> str:
    server.refresh_from_db()
    return server.check_state


def test_asking_rings_the_tools_queue_and_looks_at_nothing_itself(
    server: Server, broker: Celery
) -> None:
    checks.ask(server)
    with broker.connection_for_read() as connection, connection.SimpleQueue("tools") as queue:
        message = queue.get(timeout=patience.SECONDS)
        message.ack()
    assert message.headers["task"] == "tools.refresh"
    assert message.payload[0] == [server.pk]
    assert state(server) == Check.ASKED


@pytest.mark.parametrize("broker", ["redis://127.0.0.1:9/0"], indirect=True)
def test_without_redis_the_check_fails_with_a_sentence(server: Server, broker: Celery) -> None:
    checks.ask(server)
    assert state(server) == Check.FAILED
    assert "Redis is out of reach" in server.last_error


@pytest.mark.parametrize("broker", ["redis://127.0.0.1:9/0"], indirect=True)
def test_the_advice_for_an_earlier_failure_is_not_given_for_another(
    server: Server, broker: Celery
) -> None:
    store(server, Finding(Failure("exited with code 1", FailureKind.EXITED, 1)))
    server.refresh_from_db()
    assert server.advice == "Check command, arguments and environment variables."
    checks.ask(server)
    server.refresh_from_db()
    assert server.advice == ""


def test_the_task_looks_and_stores(server: Server, broker: Celery, caller: Caller) -> None:
    checks.ask(server)
    refresh(server.pk)
    assert state(server) == Check.SUCCEEDED
    assert server.tools.filter(name="echo").exists()


def test_a_task_that_comes_twice_looks_once(server: Server, broker: Celery, caller: Caller) -> None:
    checks.ask(server)
    refresh(server.pk)
    Server.objects.update(server_name="seen once")
    refresh(server.pk)
    assert state(server) == Check.SUCCEEDED
    assert server.server_name == "seen once"


def downloading(name: str, until: Path) -> Server:
    """A server whose start takes until that file is there."""
    program = odd("--downloads", str(until))
    row = Server.objects.create(name=name, command=program.command, args=list(program.args))
    checks.ask(row)
    return row


def states() -> list[str]:
    return sorted(Server.objects.values_list("check_state", flat=True))


def test_a_few_servers_are_looked_at_at_the_same_time_and_the_others_wait(
    broker: Celery, caller: Caller, tmp_path: Path
) -> None:
    """Each task runs in a thread of its own, as in the worker."""
    file, most = tmp_path / "downloaded", MAX_CHECKS_AT_ONCE
    rows = [downloading(f"server-{number}", file) for number in range(most + 3)]
    with ThreadPoolExecutor(len(rows)) as worker:
        for row in rows:
            worker.submit(in_thread, broker, row.pk)
        wait_until(lambda: states() == ["asked"] * 3 + ["running"] * most)
        file.touch()
    assert states() == ["asked"] * 3 + ["succeeded"] * most
    rung = received(broker)
    assert set(rung[len(rows) :]) == {row.pk for row in rows if state(row) == Check.ASKED}


def test_what_a_first_start_writes_to_stderr_is_shown_as_it_comes(
    broker: Celery, caller: Caller, tmp_path: Path
) -> None:
    row, file = downloading("slow", tmp_path / "downloaded"), tmp_path / "downloaded"
    with ThreadPoolExecutor(1) as worker:
        worker.submit(in_thread, broker, row.pk)
        wait_until(lambda: "downloading" in [one["text"] for one in log(row)])
        assert state(row) == Check.RUNNING
        file.touch()
    assert state(row) == Check.SUCCEEDED


def log(server: Server) -> list[Any]:
    trial = server.trials.first()
    return trial.log if trial else []


def in_thread(broker: Celery, server_pk: int) -> None:
    broker.set_current()
    try:
        refresh(server_pk)
    finally:
        connection.close()


def received(broker: Celery) -> list[int]:
    """The servers whose tasks were sent, in order."""
    found: list[int] = []
    with broker.connection_for_read() as opened, opened.SimpleQueue("tools") as queue:
        while queue.qsize():
            message = queue.get(timeout=patience.SECONDS)
            message.ack()
            found += message.payload[0]
    return found


def test_who_waits_while_another_is_looked_at_is_not_overdue(
    server: Server, broker: Celery
) -> None:
    checks.ask(server)
    Server.objects.update(check_changed=timezone.now() - MAX_SERVER_CHECK_SILENCE * 2)
    server.refresh_from_db()
    assert server.is_overdue
    with jobs.keep_alive(checks.SERVER_CHECK, Server(pk=0)):
        jobs.renew(every_s=0)
    server.refresh_from_db()
    assert not server.is_overdue


def test_one_whose_worker_has_ended_takes_no_place(server: Server, broker: Celery) -> None:
    long_ago = timezone.now() - MAX_SERVER_CHECK_SILENCE * 2
    for number in range(MAX_CHECKS_AT_ONCE):
        fields: dict[str, Any] = {"check_state": Check.RUNNING, "check_changed": long_ago}
        Server.objects.create(name=f"cut-{number}", command="true", **fields)
    checks.ask(server)
    assert checks.take(server.pk)


def test_a_task_for_a_server_that_is_gone_does_nothing(db: None) -> None:
    refresh(12345)


def test_what_goes_wrong_in_the_check_itself_ends_it_as_failed(
    server: Server, broker: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> None:
        raise ZeroDivisionError("in our own code")

    monkeypatch.setattr("tools.mcp.listing.look", explode)
    checks.ask(server)
    refresh(server.pk)
    assert state(server) == Check.FAILED
    assert server.last_error == OUR_FAULT


def test_the_servers_of_one_owner_do_not_hold_those_of_another(broker: Celery, db: None) -> None:
    hog, other = (User.objects.create_user(name) for name in ("hog", "other"))
    for number in range(MAX_CHECKS_AT_ONCE + 2):
        is_asked = number >= MAX_CHECKS_AT_ONCE
        a_url(f"hog-{number}", hog, Check.ASKED if is_asked else Check.RUNNING)
    waits = a_url("other", other, Check.ASKED)
    received(broker)
    checks.ring_waiting()
    assert received(broker) == [waits.pk]
    assert checks.take(waits.pk)
    assert not checks.take(Server.objects.filter(owner=hog, check_state=Check.ASKED)[0].pk)


def a_url(name: str, owner: User, check: Server.Check) -> Server:
    about = {"name": name, "owner": owner, "transport": "http", "url": "https://mcp.example/"}
    return Server.objects.create(check_state=check, check_changed=timezone.now(), **about)
