"""Servers for everybody are one permission, programs another; being staff is none."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from tests.signing_in import signed_in
from tools.catalogue import registry
from tools.models import Server, ServerTool, Trial

pytestmark = pytest.mark.django_db

NEW = {"name": "new", "timeout_s": "60", "mode": "auto"}
SHELL = {**NEW, "transport": "stdio", "command": "sh", "args": "-c id"}
WEB = {**NEW, "transport": "http", "url": "https://new.example/mcp"}


def staff(*codenames: str) -> User:
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


@pytest.mark.parametrize("rights", [(), ("change_server",), ("change_localtool", "view_server")])
def test_no_program_is_tried_or_registered_by_who_may_not_add_programs(rights: Any) -> None:
    client = signed_in(staff(*rights))
    for name in ("tools:try_connection", "tools:register"):
        assert client.post(reverse(name), SHELL).status_code == 403
    pasted = {"text": '{"mcpServers": {"a": {"command": "sh"}}}', "register": "", "take": "a"}
    assert client.post(reverse("tools:import"), pasted).status_code == 403
    assert not Server.objects.exists() and not Trial.objects.exists()


def test_who_may_change_servers_registers_them_by_url_for_everybody() -> None:
    response = signed_in(staff("change_server")).post(reverse("tools:register"), WEB)
    assert response.status_code == 302
    assert Server.objects.get().owner is None


def test_who_may_add_programs_registers_any_server() -> None:
    client = signed_in(staff("add_program"))
    assert client.post(reverse("tools:register"), SHELL).status_code == 302
    assert client.post(reverse("tools:register"), {**WEB, "name": "b"}).status_code == 302
    assert Server.objects.filter(owner=None).count() == 2


def test_a_program_is_not_changed_by_who_may_change_servers_by_url() -> None:
    program = Server.objects.create(name="a", command="true")
    web = Server.objects.create(name="b", transport="http", url="https://b.example/")
    client = signed_in(staff("change_server"))
    for page in ("edit", "test", "delete", "export", "change_tools", "approve"):
        method = client.get if page in ("edit", "export") else client.post
        assert method(reverse(f"tools:{page}", args=[program.public_id])).status_code == 404
    assert client.get(reverse("tools:edit", args=[web.public_id])).status_code == 200
    assert b"stdio" not in client.get(reverse("tools:edit", args=[web.public_id])).content
    turned = client.post(reverse("tools:edit", args=[web.public_id]), SHELL)
    assert turned.status_code == 403


@pytest.mark.parametrize("user_servers", [False, True])
@pytest.mark.parametrize("by", ["nobody", "permission", "group", "superuser"])
def test_tools_of_servers_for_admins_are_theirs_by_one_statement(
    by: str, user_servers: bool, settings: Any, django_assert_num_queries: Any
) -> None:
    settings.USER_SERVERS = user_servers
    server = Server.objects.create(name="a", command="true", shared=Server.Shared.STAFF)
    ServerTool.objects.create(
        server=server, name="x", position=1, input_schema={}, hash="x", approved_hash="x"
    )
    user = staff(*(["change_server"] if by == "permission" else []))
    if by == "group":
        group = Group.objects.create(name="admins")
        group.permissions.set(Permission.objects.filter(codename="add_program"))
        user.groups.add(group)
    user.is_superuser = by == "superuser"
    user.save()
    fresh = User.objects.get(pk=user.pk)
    registry.usable(fresh)  # writes the statement, once a kind of user
    with django_assert_num_queries(2):
        names = [tool.name for tool in registry.usable(fresh) if tool.server]
    assert names == ([] if by == "nobody" else ["a-x"])


def test_who_is_no_longer_staff_has_no_right_though_it_is_still_given() -> None:
    user = staff("add_program")
    User.objects.filter(pk=user.pk).update(is_staff=False)
    assert signed_in(User.objects.get()).get(reverse("tools:register")).status_code == 403
