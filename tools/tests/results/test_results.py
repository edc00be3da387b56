"""What the page of a tool shows of a result: each thing once, bytes to be saved."""

import base64
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tools.models import Trial
from tools.results.blocks import shown
from tools.tests.servers import rich


def text(content: str) -> dict[str, str]:
    return {"type": "text", "text": content}


WEATHER = {"temperature": 36, "sky": "light rain"}
PDF = base64.b64encode(b"%PDF-1.7 ...").decode()
FILE = {
    "type": "resource",
    "resource": {"uri": "file:///a/report.pdf", "blob": PDF, "mimeType": "application/pdf"},
}


@pytest.mark.parametrize(
    ("content", "structured", "kinds"),
    [
        ([text(json.dumps(WEATHER))], WEATHER, ["json"]),
        ([text("It rains.")], WEATHER, ["text", "json"]),
        ([text("42")], {"result": 42}, ["text"]),
        ([text("a file\nof two lines")], {"content": "a file\nof two lines"}, ["text"]),
        ([text('"hello"')], {"result": "hello"}, ["text"]),
        ([text("1"), text("2")], {"result": [1, 2]}, ["json"]),
        ([text(json.dumps([WEATHER]))], {"result": [WEATHER]}, ["json"]),
        ([], WEATHER, ["json"]),
        ([text("x")], None, ["text"]),
        ([text("")], {}, ["text", "json"]),
    ],
)
def test_structured_content_is_shown_once(
    content: list[Any], structured: Any, kinds: list[str]
) -> None:
    blocks = shown({"content": content, "structured": structured})
    assert [block.kind for block in blocks] == kinds


def test_what_is_beside_the_text_stays() -> None:
    content = [text(json.dumps(WEATHER)), FILE]
    blocks = shown({"content": content, "structured": WEATHER})
    assert [(block.kind, block.position) for block in blocks] == [("file", 1), ("json", 0)]
    assert blocks[0].label == "Resource file:///a/report.pdf, application/pdf, 12 bytes"


def test_base64_that_is_broken_is_told() -> None:
    (block,) = shown({"content": [{"type": "image", "data": "!", "mimeType": "image/png"}]})
    assert "broken base64: there is no image to show" in block.text


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("owner")


def trial(owner: User, *content: dict[str, Any]) -> Trial:
    found = {"content": list(content), "structured": None}
    return Trial.objects.create(user=owner, kind="call", state="succeeded", found=found)


def test_a_binary_resource_is_downloaded_from_the_page_of_a_trial(
    owner: User, client: Client
) -> None:
    client.force_login(owner)
    tried = trial(owner, FILE)
    address = reverse("tools:trial_media", args=[tried.public_id, 0])
    page = client.get(reverse("tools:trial", args=[tried.public_id])).content.decode()
    assert f'href="{address}" download' in page
    response = client.get(address)
    assert response.content == b"%PDF-1.7 ..."
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="report.pdf"'
    assert "sandbox" in response["Content-Security-Policy"]


def test_an_image_of_a_trial_is_shown(owner: User, client: Client) -> None:
    client.force_login(owner)
    tried = trial(owner, *rich.RESULTS["picture"]["content"])
    response = client.get(reverse("tools:trial_media", args=[tried.public_id, 1]))
    assert (response["Content-Type"], response.content) == ("image/png", rich.png())


@pytest.mark.parametrize("position", [0, 7])
def test_what_has_no_bytes_is_not_there(owner: User, client: Client, position: int) -> None:
    client.force_login(owner)
    tried = trial(owner, text("x"))
    address = reverse("tools:trial_media", args=[tried.public_id, position])
    assert client.get(address).status_code == 404
