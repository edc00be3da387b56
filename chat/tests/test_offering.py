"""What a conversation offers: the preset's tools or the chosen ones, if its user may use them."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat import offering
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.models import Conversation, Preset
from chat.tests.builders import AConversation, a_model, a_user
from tools.models import LocalTool, Server, ServerTool

pytestmark = pytest.mark.django_db

LOCAL = ""


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def a_server(name: str, *tools: str, **fields: Any) -> Server:
    server = Server.objects.create(name=name, command="x", **fields)
    for position, tool in enumerate(tools):
        ServerTool.objects.create(
            server=server,
            name=tool,
            position=position,
            input_schema={},
            hash="x",
            approved_hash="x",
        )
    return server


def names(choice: Any, user: User, preset: Preset | None = None) -> list[str]:
    found = offering.offered(choice, user, preset)
    return [tool.name for tool in found if tool.server]


def test_without_a_choice_the_preset_decides(owner: User) -> None:
    a_server("files", "read", "write")
    a_server("time", "now")
    preset = Preset(tools=["files-*"])
    assert names(None, owner, preset) == ["files-read", "files-write"]


def test_a_choice_names_servers_and_what_is_off(owner: User) -> None:
    a_server("files", "read", "write")
    a_server("time", "now")
    choice = {"servers": ["files", "time"], "off": ["files-write"]}
    assert names(choice, owner, Preset(tools=[])) == ["files-read", "time-now"]


def test_the_tools_of_this_program_can_be_switched_off_too(owner: User) -> None:
    assert [tool.server for tool in offering.offered(None, owner, None)]
    assert offering.offered({"servers": [], "off": []}, owner, None) == []
    assert {tool.server for tool in offering.offered({"servers": [LOCAL]}, owner, None)} == {LOCAL}


def test_nobody_is_offered_what_is_not_theirs_to_use(owner: User) -> None:
    a_server("secret", "read", shared=Server.Shared.STAFF)
    assert names(None, owner) == []
    assert names({"servers": ["secret"], "off": []}, owner) == []
    assert names(None, a_user("admin", is_staff=True, is_superuser=True)) == ["secret-read"]


def test_a_call_of_what_is_off_or_not_theirs_finds_nothing(owner: User) -> None:
    a_server("files", "read")
    row = AConversation(owner, tools={"servers": ["files"], "off": ["files-read"]}).row
    assert offering.find("files-read", row, None, owner) is None
    row.tools = None
    assert offering.find("files-read", row, None, owner) is not None
    Server.objects.update(shared=Server.Shared.STAFF)
    assert offering.find("files-read", row, None, owner) is None


def test_what_has_to_be_named_is_offered_and_called_only_where_it_is_named(owner: User) -> None:
    row = AConversation(owner).row
    assert offering.find("todo", row, None, owner) is None
    row.preset = Preset.objects.create(name="Agent", tools=["todo"])
    assert offering.find("todo", row, None, owner) is not None
    assert offering.find("calculate", row, None, owner) is None
    row.tools = {"servers": [LOCAL], "off": []}
    assert offering.find("todo", row, None, owner) is None
    row.tools = {"servers": [], "off": [], "on": ["todo"]}
    assert [tool.name for tool in offering.of(row, None, owner)] == ["todo"]
    assert offering.find("todo", row, None, owner) is not None


def test_a_preset_s_servers_bound_what_is_offered_and_called(owner: User) -> None:
    a_server("files", "read")
    a_server("time", "now")
    preset = Preset.objects.create(name="Agent", servers=["time"])
    assert names(None, owner, preset) == ["time-now"]
    row = AConversation(owner, preset=preset).row
    assert offering.find("files-read", row, None, owner) is None
    assert offering.find("time-now", row, None, owner) is not None


def test_the_preset_of_the_conversation_counts_before_the_model_s(owner: User) -> None:
    model = a_model()
    model.preset = Preset.objects.create(name="Model's", tools=[])
    row = AConversation(owner).row
    assert offering.find("calculate", row, model, owner) is None
    row.preset = Preset.objects.create(name="Own", tools=["calculate"])
    assert offering.find("calculate", row, model, owner) is not None


@pytest.mark.parametrize(
    "written", ["x", 1, {"servers": "files"}, {"off": [1]}, {"off": ["x" * 301]}]
)
def test_what_is_no_choice_is_rejected(written: object) -> None:
    with pytest.raises(Rejected):
        offering.read_choice(written)


def test_the_first_message_brings_the_choice_along(owner: User) -> None:
    a_model(is_default=True)
    choice = offering.Choice(servers=["files"], off=[], on=["todo"])
    turn = send_message(owner, NewMessage(key="k", text="Hello", tools=choice))
    assert Conversation.objects.get(pk=turn.conversation_id).tools == choice


def test_the_menu_shows_servers_switches_and_the_dead(page: Client, owner: User) -> None:
    a_server("files", "read", "write", check_state="failed")
    row = AConversation(owner, tools={"servers": ["files"], "off": ["files-write"]}).row
    shown = page.get(reverse("chat:conversation_tools", args=[row.public_id])).content.decode()
    assert "1 of 2" in shown
    assert "unreachable" in shown
    assert 'data-menu-count="1"' in shown


def test_a_choice_is_kept_and_can_be_taken_back(page: Client, owner: User) -> None:
    a_server("files", "read")
    row = AConversation(owner).row
    url = reverse("chat:conversation_tools", args=[row.public_id])
    page.post(url, {"choice": json.dumps({"servers": ["files"], "off": []})})
    row.refresh_from_db()
    assert row.tools == {"servers": ["files"], "off": [], "on": []}
    page.post(url, {"choice": ""})
    row.refresh_from_db()
    assert row.tools is None


def test_before_the_first_message_the_menu_shows_what_the_page_has_chosen(
    page: Client, owner: User
) -> None:
    a_server("files", "read")
    choice = json.dumps({"servers": ["files"], "off": []})
    shown = page.post(reverse("chat:tools"), {"choice": choice}).content.decode()
    assert 'data-menu-count="1"' in shown
    assert not Conversation.objects.exists()


def test_the_menu_of_another_user_s_conversation_is_not_found(page: Client) -> None:
    row = AConversation(a_user("other")).row
    assert page.get(reverse("chat:conversation_tools", args=[row.public_id])).status_code == 404


def test_hostile_names_are_text(page: Client, owner: User) -> None:
    a_server("files", "<img src=x>")
    shown = page.get(reverse("chat:tools")).content.decode()
    assert "<img" not in shown


def test_the_menu_lists_what_has_to_be_named_and_what_tools_cost(page: Client, owner: User) -> None:
    server = a_server("files", "read")
    server.tools.update(input_schema={"properties": {"path": {}}})
    row = AConversation(owner, tools={"servers": ["files"], "off": [], "on": ["todo"]}).row
    html = page.get(reverse("chat:conversation_tools", args=[row.public_id])).content.decode()
    shown = " ".join(html.split())
    assert 'data-opt-in value="todo" autocomplete="off" checked' in shown
    assert 'data-opt-in value="task" autocomplete="off">' in shown
    assert "search_tools" not in shown
    assert "path has no description." in shown
    assert 'data-most="20"' in shown


def test_the_menu_shows_the_preset_of_the_conversation_and_the_chosen_one(
    page: Client, owner: User
) -> None:
    a_server("files", "read")
    preset = Preset.objects.create(
        name="Agent", published=True, tools=["files-*"], limits={"tools_sent": 7}
    )
    row = AConversation(owner, preset=preset, model=a_model()).row
    url = reverse("chat:conversation_tools", args=[row.public_id])
    for found in (page.get(url), page.get(f"{reverse('chat:tools')}?preset={preset.public_id}")):
        assert 'data-menu-count="1"' in found.content.decode()
        assert 'data-most="7"' in found.content.decode()


def test_the_preset_of_somebody_else_is_not_shown(page: Client) -> None:
    foreign = Preset.objects.create(name="Theirs", tools=[], owner=a_user("other"))
    shown = page.get(f"{reverse('chat:tools')}?preset={foreign.public_id}").content.decode()
    assert 'data-menu-count="0"' not in shown


def local_names(choice: Any, user: User, preset: Preset | None = None) -> set[str]:
    found = offering.offered(choice, user, preset)
    return {tool.name for tool in found if not tool.server}


def test_the_switch_of_the_web_leaves_the_other_tools_to_the_preset(owner: User) -> None:
    LocalTool.objects.create(name="fetch_page", enabled=True)
    preset = Preset(tools=["calculate"])
    assert local_names(None, owner, preset) == {"calculate"}
    assert local_names({"web": True}, owner, preset) == {"calculate", "fetch_page"}
    assert "fetch_page" in local_names(None, owner)
    assert "fetch_page" not in local_names({"web": False}, owner)


def test_the_switch_of_the_web_counts_more_than_a_choice(owner: User) -> None:
    LocalTool.objects.create(name="fetch_page", enabled=True)
    choice = {"servers": [LOCAL], "off": ["fetch_page", "calculate"], "on": [], "web": True}
    assert "fetch_page" in local_names(choice, owner)
    assert "calculate" not in local_names(choice, owner)


def test_an_admin_forbids_the_web_to_everybody(owner: User) -> None:
    LocalTool.objects.create(name="fetch_page", enabled=False)
    assert "fetch_page" not in local_names({"web": True}, owner)


@pytest.mark.parametrize("web", ["yes", 1, [], {}])
def test_a_switch_of_the_web_that_is_none_is_refused(web: Any) -> None:
    with pytest.raises(Rejected):
        offering.read_choice({"web": web})
