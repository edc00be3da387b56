"""A story that more than one fault is tried on."""

import json
import uuid
from collections.abc import Iterator
from functools import partial

from tests.faults.calling import must_change
from tests.faults.conftest import CALLS, QUICK
from tests.faults.product import wait_for
from tests.faults.stories import LastWords, Stage


def a_note_goes_in_once(stage: Stage) -> Iterator[LastWords]:
    """It was written while a call ran, and is sent again."""
    product, tab, ledger = stage.product, stage.tab(), stage.ledger
    line = f"noted {uuid.uuid4()}"
    call = f"call again-write {json.dumps({'line': line, 'seconds': 10})}"
    running = tab.send(product.models[CALLS], call)
    wait_for(lambda: line in product.written("again"))
    note = tab.send(product.models[QUICK], "shorter, please")
    yield partial(must_change, product, tab.accepted[note]["turn"], "steer")
    tab.until_over(running)
    assert ledger.assert_sound(running).status == "done"
    roles = [message["role"] for message in ledger.messages(running)]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]
    tab.cut()
    again = tab.post(product.models[QUICK], "shorter, please", note)
    tab.accepted.pop(note, None)
    tab.until(lambda: again in tab.accepted)
    assert len(ledger.turns(note)) == 1
    assert [message["role"] for message in ledger.messages(running)] == roles
