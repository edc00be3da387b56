"""The admin's pages of users and groups, for staff who may change both but are no superusers."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

pytestmark = pytest.mark.django_db

MANAGES = ("add_user", "change_user", "delete_user", "add_group", "change_group", "delete_group")


def permission(codename: str) -> Permission:
    return Permission.objects.get(codename=codename)


def staff(name: str, *codenames: str) -> User:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(map(permission, codenames))
    return user


@pytest.fixture
def manager(client: Client) -> User:
    user = staff("manager", *MANAGES)
    client.force_login(user)
    return user


def change(client: Client, user: User, **columns: Any) -> Any:
    form = {"username": user.username, "is_active": "on", "is_staff": "on"}
    form |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    return client.post(f"/admin/auth/user/{user.pk}/change/", form | columns)


def change_group(client: Client, group: Group, **columns: Any) -> Any:
    return client.post(f"/admin/auth/group/{group.pk}/change/", {"name": group.name} | columns)


def test_nobody_makes_themselves_a_superuser(client: Client, manager: User) -> None:
    change(client, manager, is_superuser="on")
    assert not User.objects.get(pk=manager.pk).is_superuser


def test_nobody_gives_a_permission_that_they_lack(client: Client, manager: User) -> None:
    keys = [permission("view_trace").pk, permission("add_program").pk]
    for user in (manager, staff("other")):
        page = change(client, user, user_permissions=keys).content.decode()
        assert "is not one of the available choices" in page
        assert not user.user_permissions.filter(pk__in=keys).exists()


def test_a_permission_that_one_has_can_be_given(client: Client, manager: User) -> None:
    other = staff("other")
    change(client, other, user_permissions=[permission("change_user").pk])
    assert other.has_perm("auth.change_user")


def test_nobody_puts_somebody_into_a_group_that_has_more(client: Client, manager: User) -> None:
    group = Group.objects.create(name="Auditors")
    group.permissions.add(permission("view_trace"))
    change(client, manager, groups=[group.pk])
    change_group(client, group, members=[manager.pk])
    assert not manager.groups.exists()


def test_nobody_gives_a_group_a_permission_that_they_lack(client: Client, manager: User) -> None:
    group = Group.objects.create(name="Everybody")
    change_group(client, group, permissions=[permission("view_trace").pk])
    client.post(
        "/admin/auth/group/add/", {"name": "New", "permissions": [permission("view_trace").pk]}
    )
    assert not Permission.objects.filter(codename="view_trace", group__isnull=False).exists()


@pytest.mark.parametrize("kind", ["superuser", "staff", "by_group", "inactive"])
def test_nobody_changes_or_deletes_somebody_who_has_more(
    client: Client, manager: User, kind: str
) -> None:
    above = staff("above")
    if kind == "superuser":
        User.objects.filter(pk=above.pk).update(is_superuser=True)
    elif kind == "by_group":
        group = Group.objects.create(name="Auditors")
        group.permissions.add(permission("view_trace"))
        above.groups.add(group)
    else:
        above.user_permissions.add(permission("view_trace"))
        User.objects.filter(pk=above.pk).update(is_active=kind != "inactive")
    new = {"password1": "another pass phrase", "password2": "another pass phrase"}
    page = f"/admin/auth/user/{above.pk}"
    chosen = {"action": "delete_selected", "_selected_action": above.pk, "post": "yes"}

    assert change(client, above, username="renamed").status_code == 403
    assert client.post(f"{page}/password/", new | {"usable_password": "true"}).status_code == 403
    assert client.post(f"{page}/delete/", {"post": "yes"}).status_code == 403
    client.post("/admin/auth/user/", chosen)
    assert User.objects.get(pk=above.pk).username == "above"


def test_a_group_that_has_more_is_neither_changed_nor_deleted(
    client: Client, manager: User
) -> None:
    group = Group.objects.create(name="Auditors")
    group.permissions.add(permission("view_trace"))
    chosen = {"action": "delete_selected", "_selected_action": group.pk, "post": "yes"}

    assert change_group(client, group, name="renamed").status_code == 403
    assert client.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post("/admin/auth/group/", chosen)
    assert Group.objects.get().name == "Auditors"


def test_a_group_with_a_member_who_has_more_is_not_deleted(client: Client, manager: User) -> None:
    group = Group.objects.create(name="Everybody")
    group.permissions.add(permission("change_user"))
    group.user_set.add(staff("boss", "view_trace"))
    chosen = {"action": "delete_selected", "_selected_action": group.pk, "post": "yes"}

    assert client.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post("/admin/auth/group/", chosen)
    assert Group.objects.exists()


def test_a_group_loses_no_member_who_has_more(client: Client, manager: User) -> None:
    group = Group.objects.create(name="Everybody")
    group.user_set.add(User.objects.create_superuser("root"))
    page = change_group(client, group, members=[]).content.decode()

    assert "You cannot change root" in page and group.user_set.exists()


def test_a_superuser_changes_everybody(admin_client: Client) -> None:
    root = User.objects.create_superuser("root")
    change(admin_client, root, username="renamed", is_superuser="on")
    assert User.objects.get(pk=root.pk).username == "renamed"
