"""The bytes of a result, to a browser: nothing in them runs, nobody else sees them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from db.fields import dump_json
from tools.tests.servers import rich
from tracing.models import Archive, Span, Trace
from tracing.store import payloads

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner", password="a long pass phrase")


def address(owner: User, tool: str, index: int) -> str:
    archive = Archive.objects.create(owner=owner)
    trace = Trace.objects.create(archive=archive, owner=archive.owner, name="turn")
    span = Span.objects.create(trace=trace, kind=Span.Kind.TOOL, name=tool)
    full = {"content": rich.RESULTS[tool]["content"], "is_error": False}
    payloads.store_all(archive, [(span, "result", dump_json(full).encode(), {})])
    return reverse("tools:result_media", args=[span.public_id, index])


def test_an_image_is_shown_as_what_it_is(owner: User, client: Client) -> None:
    client.force_login(owner)
    response = client.get(address(owner, "picture", 1))
    assert response.content == rich.png()
    assert response["Content-Type"] == "image/png"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("tool", "index"), [("mislabelled", 0), ("links", 2)])
def test_anything_else_can_only_be_saved(
    owner: User, client: Client, tool: str, index: int
) -> None:
    client.force_login(owner)
    response = client.get(address(owner, tool, index))
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize(("tool", "index"), [("picture", 0), ("picture", 9), ("links", 0)])
def test_what_has_no_bytes_is_not_there(owner: User, client: Client, tool: str, index: int) -> None:
    client.force_login(owner)
    assert client.get(address(owner, tool, index)).status_code == 404


def test_another_user_s_results_are_not_there(owner: User, client: Client) -> None:
    client.force_login(User.objects.create_user("other", password="a long pass phrase"))
    assert client.get(address(owner, "picture", 1)).status_code == 404
