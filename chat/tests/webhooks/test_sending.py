"""Deliveries to a receiver that works, fails, hangs, redirects, floods, or is gone."""

import json
from datetime import timedelta
from typing import Any

import pytest
import standardwebhooks
from django.contrib.auth.models import User
from django.utils import timezone

from audit.models import Event
from chat.models import Webhook, WebhookDelivery
from chat.tests.webhooks.conftest import Receiver
from chat.webhooks import commands, deliveries, sending
from jobs import State
from limits.webhooks import MAX_WEBHOOK_EXCERPT

pytestmark = pytest.mark.long


def deliver(webhook: Webhook) -> WebhookDelivery:
    """A test event, after one attempt."""
    delivery = commands.test(webhook)
    deliveries.run(delivery.pk)
    delivery.refresh_from_db()
    return delivery


def make_due(delivery: WebhookDelivery) -> None:
    WebhookDelivery.objects.filter(pk=delivery.pk).update(due=timezone.now())


def test_the_library_of_the_specification_verifies_what_is_received(
    webhook: Webhook, receiver: Receiver
) -> None:
    delivery = deliver(webhook)

    (_, headers, body), *others = receiver.got
    read = standardwebhooks.Webhook(webhook.secret).verify(body, headers)
    assert not others and delivery.state == State.SUCCEEDED
    assert read == json.loads(delivery.body)
    assert read["type"] == "test" and headers["webhook-id"] == str(delivery.public_id)


def test_another_secret_or_a_changed_body_does_not_verify(
    webhook: Webhook, receiver: Receiver, ada: User
) -> None:
    deliver(webhook)
    _, headers, body = receiver.got[0]
    earlier = standardwebhooks.Webhook(webhook.secret)
    rotated = standardwebhooks.Webhook(commands.rotate(ada, webhook))

    for signer, content in ((rotated, body), (earlier, body + b" ")):
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            signer.verify(content, headers)


def test_a_failure_is_tried_again_later_with_the_same_id_and_body(
    webhook: Webhook, receiver: Receiver
) -> None:
    receiver.status, receiver.body = 500, b"out of order"
    delivery = deliver(webhook)
    assert (delivery.state, delivery.status, delivery.excerpt) == ("asked", 500, "out of order")
    assert delivery.due > timezone.now() + timedelta(seconds=3)

    deliveries.run(delivery.pk)  # it is not due
    assert len(receiver.got) == 1
    receiver.status = 200
    make_due(delivery)
    deliveries.run(delivery.pk)

    first, second = receiver.got
    assert first[1]["webhook-id"] == second[1]["webhook-id"] and first[2] == second[2]
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == (State.SUCCEEDED, 2)


def test_the_waits_grow_and_then_it_is_given_up(webhook: Webhook, receiver: Receiver) -> None:
    receiver.status = 503
    delivery = deliver(webhook)
    waits = []
    while delivery.state == State.ASKED:
        waits.append(delivery.due - delivery.changed)
        make_due(delivery)
        deliveries.run(delivery.pk)
        delivery.refresh_from_db()

    assert delivery.state == State.FAILED and len(receiver.got) == len(deliveries.WAITS) + 1
    assert waits[0] < timedelta(seconds=10) and waits[-1] >= timedelta(hours=12)


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/inside", "http://169.254.169.254/latest/meta-data/"]
)
def test_a_redirect_is_not_followed(webhook: Webhook, receiver: Receiver, target: str) -> None:
    receiver.status, receiver.headers = 307, {"location": target}

    delivery = deliver(webhook)

    assert len(receiver.got) == 1
    assert delivery.status == 307 and "redirect" in delivery.error


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://169.254.169.254/latest/"],
)
def test_private_networks_are_closed_without_the_setting(
    webhook: Webhook, receiver: Receiver, settings: Any, url: str
) -> None:
    settings.WEBHOOK_PRIVATE_NETWORKS = []
    webhook.url = url.format(port=receiver.url.split(":")[2].split("/")[0])
    webhook.save()

    delivery = deliver(webhook)

    assert receiver.got == [] and delivery.status == 0
    assert "not sent" in delivery.error


def test_of_twenty_megabytes_the_beginning_is_read(webhook: Webhook, receiver: Receiver) -> None:
    receiver.status, receiver.body = 200, b"x" * 20_000_000

    delivery = deliver(webhook)

    assert delivery.state == State.SUCCEEDED
    assert len(delivery.excerpt) == MAX_WEBHOOK_EXCERPT


def test_who_hangs_is_left_after_the_deadline(
    webhook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MAX_WEBHOOK_S", 0.3)
    receiver.hangs = True

    delivery = deliver(webhook)

    assert (delivery.state, delivery.status) == (State.ASKED, 0)
    assert "no answer" in delivery.error


def test_a_receiver_that_is_down_is_tried_again(webhook: Webhook, receiver: Receiver) -> None:
    webhook.url = "http://127.0.0.1:9/"
    webhook.save()
    assert deliver(webhook).state == State.ASKED


def test_what_a_worker_left_that_died_is_sent_with_the_same_id(
    webhook: Webhook, receiver: Receiver
) -> None:
    delivery = commands.test(webhook)
    long_ago = timezone.now() - timedelta(minutes=5)
    left = WebhookDelivery.objects.filter(pk=delivery.pk)
    left.update(state=State.RUNNING, changed=long_ago, epoch=1)

    deliveries.go_on()
    deliveries.run(delivery.pk)

    assert [headers["webhook-id"] for _, headers, _ in receiver.got] == [str(delivery.public_id)]


def test_of_two_workers_one_sends(webhook: Webhook, receiver: Receiver) -> None:
    delivery = deliver(webhook)
    deliveries.run(delivery.pk)
    assert len(receiver.got) == 1


def test_after_days_of_failures_a_webhook_is_switched_off_and_says_why(
    webhook: Webhook, receiver: Receiver
) -> None:
    receiver.status = 500
    deliver(webhook)
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=6))
    deliver(webhook)

    webhook.refresh_from_db()
    assert not webhook.enabled and "failed for days" in webhook.problem
    assert Event.objects.filter(action="webhook_failed", target_name__startswith="127.").exists()


def test_a_success_between_failures_keeps_it_on(webhook: Webhook, receiver: Receiver) -> None:
    receiver.status = 500
    deliver(webhook)
    receiver.status = 200
    deliver(webhook)

    webhook.refresh_from_db()
    assert webhook.enabled and webhook.failing_since is None


def test_a_receiver_that_is_gone_is_not_asked_again(webhook: Webhook, receiver: Receiver) -> None:
    receiver.status = 410
    assert deliver(webhook).state == State.FAILED
    webhook.refresh_from_db()
    assert not webhook.enabled


def test_what_is_over_can_be_sent_again_with_its_id(webhook: Webhook, receiver: Receiver) -> None:
    delivery = deliver(webhook)

    assert commands.send_again(delivery)
    # Without Redis the ring fails, and with it the job: it is due all the same.
    WebhookDelivery.objects.update(state=State.ASKED)
    deliveries.run(delivery.pk)

    ids = [headers["webhook-id"] for _, headers, _ in receiver.got]
    assert ids == [str(delivery.public_id)] * 2
