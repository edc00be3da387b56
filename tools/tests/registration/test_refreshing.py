"""Which servers a worker's timer has looked at again."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from django.utils import timezone

from limits.tools import MAX_REFRESHED_SERVERS, MAX_SERVER_CHECK_SILENCE
from tests.brokers import ringing
from tools.models import Server
from tools.servers.refreshing import FRESH_FOR, ask_the_stale

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def broker() -> Iterator[Celery]:
    with ringing() as app:
        yield app


def a_server(name: str, age: timedelta, **fields: Any) -> None:
    fields = {"check_state": "succeeded", "command": "x"} | fields
    Server.objects.create(name=name, check_changed=timezone.now() - age, **fields)


def test_what_was_looked_at_lately_is_left_alone() -> None:
    a_server("fresh", timedelta(minutes=1))
    assert ask_the_stale() == []


def test_a_failed_server_is_tried_again_too() -> None:
    a_server("failed", FRESH_FOR * 2, check_state="failed")
    assert ask_the_stale() == ["failed"]
    assert Server.objects.get().check_state == Server.Check.ASKED


def test_a_few_at_a_time_the_oldest_first() -> None:
    for age in range(2, MAX_REFRESHED_SERVERS + 5):
        a_server(f"old-{age}", FRESH_FOR * age)
    assert ask_the_stale() == [
        f"old-{MAX_REFRESHED_SERVERS + 4}",
        f"old-{MAX_REFRESHED_SERVERS + 3}",
    ]


def test_nobody_looks_at_what_is_off_was_never_asked_for_or_wants_an_account() -> None:
    a_server("off", FRESH_FOR * 2, enabled=False)
    a_server("idle", FRESH_FOR * 2, check_state="idle")
    a_server("account", FRESH_FOR * 2, uses_oauth=True)
    assert ask_the_stale() == []


def test_one_whose_worker_has_ended_is_looked_at_again() -> None:
    a_server("cut", MAX_SERVER_CHECK_SILENCE * 2, check_state="running")
    a_server("running", MAX_SERVER_CHECK_SILENCE / 2, check_state="running")
    assert ask_the_stale() == ["cut"]


def test_what_is_asked_for_is_not_asked_for_again() -> None:
    a_server("stale", FRESH_FOR * 2)
    ask_the_stale()
    assert ask_the_stale() == []
