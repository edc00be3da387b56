"""The web process asks, the worker looks, once."""

from collections.abc import Iterator

import pytest
from celery import Celery, current_app

from tools import checks
from tools.models import Server
from tools.tasks import refresh
from tools.tests.calling import Caller, odd

pytestmark = pytest.mark.django_db(transaction=True)

Check = Server.Check


@pytest.fixture
def server() -> Server:
    program = odd()
    return Server.objects.create(name="odd", command=program.command, args=list(program.args))


@pytest.fixture
def broker(request: pytest.FixtureRequest) -> Iterator[Celery]:
    """Stands in for the product's Celery application; the parameter is the broker's URL."""
    before = current_app._get_current_object()  # type: ignore[attr-defined]  # it is a proxy
    app = Celery("checks", broker=getattr(request, "param", "memory://"), set_as_current=False)
    app.conf.broker_connection_timeout = 0.2
    app.set_current()
    yield app
    before.set_current()


def state(server: Server) -> str:
    server.refresh_from_db()
    return server.check_state


def test_asking_rings_the_tools_queue_and_looks_at_nothing_itself(
    server: Server, broker: Celery
) -> None:
    checks.ask(server)
    with broker.connection_for_read() as connection, connection.SimpleQueue("tools") as queue:
        message = queue.get(timeout=5)
        message.ack()
    assert message.headers["task"] == "tools.refresh"
    assert message.payload[0] == [server.pk]
    assert state(server) == Check.ASKED


@pytest.mark.parametrize("broker", ["redis://127.0.0.1:9/0"], indirect=True)
def test_without_redis_the_check_fails_with_a_sentence(server: Server, broker: Celery) -> None:
    checks.ask(server)
    assert state(server) == Check.FAILED
    assert "Redis is out of reach" in server.last_error


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
    assert "ZeroDivisionError" in server.last_error
