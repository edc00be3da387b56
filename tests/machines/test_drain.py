"""Processes that are told to end in mid-work, beside another one of their kind."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.browser import Browser
from tests.faults.conftest import CALLS, STEADY
from tests.faults.ledger import Ledger
from tests.machines.machines import Machine, Machines

HANDOVER_S = 5.0
RESTARTS = 1012


@pytest.fixture(scope="module")
def ledger(machines: Machines) -> Ledger:
    return Ledger(Path(machines.environment["DATABASE_URL"].removeprefix("sqlite:///")).parent)


@pytest.fixture
def web(machines: Machines) -> Iterator[Machine]:
    (web,) = machines.start("web")
    yield web
    web.end()


def tab(web: Machine, machines: Machines) -> Browser:
    return Browser(web.url, machines.cookies["owner"])


def call(server: str, line: str, seconds: float) -> str:
    return f"call {server}-write {json.dumps({'line': line, 'seconds': seconds})}"


def written(machines: Machines, server: str) -> list[str]:
    return (machines.folder / f"{server}.txt").read_text().splitlines()


def test_a_turn_goes_on_elsewhere_within_five_seconds_and_its_text_is_whole(
    machines: Machines, ledger: Ledger, web: Machine
) -> None:
    (first,) = machines.start("turns")
    with tab(web, machines) as browser:
        key = browser.send(machines.models[STEADY])
        browser.until_text(key, 200)
        (second,) = machines.start("turns")
        told = first.signal(signal.SIGTERM)

        assert browser.until(lambda: browser.shown(key).epoch == 2) - told < HANDOVER_S
        browser.until_over(key)

        assert ledger.assert_sound(key).status == "done"
        assert browser.shown(key).texts == ledger.texts(key)
        cut, whole = ledger.response_bytes(key)
        assert 200 < cut < whole
    assert first.wait_for_end() == 0
    second.end()


def test_an_idempotent_call_runs_elsewhere_and_another_one_is_finished(
    machines: Machines, ledger: Ledger, web: Machine
) -> None:
    turns, first = machines.start("turns", "tools")
    with tab(web, machines) as again, tab(web, machines) as once:
        keys = [
            again.send(machines.models[CALLS], call("again", "one", 20)),
            once.send(machines.models[CALLS], call("once", "two", 4)),
        ]
        again.until(lambda: "sent" in again.shown(keys[0]).calls.values())
        once.until(lambda: "sent" in once.shown(keys[1]).calls.values())
        (second,) = machines.start("tools")
        told = first.signal(signal.SIGTERM)

        assert again.until_over(keys[0]) - told < HANDOVER_S
        once.until_over(keys[1])

    assert [ledger.assert_sound(key).status for key in keys] == ["done", "done"]
    assert [ledger.statuses(key, "tool") for key in keys] == [["succeeded"], ["succeeded"]]
    assert (written(machines, "again"), written(machines, "once")) == (["one", "one"], ["two"])
    assert first.wait_for_end() == 0
    for machine in (turns, second):
        machine.end()


def test_a_call_that_does_not_end_in_time_has_an_unknown_outcome(
    machines: Machines, ledger: Ledger, web: Machine
) -> None:
    turns = machines.start("turns")[0]
    first = machines.machine("tools", {"DRAIN_SECONDS": "1"})
    first.start()
    first.wait_until_ready()
    with tab(web, machines) as browser:
        key = browser.send(machines.models[CALLS], call("once", "three", 20))
        browser.until(lambda: "sent" in browser.shown(key).calls.values())
        told = first.signal(signal.SIGTERM)

        assert browser.until_over(key) - told < HANDOVER_S

    assert ledger.statuses(key, "tool") == ["outcome_unknown"]
    assert first.wait_for_end() == 0
    turns.end()


def test_a_socket_is_told_that_its_process_restarts_and_goes_on_at_another(
    machines: Machines, ledger: Ledger, web: Machine
) -> None:
    second, turns = machines.start("web", "turns")
    with tab(web, machines) as browser:
        key = browser.send(machines.models[STEADY])
        browser.until_text(key, 200)
        web.signal(signal.SIGTERM)
        browser.until(lambda: browser.close_code is not None)
        browser.move(second.url)
        browser.until_over(key)

        assert browser.close_code == RESTARTS
        assert browser.reopened == 0
        assert browser.shown(key).texts == ledger.texts(key)
    assert web.wait_for_end() == -signal.SIGTERM  # uvicorn ends as the signal says
    for machine in (second, turns):
        machine.end()
