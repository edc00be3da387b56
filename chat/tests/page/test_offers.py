"""Resources and prompts of servers, from the composer to the worker and back."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from chat.models import Attachment
from tools import loop
from tools.mcp import listing
from tools.models import Reading, Server
from tools.servers import reading
from tools.tests.servers import rich

pytestmark = [pytest.mark.process, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def server(tmp_path: Path, settings: Settings) -> Iterator[Server]:
    settings.HOME, settings.WORKSPACES = tmp_path / "home", tmp_path / "workspaces"
    program = str(Path(rich.__file__))
    row = Server.objects.create(name="rich", command=sys.executable, args=[program], timeout_s=20)
    listing.refresh(row)
    row.refresh_from_db()
    yield row
    loop.close()


@pytest.fixture
def browser(client: Client) -> Client:
    client.force_login(User.objects.create_user("owner", password="a long pass phrase"))
    return client


def take(browser: Client, server: Server, **fields: str) -> Any:
    """Asks, lets the worker read, and takes the answer."""
    asked = browser.post(
        reverse("chat:offer_ask"), {"server": str(server.public_id), **fields}
    ).json()
    # There is no Redis here to carry the ring.
    asked_for = Reading.objects.filter(public_id=asked["id"])
    asked_for.update(state=Reading.State.ASKED, error="")
    reading.run(asked_for.get().pk)
    return browser.post(reverse("chat:offer_take", args=[asked["id"]])).json()


def test_what_servers_list_is_offered(browser: Client, server: Server) -> None:
    offers = browser.get(reverse("chat:offers")).json()
    assert [one["name"] for one in offers["prompts"]] == ["review", "greet"]
    assert [(one["uri"], one["server"]) for one in offers["resources"]] == [
        ("memo://notes", "rich"),
        ("memo://picture", "rich"),
    ]


def test_a_resource_becomes_an_attachment(browser: Client, server: Server) -> None:
    taken = take(browser, server, kind="resource", uri="memo://picture")
    assert taken["attachments"][0]["mediaType"] == "image/png"
    assert bytes(Attachment.objects.get().content) == rich.png()


def test_a_prompt_becomes_text_to_be_sent(browser: Client, server: Server) -> None:
    arguments = '{"code": "main.py"}'
    taken = take(browser, server, kind="prompt", name="review", arguments=arguments)
    assert taken["text"] == "Please review main.py."


def test_what_the_server_refuses_is_said(browser: Client, server: Server) -> None:
    taken = take(browser, server, kind="prompt", name="review")
    assert (taken["state"], "rich says: unknown" in taken["error"]) == ("failed", True)


def test_only_what_is_listed_can_be_asked_for(browser: Client, server: Server) -> None:
    asked = {"server": str(server.public_id), "kind": "resource", "uri": "file:///etc/passwd"}
    assert browser.post(reverse("chat:offer_ask"), asked).status_code == 400


def test_another_user_s_reading_is_not_there(browser: Client, server: Server) -> None:
    other = User.objects.create_user("other", password="a long pass phrase")
    theirs = Reading.objects.create(user=other, server=server, kind="prompt")
    answer = browser.post(reverse("chat:offer_take", args=[theirs.public_id]))
    assert answer.status_code == 404
