"""The pages of webhooks."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Event
from chat.models import Webhook, WebhookDelivery
from chat.tests.builders import a_user
from chat.tests.webhooks.conftest import Receiver
from chat.webhooks import commands, deliveries

FORM = {"url": "https://hooks.example/in/s3cr3t", "events": ["turn.ended"]}


@pytest.fixture
def page(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def test_a_new_webhook_shows_its_secret_once(page: Client, ada: User) -> None:
    made = page.post("/settings/webhooks/", FORM).content.decode()
    (webhook,) = Webhook.objects.for_user(ada)

    assert webhook.secret.startswith("whsec_") and webhook.secret in made
    again = page.get(f"/settings/webhooks/{webhook.public_id}").content.decode()
    assert webhook.secret not in again


def test_the_log_has_the_host_alone(page: Client) -> None:
    page.post("/settings/webhooks/", FORM)

    event = Event.objects.get(action="webhook_added")
    assert event.target_name == "hooks.example" and "s3cr3t" not in str(event.detail)


@pytest.mark.parametrize(
    "url", ["ftp://x.example/", "https://user:word@x.example/", "http://0x7f.1/", "x", ""]
)
def test_a_url_that_is_none_is_refused(page: Client, url: str) -> None:
    assert page.post("/settings/webhooks/", {**FORM, "url": url}).status_code == 422
    assert not Webhook.objects.exists()


def test_only_admins_make_one_for_everybody(page: Client, client: Client) -> None:
    page.post("/settings/webhooks/", {**FORM, "for_everybody": "on"})
    assert Webhook.objects.get().owner_id is not None

    client.force_login(a_user("admin", is_superuser=True))
    client.post("/settings/webhooks/", {**FORM, "for_everybody": "on"})
    assert Webhook.objects.filter(owner=None).count() == 1


def test_those_of_others_are_not_there(page: Client, receiver: Receiver) -> None:
    bob = a_user("bob")
    other = commands.make(bob, Webhook(owner=bob, url=receiver.url, events=[]))

    for path in ("", "/secret", "/test", "/delete"):
        assert page.post(f"/settings/webhooks/{other.public_id}{path}").status_code == 404


def test_a_test_is_sent_listed_and_sent_again(
    page: Client, webhook: Webhook, receiver: Receiver
) -> None:
    receiver.status, receiver.body = 200, b"thanks <b>"
    address = f"/settings/webhooks/{webhook.public_id}"

    page.post(f"{address}/test")
    deliveries.run(WebhookDelivery.objects.get().pk)

    shown = page.get(address).content.decode()
    assert "delivered" in shown and "thanks &lt;b&gt;" in shown
    (again,) = re.findall(rf"{address}/deliveries/[0-9a-f-]+", shown)
    assert page.post(again).status_code == 302


def test_switched_on_again_a_webhook_begins_anew(page: Client, webhook: Webhook) -> None:
    Webhook.objects.update(enabled=False, problem="It has failed for days.")

    form = {**FORM, "enabled": "on"}
    page.post(f"/settings/webhooks/{webhook.public_id}", form)

    webhook.refresh_from_db()
    assert webhook.enabled and webhook.problem == ""


def test_a_deleted_webhook_leaves_a_row_in_the_log(page: Client, webhook: Webhook) -> None:
    page.post(f"/settings/webhooks/{webhook.public_id}/delete")
    assert not Webhook.objects.exists()
    assert Event.objects.filter(action="webhook_deleted").count() == 1
