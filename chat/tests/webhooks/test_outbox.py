"""Which events are stored for which webhooks, and what that costs."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from chat.models import Turn, Webhook, WebhookDelivery
from chat.tests.builders import AConversation, a_user
from chat.tests.webhooks.conftest import Receiver
from chat.webhooks import commands, known, outbox

pytestmark = [pytest.mark.postgres, pytest.mark.long]


def ended(user: User, question: str = "What is a quokka?") -> Turn:
    """A turn that has ended, and is told."""
    turn = AConversation(user, "About quokkas").turn(question, "A marsupial.").row
    answer = turn.conversation.messages.filter(role="assistant").last()
    Turn.objects.filter(pk=turn.pk).update(answer=answer)
    turn = Turn.objects.select_related("conversation", "answer", "trace").get(pk=turn.pk)
    outbox.turn_ended(turn)
    return turn


def told() -> list[dict[str, Any]]:
    bodies = WebhookDelivery.objects.order_by("pk").values_list("body", flat=True)
    return [json.loads(body) for body in bodies]


def test_the_end_of_a_turn_is_stored_without_contents(webhook: Webhook, ada: User) -> None:
    turn = ended(ada)

    (event,) = told()
    assert event["type"] == "turn.ended"
    assert event["data"]["turn"] == str(turn.public_id)
    assert event["data"]["conversation"] == str(turn.conversation.public_id)
    assert event["data"]["status"] == "done"
    assert "quokka" not in json.dumps(event).lower() and "marsupial" not in json.dumps(event)


def test_contents_are_for_who_has_chosen_them(webhook: Webhook, ada: User) -> None:
    Webhook.objects.update(with_content=True)

    ended(ada)

    assert told()[0]["data"]["answer"] == "A marsupial."
    assert told()[0]["data"]["title"] == "About quokkas"


def test_a_webhook_for_everybody_never_has_contents(receiver: Receiver, ada: User) -> None:
    everybodys = Webhook(url=receiver.url, events=["turn.ended"], with_content=True)
    commands.make(a_user("admin", is_superuser=True), everybodys)

    ended(ada)

    assert "answer" not in told()[0]["data"] and told()[0]["data"]["user"] == ada.pk


def test_others_and_other_events_are_not_told(webhook: Webhook, ada: User) -> None:
    ended(a_user("bob"))
    Webhook.objects.update(events=["turn.waiting"])
    ended(ada)

    assert told() == []


def test_an_event_that_is_told_twice_is_stored_once(webhook: Webhook, ada: User) -> None:
    outbox.turn_ended(ended(ada))
    assert len(told()) == 1


def test_an_event_goes_with_the_transaction_that_fails(webhook: Webhook, ada: User) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        ended(ada)
        raise ZeroDivisionError
    assert told() == []


def test_a_limit_is_told_once_for_each_time_that_it_is_reached(webhook: Webhook, ada: User) -> None:
    Webhook.objects.update(events=["limit.reached"])
    for _ in range(3):
        outbox.limit_reached(ada.pk, "turns_minute", 10, None)
    assert [event["data"]["limit"] for event in told()] == ["turns_minute"]


def test_without_a_webhook_the_end_of_a_turn_costs_no_statement(ada: User) -> None:
    turn = AConversation(ada).turn("A question", "An answer").row
    known.any_webhook()  # looked at every few seconds

    with CaptureQueriesContext(connection) as queries:
        outbox.turn_ended(turn)

    assert len(queries) == 0
