"""Who sees, uses and registers which server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from limits.tools import MAX_OWN_SERVERS
from tests.brokers import ringing
from tools.mcp import listing
from tools.models import Server, ServerTool, Trial
from tools.trials import trials
from tools.values.server_config import ServerConfig

pytestmark = pytest.mark.django_db

MINE = {"name": "mine", "transport": "http", "url": "https://mcp.example.org/x", "timeout_s": "30"}
MINE |= {"mode": "auto", "enabled": "on"}
CANARY = "canary-of-sharing-51"


@pytest.fixture(autouse=True)
def broker() -> Iterator[Celery]:
    with ringing() as app:
        yield app


@pytest.fixture
def person() -> User:
    return User.objects.create_user("person")


@pytest.fixture
def page(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


def server(**fields: Any) -> Server:
    made = Server.objects.create(name="tested", command=f"run {CANARY}", **fields)
    ServerTool.objects.create(
        server=made, name="t", position=0, input_schema={}, hash="x", approved_hash="x"
    )
    return made


def test_what_is_shared_with_everyone_is_seen_without_its_address(page: Client) -> None:
    shared = server(last_error=CANARY, last_stderr=CANARY, check_state="failed")
    listed = page.get(reverse("tools:servers")).content.decode()
    shown = page.get(shared.get_absolute_url()).content.decode()
    assert "tested" in listed
    assert "could not be reached" in shown
    assert CANARY not in listed + shown


@pytest.mark.parametrize("is_admin", [False, True])
def test_only_an_admin_who_tries_a_url_is_told_what_its_name_resolves_to(
    person: User, is_admin: bool
) -> None:
    person.is_superuser = is_admin
    person.save()
    asked = trials.ask_connection(person, ServerConfig("tried", "http", url="http://localhost:9/"))
    taken = trials.take(asked.pk)
    assert taken is not None
    finding = listing.look(trials.config_of(taken))
    assert "localhost" in finding.error
    assert ("is in a private network" in finding.error) is is_admin
    assert any(address in finding.error for address in ("127.0.0.1", "::1")) is is_admin


def test_what_is_for_admins_is_not_there(page: Client) -> None:
    hidden = server(shared=Server.Shared.STAFF)
    assert "tested" not in page.get(reverse("tools:servers")).content.decode()
    assert page.get(hidden.get_absolute_url()).status_code == 404


def test_chosen_people_use_it_and_lose_it_when_it_is_shared_otherwise(
    page: Client, person: User
) -> None:
    chosen = server(shared=Server.Shared.CHOSEN)
    assert page.get(chosen.get_absolute_url()).status_code == 404
    chosen.shared_with.add(person)
    assert page.get(chosen.get_absolute_url()).status_code == 200
    Server.objects.update(shared=Server.Shared.STAFF)
    assert page.get(chosen.get_absolute_url()).status_code == 404


def test_people_register_nothing_unless_the_operator_allows_it(page: Client) -> None:
    assert page.post(reverse("tools:register"), MINE).status_code == 403
    assert page.get(reverse("tools:import")).status_code == 403


def test_people_register_servers_of_their_own_by_url(
    page: Client, person: User, settings: Settings
) -> None:
    settings.USER_SERVERS = True
    forbidden = {"allow_private": "on", "shared": "everyone"}
    page.post(reverse("tools:register"), MINE | forbidden)
    mine = Server.objects.get()
    assert (mine.owner, mine.allow_private) == (person, False)
    assert page.get(reverse("tools:edit", args=[mine.public_id])).status_code == 200


def test_people_have_so_many_servers_of_their_own_and_no_more(
    page: Client, person: User, settings: Settings
) -> None:
    settings.USER_SERVERS = True
    Server.objects.bulk_create(
        Server(name=f"own-{number}", owner=person, transport="http", url=MINE["url"])
        for number in range(MAX_OWN_SERVERS)
    )
    pasted = {"text": json.dumps({"mcpServers": {"a": {"url": MINE["url"]}}}), "register": "1"}
    for refused in (
        page.post(reverse("tools:register"), MINE),
        page.post(reverse("tools:import"), pasted | {"take": "a"}),
    ):
        assert "You may have 50 servers of your own." in refused.content.decode()
    assert Server.objects.count() == MAX_OWN_SERVERS


def test_nobody_but_admins_starts_a_program(page: Client, settings: Settings) -> None:
    settings.USER_SERVERS = True
    program = MINE | {"transport": "stdio", "command": "sh"}
    pasted = {"text": json.dumps({"mcpServers": {"a": {"command": "sh"}}}), "register": "1"}
    assert page.post(reverse("tools:register"), program).status_code == 403
    assert page.post(reverse("tools:try_connection"), program).status_code == 403
    assert page.post(reverse("tools:import"), pasted).status_code == 403
    assert not Server.objects.exists()
    assert not Trial.objects.exists()


def test_a_connection_of_no_server_is_not_tried(page: Client, settings: Settings) -> None:
    settings.USER_SERVERS = True
    for known in ("nonsense", "00000000-0000-0000-0000-000000000000", str(server().public_id)):
        url = f"{reverse('tools:try_connection')}?server={known}"
        assert page.post(url, MINE).status_code == 404
    assert not Trial.objects.exists()


def test_an_own_server_is_nobody_elses_not_even_an_admins(
    client: Client, person: User, settings: Settings
) -> None:
    settings.USER_SERVERS = True
    own = Server.objects.create(name="own", transport="http", url="https://e.org", owner=person)
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    assert client.get(own.get_absolute_url()).status_code == 404
    assert client.post(reverse("tools:delete", args=[own.public_id])).status_code == 404


def test_own_servers_rest_while_the_operator_does_not_allow_them(
    person: User, settings: Settings
) -> None:
    Server.objects.create(name="own", transport="http", url="https://e.org", owner=person)
    assert not Server.objects.for_user(person).exists()
    settings.USER_SERVERS = True
    assert Server.objects.for_user(person).exists()


def test_a_tool_is_tried_by_whoever_may_use_it_and_nobody_else(page: Client) -> None:
    shared = server()
    url = reverse("tools:try_tool", args=[shared.public_id]) + "?name=t"
    assert page.post(url, {"arguments": "{}"}).status_code == 200
    Server.objects.update(shared=Server.Shared.STAFF)
    assert page.post(url, {"arguments": "{}"}).status_code == 404
    assert Trial.objects.count() == 1


def test_what_models_are_denied_is_not_tried_by_everyone(page: Client) -> None:
    shared = server(policy="deny")
    url = reverse("tools:try_tool", args=[shared.public_id]) + "?name=t"
    assert page.post(url, {"arguments": "{}"}).status_code == 429
    assert not Trial.objects.exists()


def test_a_trial_is_only_its_users(page: Client) -> None:
    trial = Trial.objects.create(user=User.objects.create_user("other"))
    assert page.get(reverse("tools:trial", args=[trial.public_id])).status_code == 404


def test_pasted_servers_are_shown_first_and_registered_then(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    pasted: dict[str, Any] = {"a": {"command": "x", "env": {"K": CANARY}, "args": ["1"]}}
    pasted |= {"b c": {"url": "https://e.org/sse"}}
    text = json.dumps({"mcpServers": pasted})
    shown = client.post(reverse("tools:import"), {"text": text}).content.decode()
    assert "b-c" in shown
    assert not Server.objects.exists()
    client.post(reverse("tools:import"), {"text": text, "register": "1", "take": ["a", "b-c"]})
    states = Server.objects.values_list("name", "transport", "check_state")
    assert list(states) == [("a", "stdio", "asked"), ("b-c", "sse", "asked")]
    assert Server.objects.get(name="a").env == {"K": CANARY}
    assert Server.objects.get(name="a").args == ["1"]


def test_a_pasted_fault_is_told_on_the_page(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    response = client.post(reverse("tools:import"), {"text": '{\n// yes\n"a": no\n}'})
    assert response.status_code == 422
    assert "Line 3, column 6: this is not JSON" in response.content.decode()


def test_a_url_pasted_as_a_command_is_asked_about(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    text = '"a": {"command": "https://e.org/mcp"}, "b": {"command": "https://e.org/mcp"}'
    shown = client.post(reverse("tools:import"), {"text": text}).content.decode()
    assert shown.count("The command is a URL. What is it?") == 2
    answer = {"register": "1", "take": ["a", "b"], "as:a": "url", "as:b": "command"}
    client.post(reverse("tools:import"), {"text": text} | answer)
    assert list(Server.objects.values_list("name", "transport", "url", "command")) == [
        ("a", "http", "https://e.org/mcp", ""),
        ("b", "stdio", "", "https://e.org/mcp"),
    ]


def test_the_answer_about_a_url_outlasts_another_problem(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    text = '"a": {"command": "https://e.org/mcp"}'
    none_taken = {"text": text, "register": "1", "as:a": "url"}
    shown = client.post(reverse("tools:import"), none_taken).content.decode()
    assert '<input type="hidden" name="as:a" value="url">' in shown


def test_who_may_run_no_program_pastes_a_url_as_a_command(page: Client, settings: Settings) -> None:
    settings.USER_SERVERS = True
    pasted = {"text": '"a": {"command": "https://e.org/mcp"}', "register": "1", "take": "a"}
    page.post(reverse("tools:import"), pasted)
    assert Server.objects.get().url == "https://e.org/mcp"


def test_switches_and_policies_of_tools_are_saved(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    tested = server()
    url = reverse("tools:change_tools", args=[tested.public_id])
    client.post(url, {"all": "1", "enabled": "off"})
    client.post(url, {"tool": str(tested.tools.get().pk), "policy": "deny"})
    assert tested.tools.values_list("enabled", "policy")[0] == (False, "deny")
    assert client.post(url, {"all": "1", "policy": "never"}).status_code == 400


def test_an_export_has_no_secret(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    Server.objects.create(name="a", command="x", env={"TOKEN": CANARY})
    text = client.get(reverse("tools:export_all")).content.decode()
    assert json.loads(text)["mcpServers"]["a"]["env"] == {"TOKEN": "${TOKEN}"}


def test_an_unsaved_server_is_tested_without_being_saved(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    response = client.post(reverse("tools:try_connection"), MINE | {"headers_set": f"K: {CANARY}"})
    assert response.status_code == 200
    assert CANARY not in response.content.decode()
    assert dict(Trial.objects.get().config["headers"]) == {"K": CANARY}
    assert not Server.objects.exists()
