"""The first steps of a new deployment: their states, who is told of whom, and when they go away."""

import re
import socket
import threading

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chat import setup
from chat.first_steps.steps import Step, are_over, steps
from chat.models import LanguageModel, PersonalSettings
from chat.tests.builders import a_model, a_user
from tests import patience
from tools.models import Server

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client: Client) -> User:
    setup.prepare()
    admin = User.objects.get(username="owner")
    client.force_login(admin)
    return admin


def states(user: User) -> dict[str, str]:
    return {step.name: step.state for step in steps(user)}


def step(user: User, name: str) -> Step:
    return next(step for step in steps(user) if step.name == name)


def a_server(**fields: object) -> Server:
    return Server.objects.create(
        name="files", url="https://x.example/mcp", transport="http", **fields
    )


def test_nothing_is_done_on_a_new_deployment(admin: User) -> None:
    assert states(admin) == {"connect": "todo", "local": "todo", "server": "todo"}
    assert step(admin, "connect").url == reverse("providers:index")
    assert "LOCAL_MODEL=1" in step(admin, "local").command


@pytest.mark.parametrize(
    ("check", "state"),
    [("idle", "done"), ("succeeded", "done"), ("running", "running"), ("failed", "failed")],
)
def test_a_model_and_a_server_have_the_state_of_their_check(
    admin: User, check: str, state: str
) -> None:
    LanguageModel.objects.filter(pk=a_model("m").pk).update(
        check_state=check, check_error="No key."
    )
    a_server(check_state=check, last_error="No key.")
    assert states(admin) == {"connect": state, "local": "todo", "server": state}
    if state == "failed":
        assert all("No key." in step(admin, name).note for name in ("connect", "server"))


def test_a_member_reads_no_reason(admin: User) -> None:
    LanguageModel.objects.filter(pk=a_model("m").pk).update(
        check_state="failed", check_error="10.0.0.7 refused."
    )
    failed = step(a_user("member"), "connect")
    assert (failed.state, failed.note, failed.who) == ("failed", "The test of m failed.", ["owner"])


def test_one_that_works_counts_whatever_else_failed(admin: User) -> None:
    LanguageModel.objects.filter(pk=a_model("broken").pk).update(check_state="failed")
    a_model("good", label="Good")
    assert step(admin, "connect").note == "Good is connected."


def test_a_local_model_whose_process_is_gone_has_failed(
    admin: User, settings: LazySettings
) -> None:
    settings.LOCAL_MODEL = {"name": "tiny", "base_url": "http://127.0.0.1:9/v1", "api_key": "k"}
    assert step(admin, "local").state == "failed"
    assert "tiny has ended" in step(admin, "local").note


def test_another_program_at_the_port_of_the_local_model_is_none(
    admin: User, settings: LazySettings
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        base_url = f"http://127.0.0.1:{port}/v1"
        settings.LOCAL_MODEL = {"name": "tiny", "base_url": base_url, "api_key": "k"}
        thread = threading.Thread(target=_greet, args=[listener], daemon=True)
        thread.start()
        assert step(admin, "local").state == "failed"
        thread.join(patience.SECONDS)


def _greet(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")


def test_a_member_reads_who_can(admin: User, client: Client) -> None:
    member = a_user("member")
    assert step(member, "connect").url == ""
    assert [step(member, name).who for name in ("connect", "local", "server")] == [["owner"]] * 3
    client.force_login(member)
    assert "Ask <bdi>owner</bdi>" in client.get(reverse("chat:first_steps")).content.decode()


def test_they_are_over_with_a_model_and_a_server(admin: User) -> None:
    a_model("m")
    assert not are_over(steps(admin))
    a_server()
    assert are_over(steps(admin))


def test_who_dismisses_them_does_not_see_them_again(admin: User, client: Client) -> None:
    assert 'id="first-steps"' in client.get("/").content.decode()
    client.post(reverse("chat:dismiss_first_steps"))
    assert PersonalSettings.objects.get(user=admin).has_begun
    assert not re.search("first-steps", client.get("/").content.decode())


def test_the_home_asks_the_database_nothing_more_for_them(admin: User, client: Client) -> None:
    client.get("/")
    with CaptureQueriesContext(connection) as with_steps:
        client.get("/")
    PersonalSettings.change(admin, has_begun=True)
    with CaptureQueriesContext(connection) as without:
        client.get("/")
    assert len(with_steps) == len(without)
