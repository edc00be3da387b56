"""The admin's page of groups."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

from audit.models import Action, Event
from chat.models import Preset, Skill
from chat.tests.builders import a_model, a_user
from tools.models import Server

pytestmark = pytest.mark.django_db


@pytest.fixture
def group(db: None) -> Group:
    return Group.objects.create(name="Quokkas")


def browser_of(**fields: Any) -> Client:
    client = Client()
    client.force_login(a_user("admin", is_staff=True, **fields))
    return client


def page_of(group: Group, page: str = "change") -> str:
    return reverse(f"admin:auth_group_{page}", args=[group.pk])


def posted(group: Group, **fields: Any) -> dict[str, Any]:
    return {"name": group.name, "permissions": [], **fields}


def test_members_are_added_and_things_are_given_with_a_row_in_the_log_each(group: Group) -> None:
    model, member = a_model(), a_user("bob")
    browser = browser_of(is_superuser=True)
    form = posted(group, members=[member.pk], given_models=[model.pk])
    assert browser.post(page_of(group), form).status_code == 302
    assert list(group.user_set.all()) == [member]
    assert list(model.groups.all()) == [group]
    events = {event.action: event for event in Event.objects.all()}
    assert events[Action.MEMBERS_CHANGED].detail == {"added": ["bob"], "removed": []}
    assert events[Action.GIVEN].detail == {"groups": ["Quokkas"], "before": []}


def test_another_group_keeps_what_it_has(group: Group) -> None:
    model, other = a_model(), Group.objects.create(name="Wombats")
    model.groups.set([group, other])
    browser_of(is_superuser=True).post(page_of(group), posted(group))
    assert list(model.groups.all()) == [other]


def test_a_group_that_is_added_has_members_at_once(db: None) -> None:
    member = a_user("bob")
    form = {"name": "Wombats", "members": [member.pk]}
    assert browser_of(is_superuser=True).post(reverse("admin:auth_group_add"), form)
    assert member.groups.get().name == "Wombats"


def test_who_may_change_groups_alone_changes_neither_members_nor_what_they_have(
    group: Group,
) -> None:
    model, member = a_model(), a_user("bob")
    model.groups.add(group)
    group.user_set.add(member)
    browser = browser_of()
    User.objects.get(username="admin").user_permissions.set(
        Permission.objects.filter(codename__in=["change_group", "view_group"])
    )
    me = User.objects.get(username="admin").pk
    form = posted(group, members=[me], given_models=[], given_presets=[])
    assert browser.post(page_of(group), form).status_code == 302
    assert list(group.user_set.all()) == [member]
    assert list(model.groups.all()) == [group]


def test_who_may_look_sees_names_and_no_field(group: Group) -> None:
    Skill.objects.create(name="tidy", source="/nowhere").groups.add(group)
    browser = browser_of()
    User.objects.get(username="admin").user_permissions.set(
        Permission.objects.filter(codename="view_group")
    )
    page = browser.get(page_of(group)).content.decode()
    assert "tidy" in page and "<select" not in page[page.index("content-main") :]


def test_what_belongs_to_a_person_or_is_for_admins_is_not_given(group: Group) -> None:
    Preset.objects.create(name="Mine and nobody else's", owner=a_user())
    Server.objects.create(name="for-admins", command="sleep", shared=Server.Shared.STAFF)
    page = browser_of(is_superuser=True).get(page_of(group)).content.decode()
    assert "nobody else" not in page and "for-admins" not in page


def test_a_group_that_alone_has_something_is_not_deleted(group: Group) -> None:
    model, browser = a_model(), browser_of(is_superuser=True)
    model.groups.add(group)
    page = browser.get(page_of(group, "delete")).content.decode()
    assert "walkthrough, which would be for everybody" in page
    browser.post(page_of(group, "delete"), {"post": "yes"})
    assert Group.objects.filter(pk=group.pk).exists()
    model.groups.add(Group.objects.create(name="Wombats"))
    browser.post(page_of(group, "delete"), {"post": "yes"})
    assert not Group.objects.filter(pk=group.pk).exists()


def test_the_list_says_who_is_in_a_group_and_what_it_has(group: Group) -> None:
    group.user_set.add(a_user("bob"))
    a_model().groups.add(group)
    page = browser_of(is_superuser=True).get(reverse("admin:auth_group_changelist"))
    assert "bob" in page.content.decode() and "walkthrough" in page.content.decode()
