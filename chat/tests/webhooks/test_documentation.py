"""`docs/webhooks.md` says what is sent."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Webhook
from chat.tests.builders import AConversation
from chat.tests.webhooks.test_outbox import ended, told
from chat.webhooks import commands, outbox

DOCUMENT = Path(__file__).parents[3] / "docs" / "webhooks.md"
EXAMPLES = [
    json.loads(text) for text in re.findall(r"```json\n(.*?)\n```", DOCUMENT.read_text(), re.S)
]


def example(event: str) -> dict[str, Any]:
    (found,) = [one for one in EXAMPLES if one["type"] == event]
    return dict(found)


def test_every_event_has_an_example() -> None:
    assert {one["type"] for one in EXAMPLES} == set(Webhook.Event.values)


@pytest.mark.parametrize("event", Webhook.Event.values)
def test_an_example_has_the_fields_of_what_is_sent(event: str, webhook: Webhook, ada: User) -> None:
    Webhook.objects.update(events=[event])
    if event == Webhook.Event.TURN_ENDED:
        ended(ada)
    elif event == Webhook.Event.LIMIT_REACHED:
        outbox.limit_reached(ada.pk, "turns_minute", 10, None)
    elif event == Webhook.Event.LIMIT_NEAR:
        outbox.limit_near(ada.pk, "tokens_day", 81_250, 100_000, None)
    elif event == Webhook.Event.TURN_WAITING:
        turn = AConversation(ada).turn("A question")
        (call,) = turn.round("", (("run_shell", {}),))
        outbox.approval_waits(turn.row, call)
    else:
        commands.test(webhook)

    (sent,) = told()
    assert sent["type"] == event
    assert list(sent["data"]) == list(example(event)["data"])
