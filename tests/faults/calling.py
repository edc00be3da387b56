"""What tests of faults ask of models and of the product."""

import json
import uuid

import httpx

from chat.commands.comparisons import key_of
from tests.faults.browser import Browser
from tests.faults.conftest import LASTING, LONG
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for

# In which a turn goes on after a kill: twice what is promised, for a machine under load.
MOST_SECONDS = 30.0


def call(server: str, line: str, seconds: float) -> str:
    return f"call {server}-write {json.dumps({'line': line, 'seconds': seconds})}"


def task(prompt: str) -> str:
    return "call task " + json.dumps({"prompt": prompt})


def change(product: Product, turn: str, act: str, **fields: str) -> int:
    """A change of the line of messages, as the page makes it; its status."""
    token = uuid.uuid4().hex
    port = product.url.rpartition(":")[2]
    cookies = f"{product.cookies['owner']}; roundtrip_csrf_{port}={token}"
    headers = {"Cookie": cookies, "X-CSRFToken": token, "Origin": product.url}
    url = f"{product.url}/turns/{turn}/queue/{act}"
    return httpx.post(url, data=fields, headers=headers, timeout=20).status_code


def must_change(product: Product, turn: str, act: str) -> None:
    assert change(product, turn, act) == 200


def compared(product: Product, tab: Browser) -> tuple[str, str]:
    """The keys of two answers that are written at the same time."""
    models = [product.models[name] for name in (LASTING, LONG)]
    key = tab.send(models[0], compare=[{"model": model} for model in models])
    tab.until(lambda: len(tab.turns) == 2)
    (other,) = set(tab.turns) - {tab.accepted[key]["turn"]}
    tab.accepted[key_of(key, 1)] = {"turn": other}
    return key, key_of(key, 1)


def speaking(ledger: Ledger, key: str, count: int) -> list[str]:
    """The keys of its subagents, as soon as so many have a model that is called."""

    def called() -> list[str]:
        keys = ledger.nested(key)
        states = [ledger.statuses(one, "generation") for one in keys]
        return keys if sum("running" in some for some in states) >= count else []

    found: list[str] = wait_for(called)
    return found
