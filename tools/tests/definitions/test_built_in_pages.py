"""The page of the tools that ship with the program: who may see and switch what."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.signing_in import signed_in
from tools import local
from tools.catalogue import switches
from tools.definitions import quality
from tools.models import LocalTool, Server, ServerTool

pytestmark = pytest.mark.django_db

PAGE, CHANGE = reverse("tools:built_in"), reverse("tools:change_built_in")


@pytest.fixture
def admin() -> Client:
    return signed_in(User.objects.create_user("admin", is_staff=True, is_superuser=True))


@pytest.fixture
def outsider() -> Client:
    return signed_in(User.objects.create_user("outsider"))


def test_the_page_shows_every_tool_with_its_parameters_and_cost(admin: Client) -> None:
    shown = admin.get(PAGE).content.decode()
    for tool in local.TOOLS:
        assert f'data-tool="{tool.name}"' in shown
    assert "An IANA time zone" in shown
    assert "tokens" in shown


def test_the_servers_page_leads_admins_there(admin: Client, outsider: Client) -> None:
    assert PAGE in admin.get(reverse("tools:servers")).content.decode()
    assert PAGE not in outsider.get(reverse("tools:servers")).content.decode()


def test_nobody_else_sees_or_switches_anything(outsider: Client) -> None:
    assert outsider.get(PAGE).status_code == 403
    assert outsider.post(CHANGE, {"tool": "calculate", "enabled": "off"}).status_code == 403
    assert Client().get(PAGE).status_code == 302
    assert not LocalTool.objects.exists()


def test_a_switch_and_a_policy_are_kept(admin: Client) -> None:
    admin.post(CHANGE, {"tool": "calculate", "enabled": "off"})
    admin.post(CHANGE, {"tool": "calculate", "policy": "deny"})
    row = LocalTool.objects.get()
    assert (row.name, row.enabled, row.policy) == ("calculate", False, "deny")


@pytest.mark.parametrize(
    "sent",
    [
        {"tool": "nothing", "enabled": "on"},
        {"tool": "calculate"},
        {"tool": "calculate", "enabled": "perhaps"},
        {"tool": "calculate", "policy": "perhaps"},
    ],
)
def test_what_cannot_be_meant_changes_nothing(admin: Client, sent: dict[str, str]) -> None:
    assert admin.post(CHANGE, sent).status_code == 400
    assert not LocalTool.objects.exists()


def test_a_switch_needs_a_token() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    assert client.post(CHANGE, {"tool": "calculate", "enabled": "off"}).status_code == 403


def test_the_page_says_why_a_tool_is_not_there(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = replace(local.TOOLS[0], name="shell", missing=lambda: "Install <it> first.")
    monkeypatch.setattr(local, "TOOLS", [*local.TOOLS, lacking])
    assert "Install &lt;it&gt; first." in admin.get(PAGE).content.decode()


def test_the_page_takes_one_query_for_all_tools(
    admin: Client, django_assert_num_queries: Any
) -> None:
    switches.switch("calculate", enabled=False)
    with django_assert_num_queries(3):  # the session, the user, the decisions
        admin.get(PAGE)


def test_every_tool_of_this_program_is_described() -> None:
    said = {one.tool.name: one.quality.warnings for one in switches.built_in()}
    assert {name: found for name, found in said.items() if found} == {}


def test_what_is_not_described_is_a_warning() -> None:
    schema = {"properties": {"a": {}, "b": {"title": "B"}, "c": {"enum": [1]}, "d": True}}
    found = quality.of("odd", " ", schema)
    assert found.warnings == (
        "It has no description: a model can only guess what it does.",
        "a, b, d have no description.",
    )
    assert quality.of("fine", "Says what it does.", {}).warnings == ()


@pytest.mark.parametrize("schema", [None, [], {"properties": [1]}, {"properties": {"": None}}])
def test_odd_schemas_do_no_harm(schema: Any) -> None:
    assert quality.of("odd", "Odd", schema).tokens > 0


def test_a_server_s_page_shows_cost_and_warnings(admin: Client) -> None:
    server = Server.objects.create(name="zoo", command="x")
    ServerTool.objects.create(
        server=server,
        name="walk",
        position=0,
        input_schema={"properties": {"<way>": {}}},
        hash="x",
        approved_hash="x",
    )
    shown = admin.get(reverse("tools:server", args=[server.public_id])).content.decode()
    assert "1 tool leaves something undescribed" in shown
    assert "&lt;way&gt; has no description." in shown
    tool = admin.get(f"{reverse('tools:tool', args=[server.public_id])}?name=walk")
    assert "It has no description: a model can only guess" in tool.content.decode()
