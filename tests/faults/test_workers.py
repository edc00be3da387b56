"""Workers that are rung too late, too often or never."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from celery import Celery

from tests.faults.browser import Browser
from tests.faults.calling import call
from tests.faults.conftest import CALLS, QUICK, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for

pytestmark = pytest.mark.process

Open = Callable[..., Browser]
ROOT = Path(__file__).resolve().parents[2]
# A process that stores a message and ends before it has rung anybody.
STORES_ONLY = """
import json, sys, django
django.setup()
from django.contrib.auth.models import User
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
wanted = json.load(sys.stdin)
owner = User.objects.get(username="owner")
send_message(owner, NewMessage(text="Go on.", **wanted))
"""


def test_a_turn_that_was_stored_and_never_rung_is_found(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    nobody = {"REDIS_URL": "redis://127.0.0.1:9/0", "DJANGO_SETTINGS_MODULE": "config.settings"}
    wanted = {"key": "never-rung", "model_id": product.models[QUICK]}
    subprocess.run(
        [sys.executable, "-c", STORES_ONLY],
        cwd=ROOT,
        env=product.environment | nobody,
        input=json.dumps(wanted),
        text=True,
        check=True,
    )
    wait_for(lambda: ledger.turn("never-rung").status == "done")
    ledger.assert_sound("never-rung")


def test_rings_that_come_late_and_often_change_nothing(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    rings = Celery(broker=product.redis.url, set_as_current=False)
    tab = browser()
    over, running = tab.send(product.models[CALLS], call("once", "late", 0)), ""
    tab.until_over(over)
    running = tab.send(product.models[STEADY])
    tab.until_text(running, 100)
    for _ in range(10):
        for key in (over, running):
            rings.send_task("chat.advance", args=(ledger.turn(key).pk,), queue="turns")
        for pk, _ in ledger.spans(over, "tool"):
            rings.send_task("chat.execute", args=(pk,), queue="tools")
    tab.until_over(running)
    assert [ledger.assert_sound(key).epoch for key in (over, running)] == [2, 1]
    assert product.written("once").count("late") == 1
    assert tab.shown(running).texts == ledger.texts(running)
    rings.close()
