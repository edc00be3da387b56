"""Workers that are killed, stopped, rung too late, too often or never."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from celery import Celery

from tests.faults.browser import Browser
from tests.faults.conftest import CALLS, LONG, PAUSE_MS, QUICK, STEADY, WAITS
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for

pytestmark = pytest.mark.process

Open = Callable[..., Browser]
Note = Callable[[str, object], None]
ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 15.0
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


def call(server: str, line: str, seconds: float) -> str:
    return f"call {server}-write {json.dumps({'line': line, 'seconds': seconds})}"


def test_a_worker_killed_in_mid_generation_is_replaced_and_the_answer_is_whole(
    product: Product, browser: Open, ledger: Ledger, record_property: Note
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 200)
    killed = product.kill("turns")
    back = tab.until(lambda: tab.shown(key).epoch == 2)
    record_property("recovery_s", round(back - killed, 1))
    assert back - killed < MOST_SECONDS
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "generation") == ["superseded", "succeeded"]
    assert tab.shown(key).texts == ledger.texts(key)
    assert tab.reopened == 0


def test_a_worker_killed_while_a_retry_waits_loses_nothing_of_the_wait(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    before = len(product.stub.completions)
    key = tab.send(product.models[WAITS])
    tab.until(lambda: [frame for frame in tab.frames if frame.get("retry_in_ms")])
    product.kill("turns")
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "generation") == ["failed", "succeeded"]
    first, second = product.stub.completions[before:]
    assert second.received_us - first.received_us >= PAUSE_MS * 1000


def test_of_two_calls_at_the_same_time_that_are_cut_only_what_may_be_repeated_is_run_again(
    product: Product, browser: Open, ledger: Ledger, record_property: Note
) -> None:
    tab = browser()
    both = "\n".join((call("once", "cut", 60), call("again", "cut", 60)))
    key = tab.send(product.models[CALLS], both)
    wait_for(lambda: "cut" in product.written("once") and "cut" in product.written("again"))
    killed = product.kill("tools")
    over = tab.until_over(key)
    record_property("recovery_s", round(over - killed, 1))
    assert over - killed < MOST_SECONDS
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "tool") == ["outcome_unknown", "succeeded"]
    assert sorted(tab.shown(key).calls.values()) == ["outcome_unknown", "succeeded"]
    assert product.written("once").count("cut") == 1
    assert product.written("again").count("cut") == 2
    assert tab.shown(key).texts[-1:] == ledger.texts(key)[-1:]


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


def test_turns_go_on_after_everything_was_told_to_end(
    product: Product, browser: Open, ledger: Ledger, record_property: Note
) -> None:
    talking, calling = browser(), browser()
    keys = [
        talking.send(product.models[STEADY]),
        calling.send(product.models[CALLS], call("once", "told to end", 60)),
    ]
    talking.until_text(keys[0], 100)
    wait_for(lambda: "told to end" in product.written("once"))
    product.stop()
    product.start()
    started = time.monotonic()
    over = [tab.until_over(key) for tab, key in zip((talking, calling), keys, strict=True)]
    record_property("recovery_s", [round(at - started, 1) for at in over])
    assert [ledger.assert_sound(key).status for key in keys] == ["done", "done"]
    assert talking.shown(keys[0]).texts == ledger.texts(keys[0])
    assert ledger.statuses(keys[1], "tool") == ["outcome_unknown"]
    assert product.written("once").count("told to end") == 1


def test_a_turn_that_waited_begins_after_a_crash_of_the_one_before_it(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    first = tab.send(product.models[LONG])
    second = tab.send(product.models[QUICK])
    tab.until_text(first, 50)
    product.kill("turns")
    tab.until(lambda: tab.shown(first).epoch == 2)
    tab.until_text(first, 10)
    tab.stop(first)
    tab.until_over(first)
    tab.until_over(second)
    assert [ledger.assert_sound(key).status for key in (first, second)] == ["stopped", "done"]
    assert tab.shown(first).texts == ledger.texts(first)
