"""The line of messages while processes are killed: in order, none lost, none twice."""

import uuid
from collections.abc import Callable

import httpx
import pytest

from tests.faults.browser import Browser
from tests.faults.conftest import CALLS, QUICK, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for

pytestmark = pytest.mark.process

Open = Callable[..., Browser]


def change(product: Product, turn: str, act: str, **fields: str) -> int:
    """A change of the line, as the page makes it; its status."""
    token = uuid.uuid4().hex
    port = product.url.rpartition(":")[2]
    cookies = f"{product.cookies['owner']}; roundtrip_csrf_{port}={token}"
    headers = {"Cookie": cookies, "X-CSRFToken": token, "Origin": product.url}
    url = f"{product.url}/turns/{turn}/queue/{act}"
    return httpx.post(url, data=fields, headers=headers, timeout=20).status_code


def line(product: Product, tab: Browser, *texts: str) -> list[str]:
    """The keys of messages that were sent one after another."""
    return [tab.send(product.models[QUICK], text) for text in texts]


def test_a_worker_killed_while_messages_wait_answers_them_in_their_order(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    running = tab.send(product.models[STEADY])
    tab.until_text(running, 50)
    a, b, c, gone = line(product, tab, "a", "b", "c", "gone")
    turns = {key: tab.accepted[key]["turn"] for key in (a, b, c, gone)}
    assert change(product, turns[c], "move", before=turns[a]) == 200
    assert change(product, turns[gone], "withdraw") == 200
    product.kill("turns")
    assert change(product, turns[b], "edit", text="B, edited") == 200
    for key in (running, c, a, b):
        tab.until_over(key)
        assert ledger.assert_sound(key).status == "done"
    assert [ledger.turn(key).pk for key in (running, c, a, b)] == sorted(
        ledger.turn(key).pk for key in (running, a, b, c)
    )
    assert ledger.messages(b)[0]["content"] == "B, edited"
    assert [len(ledger.texts(key)) for key in (running, a, b, c, gone)] == [1, 1, 1, 1, 0]


def test_a_message_sent_now_while_its_worker_is_killed_is_answered_once(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    running = tab.send(product.models[STEADY])
    tab.until_text(running, 50)
    a, b = line(product, tab, "a", "b")
    assert change(product, tab.accepted[b]["turn"], "now") == 200
    product.kill("turns")
    for key in (running, b, a):
        tab.until_over(key)
    assert ledger.assert_sound(running).status == "stopped"
    assert ledger.turn(b).pk < ledger.turn(a).pk
    assert [len(ledger.texts(key)) for key in (a, b)] == [1, 1]


def test_a_note_goes_in_once_although_worker_and_web_are_killed(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    call = 'call again-write {"line": "noted", "seconds": 3}'
    running = tab.send(product.models[CALLS], call)
    wait_for(lambda: "noted" in product.written("again"))
    note = tab.send(product.models[QUICK], "shorter, please")
    assert change(product, tab.accepted[note]["turn"], "steer") == 200
    product.kill("turns")
    tab.until_over(running)
    assert ledger.assert_sound(running).status == "done"
    roles = [message["role"] for message in ledger.messages(running)]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]
    product.kill("web")
    again = tab.post(product.models[QUICK], "shorter, please", note)
    tab.accepted.pop(note, None)
    tab.until(lambda: again in tab.accepted)
    assert len(ledger.turns(note)) == 1
    assert [message["role"] for message in ledger.messages(running)] == roles
